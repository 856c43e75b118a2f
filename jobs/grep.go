package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/tarry-mr/tarry/jobs/internal/search"
	"github.com/tarry-mr/tarry/mapreduce"
)

// ErrPattern is wrapped by errors about patterns that do not compile.
var ErrPattern = errors.New("jobs: bad pattern")

// GrepOptions say which lines a search selects, and how it writes them. The zero value selects those
// that match a regular expression, and writes them whole.
type GrepOptions struct {
	// Fixed takes the pattern as the text itself, not as a regular expression.
	Fixed bool
	// IgnoreCase lets letters match in either case.
	IgnoreCase bool
	// Word takes a match only where no letter or digit of ASCII and no underscore is its neighbor.
	Word bool
	// Invert selects the lines that do not match.
	Invert bool

	// OnlyMatching writes of a line the texts that match, a line each: leftmost first, not
	// overlapping and not empty. It goes with lines, not with counts, and not with Invert.
	OnlyMatching bool
	// FileNames writes the name of the file and a colon before each line.
	FileNames bool
	// Color writes names, numbers and the texts that match in color, as GNU grep does.
	Color bool
}

// The counter of the lines that a search has selected, by group and name.
const (
	GrepCounters  = "Grep"
	LinesSelected = "Lines selected"
)

// compile makes the pattern that the options ask for.
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

// within bounds what a pattern holds in each slot to a 32nd of the memory budget.
func within(p *search.Pattern, t *mapreduce.Task) { p.Within(t.MemoryBudget() / 32) }

// Grep selects lines, whole and in the order of the input: its output is that of `grep -h -a`. The
// pattern has the syntax of Go's package regexp (RE2); a pattern of several lines matches what any
// of them matches. Errors wrap ErrPattern.
//
// Its input is Chunks, its output Raw: what it emits are runs of whole lines, line feeds included.
func Grep(pattern string, o GrepOptions) (mapreduce.MapOnly[[]byte, []byte], error) {
	p, err := o.compile(pattern)
	if err != nil {
		return mapreduce.MapOnly[[]byte, []byte]{}, err
	}
	job := mapreduce.MapOnly[[]byte, []byte]{Name: "grep"}
	if o.OnlyMatching || o.FileNames || o.Color {
		job.MapTask = func(t *mapreduce.Task) (mapreduce.Filter[[]byte, []byte], error) {
			out := newPrinter(p, o, t)
			return mapreduce.Filter[[]byte, []byte]{Map: func(chunk []byte, emit func([]byte)) error {
				out.lines(chunk, func(line []byte) {
					out.texts(line, func(text []byte) { emit(out.printed(0, text)) })
				})
				return nil
			}}, nil
		}
		return job, nil
	}
	job.MapTask = func(t *mapreduce.Task) (mapreduce.Filter[[]byte, []byte], error) {
		within(p, t)
		selected := t.Counter(GrepCounters, LinesSelected)
		return mapreduce.Filter[[]byte, []byte]{Map: func(chunk []byte, emit func([]byte)) error {
			n := int64(0)
			o.runs(p)(chunk, func(lines []byte) {
				if n++; o.Invert {
					n += search.CountLines(lines) - 1
				}
				emit(lines)
				if lines[len(lines)-1] != '\n' { // the last line of a file
					emit([]byte{'\n'})
				}
			})
			selected.Add(n)
			return nil
		}}, nil
	}
	return job, nil
}

// runs finds what is selected: lines, or with Invert runs of lines.
func (o GrepOptions) runs(p *search.Pattern) func(chunk []byte, visit func(lines []byte)) {
	if o.Invert {
		return p.OtherLines
	}
	return p.Lines
}

// GrepCount counts the lines that Grep selects in each file, as `grep -c` does: its output is a number a
// line, 0 included, in the order of src, with FileNames behind the file's name and a colon. Its input is
// Chunks of src, its output Raw. Two sources of one name are an error that wraps ErrSameName; other errors
// wrap ErrPattern.
func GrepCount(
	pattern string, o GrepOptions, src ...mapreduce.Source,
) (mapreduce.Job[[]byte, []byte, int64, []byte], error) {
	p, err := o.compile(pattern)
	if err == nil {
		err = differentNames(src)
	}
	if err != nil {
		return mapreduce.Job[[]byte, []byte, int64, []byte]{}, err
	}
	return mapreduce.Job[[]byte, []byte, int64, []byte]{
		Name: "grep-count",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, int64], error) {
			return newPrinter(p, o, t).counting(), nil
		},
		Sum: true,
		ReduceTask: func(t *mapreduce.Task) (mapreduce.Reducer[[]byte, int64, []byte], error) {
			return newPrinter(p, o, t).telling(src), nil
		},
		Reducers: 1,
	}, nil
}

// counting is the map of GrepCount.
func (p *printer) counting() mapreduce.Mapper[[]byte, []byte, int64] {
	n := int64(0)
	return mapreduce.Mapper[[]byte, []byte, int64]{
		Map: func(chunk []byte, _ func([]byte, int64)) error {
			matching := p.pattern.Count(chunk)
			if p.o.Invert {
				matching = search.CountLines(chunk) - matching
			}
			n += matching
			return nil
		},
		Close: func(emit func([]byte, int64)) error {
			p.selected.Add(n)
			emit(p.name, n)
			return nil
		},
	}
}

// telling is the reduce of GrepCount: a file of which no map has read anything is empty.
func (p *printer) telling(src []mapreduce.Source) mapreduce.Reducer[[]byte, int64, []byte] {
	count := map[string]int64{}
	return mapreduce.Reducer[[]byte, int64, []byte]{
		Reduce: func(name []byte, counts iter.Seq[int64], _ func([]byte)) error {
			for n := range counts {
				count[string(name)] += n
			}
			return nil
		},
		Close: func(emit func([]byte)) error {
			for _, s := range src {
				p.name = append(p.name[:0], s.Name()...)
				emit(p.printed(0, strconv.AppendInt(nil, count[s.Name()], 10)))
			}
			return nil
		},
	}
}

// GrepMatches counts the texts that match in the lines of its input, leftmost first, not
// overlapping and not empty, as `grep -o | sort | uniq -c` does. Its input is Chunks. Errors wrap
// ErrPattern; Invert is one.
//
// Its output is what ByFrequency reads.
func GrepMatches(pattern string, o GrepOptions) (mapreduce.Job[[]byte, []byte, int64, CountFirst], error) {
	var none mapreduce.Job[[]byte, []byte, int64, CountFirst]
	if o.Invert {
		return none, fmt.Errorf("%w: lines that do not match hold no matches to count", ErrPattern)
	}
	p, err := o.compile(pattern)
	if err != nil {
		return none, err
	}
	return mapreduce.Job[[]byte, []byte, int64, CountFirst]{
		Name: "grep-matches",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, int64], error) {
			within(p, t)
			selected := t.Counter(GrepCounters, LinesSelected)
			return mapreduce.Mapper[[]byte, []byte, int64]{Map: func(chunk []byte, emit func([]byte, int64)) error {
				n := int64(0)
				p.Lines(chunk, func(line []byte) {
					n++
					p.Matches(bytes.TrimSuffix(line, []byte{'\n'}), func(from, to int) { emit(line[from:to], 1) })
				})
				selected.Add(n)
				return nil
			}}, nil
		},
		Sum: true,
		Reduce: func(text []byte, counts iter.Seq[int64], emit func(CountFirst)) error {
			return total(text, counts, func(c Count) { emit(mapreduce.MakePair(c.Second, c.First)) })
		},
	}, nil
}

// CountFirst is a number and the text that was found so often; as a line of output it is number,
// tab, text.
type CountFirst = mapreduce.Pair[int64, []byte]

// ByFrequency sorts lines of number, tab, text: the largest number first, equal ones by the bytes
// of the text, over all parts. It writes text, tab, number. Its input is KeyValueLines with a tab.
func ByFrequency() mapreduce.Job[mapreduce.Pair[[]byte, []byte], CountFirst, mapreduce.None, Count] {
	return mapreduce.Job[mapreduce.Pair[[]byte, []byte], CountFirst, mapreduce.None, Count]{
		Name: "by-frequency",
		Map: func(line mapreduce.Pair[[]byte, []byte], emit func(CountFirst, mapreduce.None)) error {
			n, err := number(line.Second, line.First)
			if err != nil {
				return err
			}
			emit(mapreduce.MakePair(^n, line.Second), mapreduce.None{}) // keys sort upward; -n overflows
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
