package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"iter"

	"github.com/tarry-mr/tarry/jobs/internal/search"
	"github.com/tarry-mr/tarry/mapreduce"
)

// ErrSameName is wrapped by the error for two inputs of the same name, from jobs that tell files
// apart by name.
var ErrSameName = errors.New("jobs: two inputs have one name")

// differentNames returns an error if two sources have the same name.
func differentNames(src []mapreduce.Source) error {
	seen := map[string]bool{}
	for _, s := range src {
		if seen[s.Name()] {
			return fmt.Errorf("%w: %s", ErrSameName, cut([]byte(s.Name())))
		}
		seen[s.Name()] = true
	}
	return nil
}

// GrepNumbered is Grep with the number of each line before it, from 1 in each file, like `grep -h
// -a -n`. Its input is Chunks of src, its output Raw.
//
// A map does not know how many lines of its file precede its split. Therefore maps number lines
// within their split and count them, and a single reduce adds up the counts in input order. It
// detects the start of a file by the file's name: if two sources have the same name, the error
// wraps ErrSameName. Other errors wrap ErrPattern.
//
// A key is the number of a split. A value is a number and a text: 0 and the file's name at the
// start of a split; a line's number and the text to write; and minus the number of lines at the
// end.
func GrepNumbered(
	pattern string, o GrepOptions, src ...mapreduce.Source,
) (mapreduce.Job[[]byte, int64, CountFirst, []byte], error) {
	p, err := o.compile(pattern)
	if err == nil {
		err = differentNames(src)
	}
	if err != nil {
		return mapreduce.Job[[]byte, int64, CountFirst, []byte]{}, err
	}
	return mapreduce.Job[[]byte, int64, CountFirst, []byte]{
		Name: "grep-numbered",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, int64, CountFirst], error) {
			return newPrinter(p, o, t).numbering(int64(t.ID().Index)), nil
		},
		ReduceTask: func(t *mapreduce.Task) (mapreduce.Reducer[int64, CountFirst, []byte], error) {
			return newPrinter(p, o, t).adding(), nil
		},
		Reducers: 1,
	}, nil
}

// numbering returns the map of GrepNumbered: it emits lines with their numbers in its split.
func (p *printer) numbering(split int64) mapreduce.Mapper[[]byte, int64, CountFirst] {
	n, begun := int64(0), false
	return mapreduce.Mapper[[]byte, int64, CountFirst]{
		Map: func(chunk []byte, emit func(int64, CountFirst)) error {
			if !begun {
				emit(split, mapreduce.MakePair(int64(0), p.name))
				begun = true
			}
			done := 0 // bytes of the chunk up to the last counted line
			p.lines(chunk, func(line []byte) {
				at := cap(chunk) - cap(line) // offset of the line in the chunk
				n += int64(bytes.Count(chunk[done:at], []byte{'\n'})) + 1
				done = at + len(line)
				p.texts(line, func(text []byte) { emit(split, mapreduce.MakePair(n, text)) })
			})
			n += search.CountLines(chunk[done:])
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

// adding returns the reduce of GrepNumbered: it adds the lines of earlier splits to each number.
func (p *printer) adding() mapreduce.Reducer[int64, CountFirst, []byte] {
	earlier := int64(0) // lines of the file in earlier splits
	return mapreduce.Reducer[int64, CountFirst, []byte]{
		Reduce: func(_ int64, places iter.Seq[CountFirst], emit func([]byte)) error {
			for place := range places {
				switch n := place.First; {
				case n > 0:
					emit(p.printed(earlier+n, place.Second))
				case n < 0:
					earlier -= n
				case !bytes.Equal(place.Second, p.name):
					p.name, earlier = append(p.name[:0], place.Second...), 0
				}
			}
			return nil
		},
	}
}

// GrepFiles writes the names of the files with selected lines, one per line in input order, like
// `grep -l`. Its input is Chunks of src, its output Raw. If two sources have the same name, the
// error wraps ErrSameName; other errors wrap ErrPattern. OnlyMatching and FileNames have no effect.
// A map stops searching once it has found selected lines; LinesSelected counts the lines found
// until then.
func GrepFiles(
	pattern string, o GrepOptions, src ...mapreduce.Source,
) (mapreduce.Job[[]byte, int64, []byte, []byte], error) {
	p, err := o.compile(pattern)
	if err == nil {
		err = differentNames(src)
	}
	if err != nil {
		return mapreduce.Job[[]byte, int64, []byte, []byte]{}, err
	}
	return mapreduce.Job[[]byte, int64, []byte, []byte]{
		Name: "grep-files",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, int64, []byte], error) {
			return newPrinter(p, o, t).naming(int64(t.ID().Index)), nil
		},
		ReduceTask: func(t *mapreduce.Task) (mapreduce.Reducer[int64, []byte, []byte], error) {
			out, any := newPrinter(p, o, t), false
			return mapreduce.Reducer[int64, []byte, []byte]{
				Reduce: func(_ int64, names iter.Seq[[]byte], emit func([]byte)) error {
					for name := range names {
						if any && bytes.Equal(name, out.name) {
							continue // an earlier split has written the name
						}
						any, out.name = true, append(out.name[:0], name...)
						emit(append(out.colored(out.line[:0], colorName, name), '\n'))
					}
					return nil
				},
			}, nil
		},
		Reducers: 1,
	}, nil
}

// naming returns the map of GrepFiles. It emits the file's name for the first chunk with a selected
// line, and then stops searching.
func (p *printer) naming(split int64) mapreduce.Mapper[[]byte, int64, []byte] {
	found := false
	return mapreduce.Mapper[[]byte, int64, []byte]{
		Map: func(chunk []byte, emit func(int64, []byte)) error {
			if found {
				return nil
			}
			n := p.pattern.Count(chunk)
			if p.o.Invert {
				n = search.CountLines(chunk) - n
			}
			if found = n > 0; found {
				p.selected.Add(n)
				emit(split, p.name)
			}
			return nil
		},
	}
}
