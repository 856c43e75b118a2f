package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/tarry-mr/tarry/jobs/internal/search"
	"github.com/tarry-mr/tarry/mapreduce"
)

// ErrSameName is wrapped by the error for two inputs of the same name, from jobs that tell files
// apart by name.
var ErrSameName = errors.New("jobs: two inputs have one name")

// compileFor compiles the pattern for a job that tells these sources apart by name.
func (o GrepOptions) compileFor(pattern string, src []mapreduce.Source) (*search.Pattern, error) {
	p, err := o.compile(pattern)
	seen := map[string]bool{}
	for _, s := range src {
		if err == nil && seen[s.Name()] {
			err = fmt.Errorf("%w: %s", ErrSameName, cut([]byte(s.Name())))
		}
		seen[s.Name()] = true
	}
	return p, err
}

// Context determines what GrepContext writes besides the selected lines.
type Context struct {
	// Before and After are the numbers of lines before and after each selected line.
	Before, After int
	// Numbers adds line numbers, from 1 in each file.
	Numbers bool
	// Separated writes a line of two dashes between lines that are not adjacent.
	Separated bool
}

// GrepContext is Grep with context lines and line numbers, like `grep -h -a` with -B, -A and -n.
// Names and numbers are followed by a colon for selected lines and a dash for context lines. Its
// input is Chunks of src, its output Raw. If two sources have the same name, the error wraps
// ErrSameName; other errors wrap ErrPattern. OnlyMatching with context is an error.
//
// A map does not know how many lines of its file precede its split. Therefore maps number lines
// within their split and count them, and a single reduce adds up the counts in input order. It
// detects the start of a file by the file's name. A line in one split can be the context of a line
// in another. So maps also emit lines that may be context, those near a selected line and the first
// and last ones of each chunk, and the reduce chooses.
//
// A key is the number of a split. A value is a number and a text: 0 and the file's name at the
// start of a split; twice a line's number, plus one if the line is selected, and the text to write;
// and minus the number of lines at the end.
func GrepContext(
	pattern string, o GrepOptions, c Context, src ...mapreduce.Source,
) (job mapreduce.Job[[]byte, int64, CountFirst, []byte], err error) {
	p, err := o.compileFor(pattern, src)
	if err == nil && o.OnlyMatching && (c.Separated || c.Before+c.After > 0) {
		err = fmt.Errorf("%w: matches without their lines have no context", ErrPattern)
	}
	if err != nil {
		return job, err
	}
	if job.Name = "grep-numbered"; c.Separated {
		job.Name = "grep-context"
	}
	job.MapTask = func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, int64, CountFirst], error) {
		return newPrinter(p, o, t).placing(int64(t.ID().Index), c), nil
	}
	job.ReduceTask = func(t *mapreduce.Task) (mapreduce.Reducer[int64, CountFirst, []byte], error) {
		w := &contextWriter{printer: newPrinter(p, o, t), c: c}
		return mapreduce.Reducer[int64, CountFirst, []byte]{Reduce: w.reduce}, nil
	}
	job.Reducers = 1
	return job, nil
}

// placing returns the map of GrepContext: it emits selected lines, and possible context.
func (p *printer) placing(split int64, c Context) mapreduce.Mapper[[]byte, int64, CountFirst] {
	n, begun := int64(0), false
	return mapreduce.Mapper[[]byte, int64, CountFirst]{
		Map: func(chunk []byte, emit func(int64, CountFirst)) error {
			if !begun {
				emit(split, mapreduce.MakePair(int64(0), p.name))
				begun = true
			}
			place := func(line []byte, selected int64) {
				n++
				p.texts(line, selected == 1, func(text []byte) { emit(split, mapreduce.MakePair(2*n+selected, text)) })
			}
			beside := func(lines []byte) {
				c.near(lines, func(skipped int64) { n += skipped }, func(line []byte) { place(line, 0) })
			}
			done := 0 // bytes of the chunk up to the last counted line
			for start, end := range p.lines(chunk) {
				beside(chunk[done:start])
				place(chunk[start:end], 1)
				done = end
			}
			beside(chunk[done:])
			return nil
		},
		Close: func(emit func(int64, CountFirst)) error {
			if begun {
				emit(split, CountFirst{First: -n})
			}
			return nil
		},
	}
}

// near visits the first c.After and the last c.Before of lines. Between them it calls skip with the
// number of lines that it does not visit.
func (c Context) near(lines []byte, skip func(n int64), visit func(line []byte)) {
	left := search.CountLines(lines)
	for i := 0; left > 0; i++ {
		if middle := left - int64(c.Before); i == c.After && middle > 0 {
			skip(middle)
			lines, left = lastLines(lines, c.Before), left-middle
			continue
		}
		end := search.LineEnd(lines, 0)
		visit(lines[:end])
		lines, left = lines[end:], left-1
	}
}

// lastLines returns the last n lines of a text that has at least n.
func lastLines(text []byte, n int) []byte {
	at := len(text)
	for ; n > 0; n-- {
		at = bytes.LastIndexByte(text[:at-1], '\n') + 1
	}
	return text[at:]
}

// contextWriter is the reduce of GrepContext: it numbers lines and chooses their context.
type contextWriter struct {
	*printer
	c          Context
	earlier    int64        // lines of the file in earlier splits
	lastLine   int64        // number of the line of the file that was written last
	contextEnd int64        // number of the last context line after a selected one
	candidates []CountFirst // lines that become context if one of the next lines is selected
	hasWritten bool         // some line has been written
}

func (w *contextWriter) reduce(_ int64, places iter.Seq[CountFirst], emit func([]byte)) error {
	for place := range places {
		switch n := w.earlier + place.First/2; {
		case place.First < 0:
			w.earlier -= place.First
		case place.First > 0 && place.First%2 == 0:
			w.beside(n, place.Second, emit)
		case place.First > 0:
			for _, h := range w.candidates {
				if h.First >= n-int64(w.c.Before) {
					w.write('-', h.First, h.Second, emit)
				}
			}
			w.write(':', n, place.Second, emit)
			w.candidates, w.contextEnd = w.candidates[:0], n+int64(w.c.After)
		case !bytes.Equal(place.Second, w.name):
			w.name = append(w.name[:0], place.Second...)
			w.earlier, w.lastLine, w.contextEnd, w.candidates = 0, -1, 0, w.candidates[:0]
		}
	}
	return nil
}

// beside writes a line after a selected one as context; others it holds as candidates.
func (w *contextWriter) beside(n int64, text []byte, emit func([]byte)) {
	if n <= w.contextEnd {
		w.write('-', n, text, emit)
		return
	}
	if w.c.Before == 0 {
		return
	}
	if len(w.candidates) >= 2*w.c.Before {
		w.candidates = slices.Delete(w.candidates, 0, len(w.candidates)-w.c.Before)
	}
	w.candidates = append(w.candidates, mapreduce.MakePair(n, slices.Clone(text)))
}

// write writes a line; if it does not follow the last written one, a line of two dashes first.
func (w *contextWriter) write(separator byte, n int64, text []byte, emit func([]byte)) {
	if w.c.Separated && w.hasWritten && n != w.lastLine+1 {
		emit(append(w.colored(w.line[:0], colorSeparator, []byte("--")), '\n'))
	}
	w.hasWritten, w.lastLine = true, n
	if !w.c.Numbers {
		n = 0
	}
	emit(w.printed(separator, n, text))
}

// FileCounts is a job that counts lines by the name of their file, and writes a line for each file.
type FileCounts = mapreduce.Job[[]byte, []byte, int64, []byte]

// GrepCount counts the selected lines of each file, like `grep -c`. It writes one number per line,
// including 0, in the order of src; with FileNames after the file's name and a colon. Its input is
// Chunks of src, its output Raw. If two sources have the same name, the error wraps ErrSameName;
// other errors wrap ErrPattern.
func GrepCount(pattern string, o GrepOptions, src ...mapreduce.Source) (FileCounts, error) {
	return o.perFile("grep-count", pattern, false, src)
}

// GrepFiles writes the names of the files with selected lines, one per line in the order of src,
// like `grep -l`. Its input is Chunks of src, its output Raw. Errors are those of GrepCount.
// OnlyMatching and FileNames have no effect. A map stops searching once it has found selected
// lines; LinesSelected counts the lines found until then.
func GrepFiles(pattern string, o GrepOptions, src ...mapreduce.Source) (FileCounts, error) {
	return o.perFile("grep-files", pattern, true, src)
}

// perFile returns the job called name. Its reduce writes the names of the files with selected lines
// or, without onlyNames, the counts of all files: 0 for files without a map.
func (o GrepOptions) perFile(name, pattern string, onlyNames bool, src []mapreduce.Source) (job FileCounts, err error) {
	p, err := o.compileFor(pattern, src)
	if err != nil {
		return job, err
	}
	return FileCounts{
		Name: name,
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, int64], error) {
			in, n := newPrinter(p, o, t), int64(0)
			return mapreduce.Mapper[[]byte, []byte, int64]{
				Map: func(chunk []byte, _ func([]byte, int64)) error {
					if n == 0 || !onlyNames {
						n += in.count(chunk)
					}
					return nil
				},
				Close: func(emit func([]byte, int64)) error {
					in.selected.Add(n)
					emit(in.name, n)
					return nil
				},
			}, nil
		},
		Sum: true,
		ReduceTask: func(t *mapreduce.Task) (mapreduce.Reducer[[]byte, int64, []byte], error) {
			out, count := newPrinter(p, o, t), map[string]int64{}
			return mapreduce.Reducer[[]byte, int64, []byte]{
				Reduce: func(name []byte, counts iter.Seq[int64], _ func([]byte)) error {
					for n := range counts {
						count[string(name)] += n
					}
					return nil
				},
				Close: func(emit func([]byte)) error {
					for _, s := range src {
						out.name = append(out.name[:0], s.Name()...)
						switch n := count[s.Name()]; {
						case !onlyNames:
							emit(out.printed(':', 0, strconv.AppendInt(nil, n, 10)))
						case n > 0:
							emit(append(out.colored(out.line[:0], colorName, out.name), '\n'))
						}
					}
					return nil
				},
			}, nil
		},
		Reducers: 1,
	}, nil
}
