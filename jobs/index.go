package jobs

import (
	"fmt"
	"iter"

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

// entry is a key of a job that makes lists: the title of a list and a text in it. The engine sorts
// the texts of a list, and removes repeated ones.
type entry = mapreduce.Pair[[]byte, []byte]

// Index builds an inverted index: for each word, as in WordCount, the input files that contain it.
// Its input is Chunks or Lines.
func Index() mapreduce.Job[[]byte, entry, mapreduce.None, Posting] {
	return mapreduce.Job[[]byte, entry, mapreduce.None, Posting]{
		Name: "index",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, entry, mapreduce.None], error) {
			name := listed(nil, []byte(t.InputName()))
			return mapreduce.Mapper[[]byte, entry, mapreduce.None]{
				Map: func(text []byte, emit func(entry, mapreduce.None)) error {
					for word := range mapreduce.Fields(text) {
						emit(mapreduce.MakePair(word, name), mapreduce.None{})
					}
					return nil
				},
			}, nil
		},
		Combine: once,
		ReduceTask: lists(func(list, name []byte) []byte { return append(list, name...) },
			func(word []byte, files int64, names []byte) Posting {
				return Posting{Word: word, Files: files, Names: names}
			}),
		GroupFields: 1,
	}
}

// once is the Combine of a job whose keys are written once, without values.
func once(mapreduce.None, mapreduce.None) mapreduce.None { return mapreduce.None{} }

// lists returns the reduce that writes a list for each title. add appends a text to a list, in which
// commas separate texts; list returns the record for a title and its n texts, which are valid until
// it is written.
func lists[O any](
	add func(list, text []byte) []byte, list func(title []byte, n int64, texts []byte) O,
) func(*mapreduce.Task) (mapreduce.Reducer[entry, mapreduce.None, O], error) {
	return func(*mapreduce.Task) (mapreduce.Reducer[entry, mapreduce.None, O], error) {
		var title, texts []byte // each list in the memory of the last one: a list may have megabytes
		return mapreduce.Reducer[entry, mapreduce.None, O]{
			Pairs: func(entries iter.Seq2[entry, mapreduce.None], emit func(O)) error {
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
