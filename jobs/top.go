package jobs

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Top writes the k lines with the largest numbers, in descending order, equal ones by the bytes of
// the text. Its input is KeyValueLines of text, tab, decimal integer, as WordCount writes them; its
// output has the same form. k must be at least 1, and each map needs memory for 2k lines; a line
// whose text is longer than [mapreduce.Task.LargestRecord] is an error.
func Top(k int) mapreduce.Job[mapreduce.Pair[[]byte, []byte], CountFirst, mapreduce.None, Count] {
	type pair = mapreduce.Pair[[]byte, []byte]
	type mapper = mapreduce.Mapper[pair, CountFirst, mapreduce.None]
	return mapreduce.Job[pair, CountFirst, mapreduce.None, Count]{
		Name: "top",
		MapTask: func(t *mapreduce.Task) (mapper, error) {
			best := leaders{k: k}
			return mapper{
				Map: func(line pair, _ func(CountFirst, mapreduce.None)) error {
					n, err := number(line.First, line.Second)
					if err != nil {
						return err
					}
					if size := len(line.First); int64(size) > t.LargestRecord() {
						return fmt.Errorf("%w: a text of %d bytes, of which at most %d are kept",
							mapreduce.ErrRecordTooLarge, size, t.LargestRecord())
					}
					best.add(line.First, n)
					return nil
				},
				Close: func(emit func(CountFirst, mapreduce.None)) error {
					for _, c := range best.sorted() {
						emit(mapreduce.MakePair(^c.Second, c.First), mapreduce.None{}) // keys sort in ascending order, so ^n is the largest first; -n could overflow
					}
					return nil
				},
			}, nil
		},
		ReduceTask: func(*mapreduce.Task) (mapreduce.Reducer[CountFirst, mapreduce.None, Count], error) {
			left := k
			return mapreduce.Reducer[CountFirst, mapreduce.None, Count]{
				Reduce: func(key CountFirst, values iter.Seq[mapreduce.None], emit func(Count)) error {
					for range values {
						if left == 0 {
							break
						}
						emit(mapreduce.MakePair(key.Second, ^key.First))
						left--
					}
					return nil
				},
			}, nil
		},
		Reducers: 1,
	}
}

// leaders collects counts and keeps the k with the largest numbers.
type leaders struct {
	k    int
	list []Count // at most 2k; reduced to the first k when full
}

// add adds a count; it copies text.
func (l *leaders) add(text []byte, n int64) {
	if len(l.list)/2 >= l.k {
		l.list = l.sorted()
	}
	l.list = append(l.list, mapreduce.MakePair(bytes.Clone(text), n))
}

// sorted returns the first k counts in order: by descending number, then by text.
func (l *leaders) sorted() []Count {
	slices.SortFunc(l.list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Second, a.Second), bytes.Compare(a.First, b.First))
	})
	return l.list[:min(l.k, len(l.list))]
}
