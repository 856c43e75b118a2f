package workload

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/internal/textfile"
)

// TraceOptions configures the conversion of a trace to jobs. The zero value scales nothing; a job
// has up to 10 million tasks of a kind.
type TraceOptions struct {
	Nodes         int     // of the simulated cluster; with OriginalNodes it scales the bytes by Nodes/OriginalNodes
	OriginalNodes int     // of the traced cluster: 600 for Facebook 2009, 3,000 for 2010; 0 scales nothing
	MaxReduces    int     // per job, such as the cluster's reduce slots; 0 means no limit
	MaxMaps       int     // per job; larger jobs shrink in proportion; 0 means no limit
	TimeScale     float64 // factor on submission times; 0 means 1
	Jobs          int     // only the first N; 0 means all
	Map, Reduce   Cost    // of every job
	Skew          Skew    // of every job
}

// formats lists the formats of traces. read returns the jobs of a trace by submission and, with an
// error, the number of the line that it is about, 0 if unknown. empty is the error of a trace
// without jobs.
var formats = []struct {
	name  string
	read  func(r io.Reader, o *TraceOptions) (w Workload, line int, err error)
	empty string
}{
	{"swim", readSWIM, "no job in it"},
	{"coflow", readCoflows, "no coflow in it"},
	{"sls", readSLS, "no job in it with a map that succeeded"},
	{"alibaba", readAlibaba, "no task in it that succeeded"},
}

// Forms returns the names of the trace formats that Read accepts.
func Forms() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// Read reads a trace in one of the Forms: swim (see readSWIM), coflow (see readCoflows), sls (of
// Hadoop's SLS or Rumen, see readSLS) or alibaba (see readAlibaba). Of the options, only TimeScale
// and Jobs apply to formats other than swim. name is used in messages. Errors about the text wrap
// ErrFormat.
func Read(form string, r io.Reader, name string, o TraceOptions) (Workload, error) {
	i := slices.Index(Forms(), form)
	if i < 0 {
		return Workload{}, fmt.Errorf("workload: no form of traces %q (have %s)", form, strings.Join(Forms(), ", "))
	}
	o.TimeScale = cmp.Or(o.TimeScale, 1)
	if !(o.TimeScale > 0 && o.TimeScale <= 1e6) {
		return Workload{}, fmt.Errorf("workload: time scale %v is out of range, above 0 to 1e6", o.TimeScale)
	}
	w, line, err := formats[i].read(r, &o)
	w.Name = cmp.Or(w.Name, name)
	switch {
	case err != nil:
	case len(w.Jobs) == 0:
		err = errors.New(formats[i].empty)
	default:
		line, err = 1, w.Validate()
	}
	if err != nil {
		return Workload{}, refuse(name, max(line, 1), "%v", err)
	}
	w.First(o.Jobs)
	return w, nil
}

// addLines adds the job of each line of a trace to the workload; a line for which parse returns nil
// has none. It returns the number of the last line or, with an error, of the line with the error.
func (w *Workload) addLines(r io.Reader, maxBytes int, parse func(line string) (*Job, error)) (line int, err error) {
	return textfile.EachLine(r, maxBytes, func(_ int, line string) error {
		j, err := parse(line)
		switch {
		case err != nil || j == nil:
			return err
		case len(w.Jobs) == maxJobs:
			return fmt.Errorf("more than %d jobs; cut the file", maxJobs)
		}
		w.Jobs = append(w.Jobs, *j)
		return nil
	})
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
