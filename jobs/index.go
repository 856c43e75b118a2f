package jobs

import (
	"iter"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Posting says in which files a word stands: how many they are, and their names in order, with commas between.
type Posting struct {
	Word  []byte
	Files int64
	Names string
}

// nameSeparator stands between file names in a value; no file name holds it.
const nameSeparator = "\x00"

// Index makes an inverted index: for each word, as WordCount understands words, the input files in which it stands. Its
// input is Chunks or Lines.
func Index() mapreduce.Job[[]byte, []byte, string, Posting] {
	return mapreduce.Job[[]byte, []byte, string, Posting]{
		Name: "index",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, string], error) {
			name := t.InputName()
			return mapreduce.Mapper[[]byte, []byte, string]{
				MapWords: func(text []byte, words func([]byte, string)) error {
					words(text, name)
					return nil
				},
			}, nil
		},
		Combine: unite,
		Reduce: func(word []byte, names iter.Seq[string], emit func(Posting)) error {
			all := ""
			for n := range names {
				if all == "" {
					all = n
				} else {
					all = unite(all, n)
				}
			}
			emit(Posting{
				Word:  word,
				Files: int64(1 + strings.Count(all, nameSeparator)),
				Names: strings.ReplaceAll(all, nameSeparator, ","),
			})
			return nil
		},
	}
}

// unite joins two sorted lists of names and drops doubles.
func unite(a, b string) string {
	if a == b {
		return a
	}
	names := append(strings.Split(a, nameSeparator), strings.Split(b, nameSeparator)...)
	slices.Sort(names)
	return strings.Join(slices.Compact(names), nameSeparator)
}
