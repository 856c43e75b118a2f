package jobs

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/tarry-mr/tarry/jobs/internal/search"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// The escape sequences of GNU grep that begin and end a color.
const (
	colorMatch     = "\x1b[01;31m\x1b[K"
	colorName      = "\x1b[35m\x1b[K"
	colorNumber    = "\x1b[32m\x1b[K"
	colorSeparator = "\x1b[36m\x1b[K"
	colorEnd       = "\x1b[m\x1b[K"
)

// printer finds the lines that GrepOptions select and formats them. Each attempt needs its own.
type printer struct {
	pattern  *search.Pattern
	o        GrepOptions
	name     []byte        // of the current file
	selected *counter.User // counts selected lines
	text     []byte        // buffers
	line     []byte
}

func newPrinter(p *search.Pattern, o GrepOptions, t *mapreduce.Task) *printer {
	return &printer{pattern: p, o: o, name: []byte(t.InputName()), selected: t.Counter(GrepCounters, LinesSelected)}
}

// runs yields the position of each selected line or, with Invert, of each run of such lines.
func (p *printer) runs(chunk []byte) iter.Seq2[int, int] {
	if p.o.Invert {
		return p.pattern.OtherLines(chunk)
	}
	return p.pattern.Lines(chunk)
}

// count returns the number of selected lines.
func (p *printer) count(chunk []byte) int64 {
	n := p.pattern.Count(chunk)
	if p.o.Invert {
		n = search.CountLines(chunk) - n
	}
	return n
}

// lines yields the position chunk[start:end] of each selected line, including its line feed if it
// has one.
func (p *printer) lines(chunk []byte) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		n := int64(0)
		for at, done := range p.runs(chunk) {
			for at < done {
				start := at
				at = search.LineEnd(chunk, start)
				if n++; !yield(start, at) {
					return
				}
			}
		}
		p.selected.Add(n)
	}
}

// texts calls visit with each text to write for a line, without line feed: the line or, with
// OnlyMatching, each match. The text is valid until the next call. selected is false for a context
// line.
func (p *printer) texts(line []byte, selected bool, visit func(text []byte)) {
	line = bytes.TrimSuffix(line, []byte{'\n'})
	switch {
	case p.o.OnlyMatching:
		for from, to := range p.pattern.Matches(line) {
			p.text = p.colored(p.text[:0], colorMatch, line[from:to])
			visit(p.text)
		}
	case p.o.Color && selected != p.o.Invert:
		p.text = p.text[:0]
		done := 0
		for from, to := range p.pattern.Matches(line) {
			p.text = append(p.text, line[done:from]...)
			p.text = p.colored(p.text, colorMatch, line[from:to])
			done = to
		}
		p.text = append(p.text, line[done:]...)
		visit(p.text)
	default:
		visit(line)
	}
}

// colored appends a text, with the escape sequences of color if o.Color is set.
func (p *printer) colored(dst []byte, color string, text []byte) []byte {
	if !p.o.Color {
		return append(dst, text...)
	}
	return append(append(append(dst, color...), text...), colorEnd...)
}

// printed returns a line of output: the file's name if o.FileNames is set, the number unless it is
// 0, each followed by the separator, then the text. The next call overwrites it.
func (p *printer) printed(separator byte, number int64, text []byte) []byte {
	p.line = p.line[:0]
	if p.o.FileNames {
		p.line = p.colored(p.line, colorName, p.name)
		p.line = p.colored(p.line, colorSeparator, []byte{separator})
	}
	if number != 0 {
		p.line = p.colored(p.line, colorNumber, strconv.AppendInt(nil, number, 10))
		p.line = p.colored(p.line, colorSeparator, []byte{separator})
	}
	p.line = append(append(p.line, text...), '\n')
	return p.line
}
