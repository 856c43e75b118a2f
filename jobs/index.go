package jobs

import (
	"fmt"
	"iter"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Posting says in which files a word stands: how many they are, and their names in order, with commas between. In a name
// a comma, a percent sign and control characters, tab and line feed among them, are written as in a URL: %2C, %25, %09, %0A.
type Posting struct {
	Word  []byte
	Files int64
	Names string
}

// nameSeparator stands between file names in a list of names; no file name holds it.
const nameSeparator = "\x00"

// Index makes an inverted index: for each word, as WordCount understands words, the input files in which it stands. Its
// input is Chunks or Lines. A value is a set of names in several lists; see [unite].
func Index() mapreduce.Job[[]byte, []byte, []string, Posting] {
	return mapreduce.Job[[]byte, []byte, []string, Posting]{
		Name: "index",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, []string], error) {
			name := []string{listed(t.InputName())}
			return mapreduce.Mapper[[]byte, []byte, []string]{
				MapWords: func(text []byte, words func([]byte, []string)) error {
					words(text, name)
					return nil
				},
			}, nil
		},
		Combine: unite,
		Reduce: func(word []byte, sets iter.Seq[[]string], emit func(Posting)) error {
			var lists []string
			for s := range sets {
				if lists == nil {
					lists = s
				} else {
					lists = unite(lists, s)
				}
			}
			names := joinAll(lists)
			emit(Posting{
				Word:  word,
				Files: int64(1 + strings.Count(names, nameSeparator)),
				Names: strings.ReplaceAll(names, nameSeparator, ","),
			})
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

// unite adds the names of b to those of a. A set is a few lists of names in order without
// doubles, each at least twice as long as the one behind it, but for the last one: that of
// the file being read. So each name is copied as often as its list doubles, and a word of
// a hundred thousand files costs a hundred thousand times a few copies, not their square.
func unite(a, b []string) []string {
	if len(a) > 0 && len(b) == 1 && a[len(a)-1] == b[0] {
		return a
	}
	lists := make([]string, 0, len(a)+len(b))
	for _, s := range [2][]string{a, b} {
		for _, l := range s {
			lists = append(settle(lists), l)
		}
	}
	return lists
}

// settle joins the last lists until each is at least twice as long as the next; it changes
// lists.
func settle(lists []string) []string {
	for n := len(lists); n >= 2 && len(lists[n-2]) < 2*len(lists[n-1]); n-- {
		lists[n-2] = join(lists[n-2], lists[n-1])
		lists = lists[:n-1]
	}
	return lists
}

// joinAll makes one list of all, of which there is one at least.
func joinAll(lists []string) string {
	last := len(lists) - 1
	all := lists[last]
	for i := last - 1; i >= 0; i-- {
		all = join(lists[i], all)
	}
	return all
}

// join joins two lists of names in order and drops doubles.
func join(a, b string) string {
	switch {
	case a == b:
		return a
	case lastOf(a) < firstOf(b):
		return a + nameSeparator + b
	case lastOf(b) < firstOf(a):
		return b + nameSeparator + a
	}
	out := make([]byte, 0, len(a)+len(nameSeparator)+len(b))
	x, y := names{rest: a, more: true}, names{rest: b, more: true}
	x.next()
	y.next()
	for x.ok || y.ok {
		order := x.compare(&y)
		if order <= 0 {
			out = append(out, x.name...)
			x.next()
		} else {
			out = append(out, y.name...)
		}
		if order >= 0 {
			y.next()
		}
		out = append(out, nameSeparator...)
	}
	return string(out[:len(out)-len(nameSeparator)])
}

// names goes through a list.
type names struct {
	name, rest string
	ok, more   bool // there is a name; there is a rest
}

func (n *names) next() {
	if n.ok = n.more; n.ok {
		n.name, n.rest, n.more = strings.Cut(n.rest, nameSeparator)
	}
}

// compare says whose name comes first; what has ended comes last.
func (n *names) compare(o *names) int {
	switch {
	case !o.ok:
		return -1
	case !n.ok:
		return 1
	}
	return strings.Compare(n.name, o.name)
}

func firstOf(list string) string {
	name, _, _ := strings.Cut(list, nameSeparator)
	return name
}

func lastOf(list string) string { return list[strings.LastIndex(list, nameSeparator)+1:] }
