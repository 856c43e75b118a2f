// Package eventlog reads and writes files of events of live and simulated clusters, and describes
// events in words.
package eventlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/tarry-mr/tarry/actors"
)

// maxLine limits the length of a line in bytes. The end of a map of a job with many reduces lists
// the sizes of its output.
const maxLine = 32 << 20

// Read calls take for each event, in order. The Event is reused after take returns; what it points
// to is not. The file has one JSON object per line and may be compressed by zstd. Errors begin with
// the number of the line.
func Read(in io.Reader, take func(*actors.Event) error) error {
	buffered := bufio.NewReaderSize(in, 1<<16)
	in = buffered
	if magic, _ := buffered.Peek(4); bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) { // zstd's
		unpacked, err := zstd.NewReader(buffered, zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return fmt.Errorf("1: %w", err)
		}
		defer unpacked.Close()
		in = unpacked
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	n := 1
	for ; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e actors.Event
		err := json.Unmarshal(lines.Bytes(), &e)
		if err == nil && e.Type == 0 {
			err = errors.New("it has no type")
		}
		if err != nil {
			return fmt.Errorf("%d: not an event: %w", n, err)
		}
		if err := take(&e); err != nil {
			return fmt.Errorf("%d: %w", n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%d: a line of more than %d bytes is no event", n, maxLine)
	} else if err != nil {
		return fmt.Errorf("%d: %w", n, err)
	}
	return nil
}
