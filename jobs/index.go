package jobs

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Posting says in which files a word stands: how many they are, and their names in order, with
// commas between. In a name a comma, a percent sign and control characters, tab and line feed among
// them, are written as in a URL: %2C, %25, %09, %0A.
type Posting struct {
	Word  []byte
	Files int64
	Names string
}

// nameSeparator stands between file names in a list of names; no file name holds it.
const nameSeparator = 0

// Index makes an inverted index: for each word, as WordCount understands words, the input files in
// which it stands. Its input is Chunks or Lines. A value is a list of names; see [unite].
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

// listed is how a file name stands in a list.
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

// unite appends the names of b to those of a, unless they are the last of a already: so it is
// where a word stands in the file being read once more. A list is neither in order nor without
// doubles before [inOrder] has seen it. Each name is copied as often as append moves what has
// grown, so that a word of n files costs n times a few copies, not their square.
func unite(a, b []byte) []byte {
	if before := len(a) - len(b) - 1; before == -1 || before >= 0 && a[before] == nameSeparator {
		if bytes.HasSuffix(a, b) {
			return a
		}
	}
	return append(append(a, nameSeparator), b...)
}

// inOrder gives the names of a list in order, each once, with commas between, and their number.
func inOrder(list string) (string, int) {
	if strings.IndexByte(list, nameSeparator) < 0 {
		return list, 1
	}
	names := strings.Split(list, string(rune(nameSeparator)))
	slices.Sort(names)
	names = slices.Compact(names)
	return strings.Join(names, ","), len(names)
}
