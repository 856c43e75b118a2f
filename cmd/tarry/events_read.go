package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"

	"github.com/tarry-mr/tarry/actors"
)

// maxEventLine bounds a line of an event file, in bytes; what is longer is no event.
const maxEventLine = 1 << 20

// openEvents opens the named file, or standard input for -.
func (p *program) openEvents(name string) (*os.File, error) {
	if name == stdinName {
		return p.stdin, nil
	}
	return openFile(name)
}

// readEvents gives each event of the file to take, in order. A zstd file is known by its first bytes. Errors name the line.
func readEvents(name string, in io.Reader, take func(actors.Event) error) error {
	if err := scanEvents(in, take); err != nil {
		return fmt.Errorf("%s:%w", name, err)
	}
	return nil
}

// scanEvents reads JSON lines, plain or compressed. Its errors begin with the number of the line.
func scanEvents(in io.Reader, take func(actors.Event) error) error {
	buffered := bufio.NewReader(in)
	in = buffered
	if magic, _ := buffered.Peek(4); bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		unpacked, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return fmt.Errorf("1: %w", err)
		}
		defer unpacked.Close()
		in = unpacked
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxEventLine)
	n := 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e actors.Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return fmt.Errorf("%d: not an event: %w", n, err)
		}
		if e.Type == 0 {
			return fmt.Errorf("%d: not an event: it has no type", n)
		}
		if err := take(e); err != nil {
			return fmt.Errorf("%d: %w", n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%d: a line of more than %d bytes is no event", n+1, maxEventLine)
	} else if err != nil {
		return fmt.Errorf("%d: %w", n+1, err)
	}
	return nil
}
