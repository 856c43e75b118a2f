package jobs

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Posting lists the files that contain a word: their count and their names, sorted and separated by
// commas. In names, commas, percent signs and control characters, including tab and line feed, are
// written as in a URL: %2C, %25, %09, %0A.
type Posting struct {
	Word  []byte
	Files int64
	Names string
}

// nameSeparator separates the names in a value of Index; no file name contains it.
const nameSeparator = 0

// Index builds an inverted index: for each word, as in WordCount, the input files that contain it.
// Its input is Chunks or Lines. A value is a list of names; see [unite].
func Index() mapreduce.Job[[]byte, []byte, []byte, Posting] {
	return mapreduce.Job[[]byte, []byte, []byte, Posting]{
		Name: "index",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, []byte], error) {
			name := slices.Clip([]byte(listed(t.InputName())))
			return mapreduce.Mapper[[]byte, []byte, []byte]{
				Map: func(text []byte, emit func([]byte, []byte)) error {
					for word := range mapreduce.Fields(text) {
						emit(word, name)
					}
					return nil
				},
			}, nil
		},
		Combine: unite,
		Reduce: func(word []byte, lists iter.Seq[[]byte], emit func(Posting)) error {
			var all []byte
			for l := range lists {
				if all == nil {
					all = append(make([]byte, 0, len(l)), l...)
				} else {
					all = unite(all, l)
				}
			}
			names, files := inOrder(string(all))
			emit(Posting{Word: word, Files: int64(files), Names: names})
			return nil
		},
	}
}

// listed returns a file name as Posting.Names has it, with some characters as %XX.
func listed(name string) string {
	var b []byte
	for _, c := range []byte(name) {
		if c < ' ' || c == 0x7f || c == ',' || c == '%' {
			b = fmt.Appendf(b, "%%%02X", c)
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}

// unite returns list a with the names of list b appended, unless a ends with them, as for a
// repeated word in the current file. A list may have duplicates in any order, which [inOrder]
// removes. Appending is amortized: a word in n files costs a few times n copies, not n².
func unite(a, b []byte) []byte {
	if before := len(a) - len(b) - 1; before == -1 || before >= 0 && a[before] == nameSeparator {
		if bytes.HasSuffix(a, b) {
			return a
		}
	}
	return append(append(a, nameSeparator), b...)
}

// inOrder returns the distinct names of a list, sorted and separated by commas, and their number.
func inOrder(list string) (string, int) {
	if strings.IndexByte(list, nameSeparator) < 0 {
		return list, 1
	}
	names := strings.Split(list, string(rune(nameSeparator)))
	slices.Sort(names)
	names = slices.Compact(names)
	return strings.Join(names, ","), len(names)
}
