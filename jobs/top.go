package jobs

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce"
)

// ranked is a line after its encoded number: the line with the largest number sorts first.
type ranked = mapreduce.Pair[[]byte, []byte]

// Top writes the k lines with the largest numbers, whole and in descending order, equal ones by
// their bytes. The number of a line is its last selected column: an optional sign and decimal
// digits with an optional point, at most 1,024 bytes; other texts are errors. Numbers are compared
// exactly. Its input is [Table.Numbered]. Each map needs memory for 2k lines; a line longer than
// [mapreduce.Task.LargestRecord] that would be kept is an error.
func (t *Table) Top(k int) mapreduce.Job[[]byte, ranked, mapreduce.None, Line] {
	return mapreduce.Job[[]byte, ranked, mapreduce.None, Line]{
		Name: "top",
		MapTask: func(task *mapreduce.Task) (mapreduce.Mapper[[]byte, ranked, mapreduce.None], error) {
			best := firsts{k: k}
			var code []byte
			return mapreduce.Mapper[[]byte, ranked, mapreduce.None]{
				Map: func(rec []byte, _ func(ranked, mapreduce.None)) error {
					text, line := t.number(rec)
					negative, whole, part, good := decimalParts(text)
					if !good {
						return mapreduce.BadRecord(fmt.Errorf("%s is no decimal number", cut(text)))
					}
					code = appendParts(code[:0], negative, whole, part)
					invert(code)
					if !best.takes(code) {
						return nil
					}
					if int64(len(line)) > task.LargestRecord() {
						return fmt.Errorf("%w: a line of %d bytes, of which at most %d are kept",
							mapreduce.ErrRecordTooLarge, len(line), task.LargestRecord())
					}
					best.add(code, line)
					return nil
				},
				Close: func(emit func(ranked, mapreduce.None)) error {
					best.cut()
					for _, r := range best.list {
						emit(r, mapreduce.None{})
					}
					return nil
				},
			}, nil
		},
		ReduceTask: func(*mapreduce.Task) (mapreduce.Reducer[ranked, mapreduce.None, Line], error) {
			left := k
			return mapreduce.Reducer[ranked, mapreduce.None, Line]{
				Reduce: func(r ranked, same iter.Seq[mapreduce.None], emit func(Line)) error {
					for range same {
						if left == 0 {
							break
						}
						emit(Line{First: r.Second})
						left--
					}
					return nil
				},
			}, nil
		},
		Reducers: 1,
	}
}

// firsts collects lines and keeps the k with the smallest codes, their encoded numbers.
type firsts struct {
	k         int
	list      []ranked // at most 2k; reduced to the first k when full
	isReduced bool     // the list was cut to k: a code above lastCode cannot be among the first k
	lastCode  []byte   // the code of the k-th line at that time
}

// takes reports whether a line with this code can be among the first k.
func (f *firsts) takes(code []byte) bool { return !f.isReduced || bytes.Compare(code, f.lastCode) <= 0 }

// add adds a copy of a line and its code, for which takes must be true.
func (f *firsts) add(code, line []byte) {
	if len(f.list)/2 >= f.k {
		f.cut()
		f.isReduced, f.lastCode = true, f.list[f.k-1].First
	}
	f.list = append(f.list, mapreduce.MakePair(bytes.Clone(code), bytes.Clone(line)))
}

// cut sorts the list and drops all lines after the first k.
func (f *firsts) cut() {
	slices.SortFunc(f.list, func(a, b ranked) int {
		return cmp.Or(bytes.Compare(a.First, b.First), bytes.Compare(a.Second, b.Second))
	})
	f.list = f.list[:min(f.k, len(f.list))]
}
