// Package eventlog is the record of what happened in a live or simulated cluster: files of events,
// what they say in words, a summary by job, and Chrome traces.
package eventlog

import (
	"bufio"
	"bytes"
	"cmp"
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

// Read gives each event to take, in order, in the caller's goroutine; others decode meanwhile. An
// event is good until take returns, but what it points to longer. The file has a JSON object a line; a
// compressed one is known by its first bytes. Errors begin with the number of the line.
func Read(in io.Reader, take func(*actors.Event) error) error {
	return inParts(in, (*part).decode, func(p *part) error {
		for i := range p.events {
			if err := take(&p.events[i]); err != nil {
				return fmt.Errorf("%d: %w", p.lines[i], err)
			}
		}
		return nil
	})
}

// Copy writes each event as a line of JSON and gives their number; errors are as those of Read, and
// those of out.
func Copy(out io.Writer, in io.Reader) (n int, err error) {
	err = inParts(in, (*part).copy, func(p *part) error {
		n += len(p.lines)
		_, err := out.Write(p.out)
		return err
	})
	return n, err
}

// inParts has the parts of a file worked on by several goroutines, each with the texts that it met
// before, and then taken in order by the caller's.
func inParts(in io.Reader, work func(*part, map[string]string), take func(*part) error) error {
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
	// from the other. Both are closed behind the last. Then it is there for other lines.
	waiting, inOrder, free := make(chan *part), make(chan *part, 2*decoders), make(chan *part, 4*decoders)
	stop, ended := make(chan struct{}), make(chan struct{})
	defer func() { close(stop); <-ended }() // the reader is the caller's again
	go func() {
		defer close(ended)
		defer close(inOrder)
		defer close(waiting)
		split(in, free, func(p *part) bool {
			select {
			case inOrder <- p:
			case <-stop:
				return false
			}
			select {
			case waiting <- p:
				return true
			case <-stop:
				return false
			}
		})
	}()
	for range decoders {
		go func() {
			texts := map[string]string{}
			for p := range waiting {
				work(p, texts)
				p.done <- struct{}{}
			}
		}()
	}
	for p := range inOrder {
		<-p.done
		if err := cmp.Or(take(p), p.err); err != nil {
			return err
		}
		select {
		case free <- p:
		default:
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
	lines  []int         // of the events
	out    []byte        // the events as lines again
	done   chan struct{} // with room for one
}

// newPart gives a part without lines, one that was used before if there is any.
func newPart(free <-chan *part, first int) *part {
	select {
	case p := <-free:
		p.first, p.err = first, nil
		p.text, p.events, p.lines, p.out = p.text[:0], p.events[:0], p.lines[:0], p.out[:0]
		return p
	default:
		return &part{first: first, text: make([]byte, 0, partBytes+partBytes/8), done: make(chan struct{}, 1)}
	}
}

// split cuts what is read into parts and hands them over, until that is refused.
func split(in io.Reader, free <-chan *part, hand func(*part) bool) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	n := 0
	p := newPart(free, 1)
	for lines.Scan() {
		n++
		p.text = append(append(p.text, lines.Bytes()...), '\n')
		if len(p.text) < partBytes {
			continue
		}
		if !hand(p) {
			return
		}
		p = newPart(free, n+1)
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
	p.each(func(line []byte) error {
		p.events = append(p.events, actors.Event{})
		_, err := decodeLine(line, &p.events[len(p.events)-1], texts)
		if err != nil {
			p.events = p.events[:len(p.events)-1]
		}
		return err
	})
}

// copy reads the events and writes them out; what has the form already stays as it is.
func (p *part) copy(texts map[string]string) {
	var e actors.Event
	p.each(func(line []byte) error {
		e = actors.Event{}
		plain, err := decodeLine(line, &e, texts)
		switch {
		case err != nil:
			return err
		case plain:
			p.out = append(p.out, line...)
		default:
			p.out = append(e.AppendJSON(p.out), '\n')
		}
		return nil
	})
}

// each calls f with each line of the part that is not empty.
func (p *part) each(f func(line []byte) error) {
	n := p.first - 1
	for line := range bytes.Lines(p.text) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := f(line); err != nil {
			p.err = fmt.Errorf("%d: not an event: %w", n, err)
			return
		}
		p.lines = append(p.lines, n)
	}
}

// decodeLine reads an event, of a zero one; plain says that it has the form that AppendJSON gives.
func decodeLine(line []byte, e *actors.Event, texts map[string]string) (plain bool, err error) {
	plain = decodeFast(bytes.TrimSuffix(line, []byte{'\n'}), e, texts)
	if !plain {
		*e = actors.Event{}
		err = json.Unmarshal(line, e)
	}
	if err == nil && e.Type == 0 {
		err = errors.New("it has no type")
	}
	return plain, err
}
