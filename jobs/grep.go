package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"github.com/tarry-mr/tarry/jobs/internal/search"
	"github.com/tarry-mr/tarry/mapreduce"
)

// ErrPattern is wrapped by errors about patterns that do not compile.
var ErrPattern = errors.New("jobs: bad pattern")

// GrepOptions determine which lines a search selects and how it writes them. The zero value selects
// each line with a match of a regular expression, and writes it whole.
type GrepOptions struct {
	// Fixed treats the pattern as literal text instead of a regular expression.
	Fixed bool
	// IgnoreCase ignores the case of letters.
	IgnoreCase bool
	// Word accepts a match only if the characters before and after it are not ASCII letters, digits
	// or underscores.
	Word bool
	// Invert selects the lines that do not match.
	Invert bool

	// OnlyMatching writes the matching texts of a line instead of the line, one per output line:
	// leftmost first, non-overlapping and non-empty. It applies to lines and not to counts, and
	// excludes Invert.
	OnlyMatching bool
	// FileNames writes the file's name and a colon before each line.
	FileNames bool
	// Color highlights names, numbers and matching texts, like GNU grep.
	Color bool
}

// The counter of selected lines: its group and its name.
const (
	GrepCounters  = "Grep"
	LinesSelected = "Lines selected"
)

// compile compiles the pattern with the options.
func (o GrepOptions) compile(pattern string) (*search.Pattern, error) {
	if o.Invert && o.OnlyMatching {
		return nil, fmt.Errorf("%w: lines that do not match hold no matches to write", ErrPattern)
	}
	p, err := search.Compile(pattern, search.Options{Fixed: o.Fixed, IgnoreCase: o.IgnoreCase, Word: o.Word})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPattern, err)
	}
	return p, nil
}

// Grep writes the selected lines, whole and in input order, like `grep -h -a`. The pattern has the
// syntax of Go's package regexp (RE2); a pattern of several lines matches whatever one of them
// matches. Errors wrap ErrPattern.
//
// Its input is Chunks, its output Raw: it emits runs of whole lines with their line feeds.
func Grep(pattern string, o GrepOptions) (job mapreduce.MapOnly[[]byte, []byte], err error) {
	p, err := o.compile(pattern)
	if err != nil {
		return job, err
	}
	job.Name = "grep"
	job.MapTask = func(t *mapreduce.Task) (mapreduce.Filter[[]byte, []byte], error) {
		out := newPrinter(p, o, t)
		if !o.OnlyMatching && !o.FileNames && !o.Color {
			return mapreduce.Filter[[]byte, []byte]{Map: out.whole}, nil
		}
		return mapreduce.Filter[[]byte, []byte]{Map: func(chunk []byte, emit func([]byte)) error {
			for start, end := range out.lines(chunk) {
				out.texts(chunk[start:end], true, func(text []byte) { emit(out.printed(':', 0, text)) })
			}
			return nil
		}}, nil
	}
	return job, nil
}

// whole emits the selected lines of a chunk in runs, which need not be formatted.
func (p *printer) whole(chunk []byte, emit func([]byte)) error {
	n := int64(0)
	for start, end := range p.runs(chunk) {
		if n++; p.o.Invert {
			n += search.CountLines(chunk[start:end]) - 1
		}
		emit(chunk[start:end])
		if chunk[end-1] != '\n' { // the last line of a file
			emit([]byte{'\n'})
		}
	}
	p.selected.Add(n)
	return nil
}

// GrepMatches counts the matching texts in the lines of its input, leftmost first, non-overlapping
// and non-empty, like `grep -o | sort | uniq -c`. Its input is Chunks. Errors wrap ErrPattern;
// Invert is an error.
//
// ByFrequency reads its output.
func GrepMatches(pattern string, o GrepOptions) (job mapreduce.Job[[]byte, []byte, int64, CountFirst], err error) {
	if o.Invert {
		return job, fmt.Errorf("%w: lines that do not match hold no matches to count", ErrPattern)
	}
	p, err := o.compile(pattern)
	if err != nil {
		return job, err
	}
	return mapreduce.Job[[]byte, []byte, int64, CountFirst]{
		Name: "grep-matches",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, int64], error) {
			out := newPrinter(p, o, t)
			return mapreduce.Mapper[[]byte, []byte, int64]{Map: func(chunk []byte, emit func([]byte, int64)) error {
				for start, end := range out.lines(chunk) {
					line := bytes.TrimSuffix(chunk[start:end], []byte{'\n'})
					for from, to := range p.Matches(line) {
						emit(line[from:to], 1)
					}
				}
				return nil
			}}, nil
		},
		Sum:    true,
		Reduce: single(func(text []byte, n int64) CountFirst { return mapreduce.MakePair(n, text) }),
	}, nil
}

// CountFirst is a count and the text that it counts. Its output line is count, tab, text.
type CountFirst = mapreduce.Pair[int64, []byte]

// ByFrequency sorts lines of number, tab, text by descending number and then by the bytes of the
// text, over all parts. It writes text, tab, number. Its input is KeyValueLines with a tab.
func ByFrequency() mapreduce.Job[mapreduce.Pair[[]byte, []byte], CountFirst, mapreduce.None, Count] {
	return mapreduce.Job[mapreduce.Pair[[]byte, []byte], CountFirst, mapreduce.None, Count]{
		Name: "by-frequency",
		Map: func(line mapreduce.Pair[[]byte, []byte], emit func(CountFirst, mapreduce.None)) error {
			n, err := number(line.Second, line.First)
			if err != nil {
				return err
			}
			emit(mapreduce.MakePair(^n, line.Second), mapreduce.None{}) // keys sort in ascending order, so ^n is the largest first; -n could overflow
			return nil
		},
		Reduce: func(key CountFirst, values iter.Seq[mapreduce.None], emit func(Count)) error {
			for range values {
				emit(mapreduce.MakePair(key.Second, ^key.First))
			}
			return nil
		},
		TotalOrder: true,
	}
}
