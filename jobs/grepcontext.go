package jobs

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	"github.com/tarry-mr/tarry/jobs/internal/search"
	"github.com/tarry-mr/tarry/mapreduce"
)

// Context determines which lines GrepContext writes besides the selected ones.
type Context struct {
	// Before and After are the numbers of lines before and after each selected line.
	Before, After int
	// Numbers adds line numbers, from 1 in each file.
	Numbers bool
}

// GrepContext is Grep with context lines, like `grep -h -a -B -A`. Names and numbers are followed
// by a colon for selected lines and a dash for context lines. A line of two dashes separates lines
// that are not adjacent. Its input is Chunks of src, its output Raw. Errors are those of
// GrepNumbered; OnlyMatching is an error.
//
// A line in one split can be the context of a line in another. So maps also emit lines that may be
// context: those near a selected line, and the first and last ones of each chunk. The single reduce
// numbers all lines, as in GrepNumbered, and chooses. In a value, a line's number is doubled, plus
// one if the line is selected.
func GrepContext(
	pattern string, o GrepOptions, c Context, src ...mapreduce.Source,
) (mapreduce.Job[[]byte, int64, CountFirst, []byte], error) {
	p, err := o.compile(pattern)
	if err == nil {
		err = differentNames(src)
	}
	if err == nil && o.OnlyMatching {
		err = fmt.Errorf("%w: matches without their lines have no context", ErrPattern)
	}
	if err != nil {
		return mapreduce.Job[[]byte, int64, CountFirst, []byte]{}, err
	}
	return mapreduce.Job[[]byte, int64, CountFirst, []byte]{
		Name: "grep-context",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, int64, CountFirst], error) {
			return newPrinter(p, o, t).withContext(int64(t.ID().Index), c), nil
		},
		ReduceTask: func(t *mapreduce.Task) (mapreduce.Reducer[int64, CountFirst, []byte], error) {
			w := &contextWriter{printer: newPrinter(p, o, t), c: c}
			return mapreduce.Reducer[int64, CountFirst, []byte]{Reduce: w.reduce}, nil
		},
		Reducers: 1,
	}, nil
}

// withContext returns the map of GrepContext: it emits selected lines, and possible context.
func (p *printer) withContext(split int64, c Context) mapreduce.Mapper[[]byte, int64, CountFirst] {
	n, begun := int64(0), false
	return mapreduce.Mapper[[]byte, int64, CountFirst]{
		Map: func(chunk []byte, emit func(int64, CountFirst)) error {
			if !begun {
				emit(split, mapreduce.MakePair(int64(0), p.name))
				begun = true
			}
			place := func(line []byte, selected int64) {
				n++
				p.textsOf(line, selected == 1, func(text []byte) { emit(split, mapreduce.MakePair(2*n+selected, text)) })
			}
			beside := func(lines []byte) {
				c.near(lines, func(skipped int64) { n += skipped }, func(line []byte) { place(line, 0) })
			}
			done := 0 // bytes of the chunk up to the last counted line
			p.lines(chunk, func(line []byte) {
				at := cap(chunk) - cap(line) // offset of the line in the chunk
				beside(chunk[done:at])
				place(line, 1)
				done = at + len(line)
			})
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
		end := bytes.IndexByte(lines, '\n') + 1
		if end == 0 {
			end = len(lines)
		}
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
	if w.hasWritten && n != w.lastLine+1 {
		emit(append(w.colored(w.line[:0], colorSeparator, []byte("--")), '\n'))
	}
	w.hasWritten, w.lastLine = true, n
	if !w.c.Numbers {
		n = 0
	}
	emit(w.printedWith(separator, n, text))
}
