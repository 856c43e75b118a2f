package workload

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Forms returns the names of the trace formats that Read accepts.
func Forms() []string { return []string{"swim", "coflow", "sls", "alibaba"} }

// Read reads a trace in one of the Forms: swim (see ReadSWIM), coflow (see ReadCoflows), sls (of
// Hadoop's SLS or Rumen, see ReadSLS) or alibaba (see ReadAlibaba). Of the options, only TimeScale
// and Jobs apply to formats other than swim. name is used in messages.
func Read(form string, r io.Reader, name string, o TraceOptions) (w Workload, err error) {
	switch form {
	case "swim":
		return ReadSWIM(r, name, o)
	case "coflow":
		list, _, err := ReadCoflows(r, name)
		if err != nil {
			return w, err
		}
		return FromCoflows(list, TraceOptions{TimeScale: o.TimeScale, Jobs: o.Jobs})
	case "sls":
		w, err = ReadSLS(r, name)
	case "alibaba":
		w, err = ReadAlibaba(r, name)
	default:
		return w, fmt.Errorf("workload: no form of traces %q (have %s)", form, strings.Join(Forms(), ", "))
	}
	if o.TimeScale > 0 {
		w.Stretch(o.TimeScale)
	}
	w.First(o.Jobs)
	return w, err
}

// First keeps only the first n jobs of the workload; 0 keeps all.
func (w *Workload) First(n int) {
	if n > 0 && n < len(w.Jobs) {
		w.Jobs = slices.Clip(w.Jobs[:n])
	}
}

// ErrFormat is wrapped by every error about a file; the message starts with file and line.
var ErrFormat = errors.New("bad workload")

// refuse returns an error that wraps ErrFormat and begins with the file's name and the line.
func refuse(name string, line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %s", name, line, ErrFormat, fmt.Sprintf(format, args...))
}

// wholeNumber parses an integer from 0 to top; what names it in the error.
func wholeNumber(what, word string, top int64) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s %.40q is not a whole number", what, word)
	case n < 0:
		return 0, fmt.Errorf("%s %d is negative", what, n)
	case n > top:
		return 0, fmt.Errorf("%s %d is above %d", what, n, top)
	}
	return n, nil
}

// columns reads the columns of a line one by one. It keeps the first error.
type columns struct {
	words []string // those that remain
	err   error
}

// fail records an error, unless there is an earlier one.
func (p *columns) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// next returns the next column; what names it in errors.
func (p *columns) next(what string) (word string) {
	if len(p.words) == 0 {
		p.fail("the line ends before the %s", what)
		return ""
	}
	word, p.words = p.words[0], p.words[1:]
	return word
}

// number parses a word as an integer from 0 to top; 0 after an error.
func (p *columns) number(what, word string, top int64) int64 {
	n, err := wholeNumber(what, word, top)
	if err != nil {
		p.fail("%w", err)
	}
	return n
}

// integer parses the next column as an integer from 0 to top.
func (p *columns) integer(what string, top int64) int64 { return p.number(what, p.next(what), top) }

// end returns the first error; a line with more columns has one.
func (p *columns) end() error {
	if len(p.words) > 0 {
		p.fail("%d more columns than announced, the first is %.40q", len(p.words), p.words[0])
	}
	return p.err
}
