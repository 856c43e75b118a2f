package jobs

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Posting lists the files that contain a word: their count and their names, sorted and separated by
// commas. In names, commas, percent signs and control characters, including tab and line feed, are
// written as in a URL: %2C, %25, %09, %0A.
type Posting struct {
	Word  []byte
	Files int64
	Names []byte
}

// entry is a key of a job that makes lists: the title of a list and something in it. The engine
// sorts what is in a list, and removes what is repeated.
type entry[T any] = mapreduce.Pair[[]byte, T]

// Index builds an inverted index of files: for each word, as in WordCount, those that contain it.
// Its input is Chunks or Lines of the files; a map of another one fails.
func Index(files ...mapreduce.Source) mapreduce.Job[[]byte, entry[uint32], mapreduce.None, Posting] {
	// A key has the index of a name in this sorted list: with names in keys, Index takes twice as
	// long.
	var names [][]byte
	for _, f := range files {
		names = append(names, listed(nil, []byte(f.Name())))
	}
	slices.SortFunc(names, bytes.Compare)
	return mapreduce.Job[[]byte, entry[uint32], mapreduce.None, Posting]{
		Name: "index",
		MapTask: func(t *mapreduce.Task) (m mapreduce.Mapper[[]byte, entry[uint32], mapreduce.None], err error) {
			at, found := slices.BinarySearchFunc(names, listed(nil, []byte(t.InputName())), bytes.Compare)
			if !found {
				return m, mapreduce.Permanent(fmt.Errorf("jobs.Index: %s is not one of its files", t.InputName()))
			}
			m.Map = func(text []byte, emit func(entry[uint32], mapreduce.None)) error {
				for word := range mapreduce.Fields(text) {
					emit(mapreduce.MakePair(word, uint32(at)), mapreduce.None{}) //nolint:gosec // fewer files
				}
				return nil
			}
			return m, nil
		},
		Combine: once,
		ReduceTask: lists(func(list []byte, file uint32) []byte { return append(list, names[file]...) },
			func(word []byte, files int64, list []byte) Posting {
				return Posting{Word: word, Files: files, Names: list}
			}),
		GroupFields: 1,
	}
}

// WordFiles returns a job that writes each word of its input with the name of the file, as in
// Posting.Names, in the order of the input: what Index counts. Its input is Chunks or Lines.
func WordFiles() mapreduce.MapOnly[[]byte, entry[[]byte]] {
	return mapreduce.MapOnly[[]byte, entry[[]byte]]{
		Name: "index",
		MapTask: func(t *mapreduce.Task) (mapreduce.Filter[[]byte, entry[[]byte]], error) {
			name := listed(nil, []byte(t.InputName()))
			return mapreduce.Filter[[]byte, entry[[]byte]]{Map: func(text []byte, emit func(entry[[]byte])) error {
				for word := range mapreduce.Fields(text) {
					emit(mapreduce.MakePair(word, name))
				}
				return nil
			}}, nil
		},
	}
}

// once is the Combine of a job whose keys are written once, without values.
func once(mapreduce.None, mapreduce.None) mapreduce.None { return mapreduce.None{} }

// lists returns the reduce that writes a list for each title. add appends the text of x to a list,
// in which commas separate texts; list returns the record for a title and its n texts, which are
// valid until it is written.
func lists[T, O any](
	add func(list []byte, x T) []byte, list func(title []byte, n int64, texts []byte) O,
) func(*mapreduce.Task) (mapreduce.Reducer[entry[T], mapreduce.None, O], error) {
	return func(*mapreduce.Task) (mapreduce.Reducer[entry[T], mapreduce.None, O], error) {
		var title, texts []byte // each list in the memory of the last one: a list may have megabytes
		return mapreduce.Reducer[entry[T], mapreduce.None, O]{
			Pairs: func(entries iter.Seq2[entry[T], mapreduce.None], emit func(O)) error {
				texts = texts[:0]
				n := int64(0)
				for e := range entries {
					if n++; n == 1 {
						title = append(title[:0], e.First...)
					} else {
						texts = append(texts, ',')
					}
					texts = add(texts, e.Second)
				}
				emit(list(title, n, texts))
				return nil
			},
		}, nil
	}
}

// listed appends a text to a list as Posting.Names has it, with some characters as %XX.
func listed(list, text []byte) []byte {
	for _, c := range text {
		if c < ' ' || c == 0x7f || c == ',' || c == '%' {
			list = fmt.Appendf(list, "%%%02X", c)
		} else {
			list = append(list, c)
		}
	}
	return list
}
