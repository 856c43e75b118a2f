// Package eventlog is the record of what happened in a live or simulated cluster: files of events,
// what they say in words, a summary by job, and Chrome traces.
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

// maxLine bounds a line of an event file, in bytes; what is longer is no event.
// A map of a job with many reduces tells the sizes of its output.
const maxLine = 32 << 20

// Read gives each event to take, in order, in the caller's goroutine; others decode meanwhile. The
// file has a JSON object a line; a compressed one is known by its first bytes. Errors begin with the
// number of the line.
func Read(in io.Reader, take func(actors.Event) error) error {
	buffered := bufio.NewReaderSize(in, 1<<16)
	in = buffered
	if magic, _ := buffered.Peek(4); bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}) { // zstd's
		unpacked, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return fmt.Errorf("1: %w", err)
		}
		defer unpacked.Close()
		in = unpacked
	}
	// Each part is in both channels: a decoder takes it from one, and the loop below, in their order,
	// from the other. Both are closed behind the last.
	work, inOrder := make(chan *part), make(chan *part, 2*decoders)
	stop, ended := make(chan struct{}), make(chan struct{})
	defer func() { close(stop); <-ended }() // the reader is the caller's again
	go func() {
		defer close(ended)
		defer close(inOrder)
		defer close(work)
		split(in, func(p *part) bool {
			select {
			case inOrder <- p:
			case <-stop:
				return false
			}
			select {
			case work <- p:
				return true
			case <-stop:
				return false
			}
		})
	}()
	for range decoders {
		go func() {
			texts := map[string]string{}
			for p := range work {
				p.decode(texts)
			}
		}()
	}
	for p := range inOrder {
		<-p.done
		for i := range p.events {
			if err := take(p.events[i]); err != nil {
				return fmt.Errorf("%d: %w", p.lines[i], err)
			}
		}
		if p.err != nil {
			return p.err
		}
	}
	return nil
}

const (
	decoders  = 4
	partBytes = 64 << 10
)

// part is some lines of a file, and what they say.
type part struct {
	first  int // number of its first line
	text   []byte
	err    error // what comes behind the events
	events []actors.Event
	lines  []int // of the events
	done   chan struct{}
}

// split cuts what is read into parts and hands them over, until that is refused.
func split(in io.Reader, hand func(*part) bool) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	n := 0
	p := &part{first: 1, done: make(chan struct{})}
	for lines.Scan() {
		n++
		p.text = append(append(p.text, lines.Bytes()...), '\n')
		if len(p.text) < partBytes {
			continue
		}
		if !hand(p) {
			return
		}
		p = &part{first: n + 1, text: make([]byte, 0, partBytes+partBytes/8), done: make(chan struct{})}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		p.err = fmt.Errorf("%d: a line of more than %d bytes is no event", n+1, maxLine)
	} else if err != nil {
		p.err = fmt.Errorf("%d: %w", n+1, err)
	}
	hand(p)
}

// decode reads the events; one that is none ends the part.
func (p *part) decode(texts map[string]string) {
	defer close(p.done)
	p.events = make([]actors.Event, 0, bytes.Count(p.text, []byte{'\n'}))
	n := p.first - 1
	for line := range bytes.Lines(p.text) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e actors.Event
		var err error
		if !decodeFast(bytes.TrimSuffix(line, []byte{'\n'}), &e, texts) {
			e = actors.Event{}
			err = json.Unmarshal(line, &e)
		}
		if err == nil && e.Type == 0 {
			err = errors.New("it has no type")
		}
		if err != nil {
			p.err = fmt.Errorf("%d: not an event: %w", n, err)
			return
		}
		p.events, p.lines = append(p.events, e), append(p.lines, n)
	}
}
