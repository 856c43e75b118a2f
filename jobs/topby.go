package jobs

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce"
)

// TopOptions are the options of TopBy.
type TopOptions struct {
	// Lines is the number of lines to write, at least 1.
	Lines int
	// Column is the column of the numbers, from 1; 0 means the last column.
	Column int
	// Separator is the byte between columns; 0 means a tab.
	Separator byte
}

// ranked is a line after its encoded number: the line with the largest number sorts first.
type ranked = mapreduce.Pair[[]byte, []byte]

// Numbered is a line with the number, as text, by which TopNumbered ranks it.
type Numbered = mapreduce.Pair[[]byte, []byte]

// TopBy writes the lines with the largest numbers in a column, whole and in descending order, equal
// ones by their bytes. A number has an optional sign and decimal digits with an optional point, at
// most 1,024 bytes; other texts are errors. Numbers are compared exactly. Its input is Lines, so it
// can read any job's output; a carriage return at the end of a line is not part of its number. Each
// map needs memory for 2 times o.Lines lines; a line longer than [mapreduce.Task.LargestRecord]
// that would be kept is an error.
func TopBy(o TopOptions) mapreduce.Job[[]byte, ranked, mapreduce.None, Line] {
	return topOf(o.Lines, func(line []byte) (text, _ []byte) {
		return o.column(withoutCR(line)), line
	})
}

// TopNumbered is TopBy for records that come with their number, such as rows of CSV.
func TopNumbered(lines int) mapreduce.Job[Numbered, ranked, mapreduce.None, Line] {
	return topOf(lines, func(rec Numbered) (text, line []byte) { return rec.First, rec.Second })
}

// topOf returns a job that writes the k lines with the largest numbers. read returns the number and
// the line of a record.
func topOf[I any](k int, read func(rec I) (text, line []byte)) mapreduce.Job[I, ranked, mapreduce.None, Line] {
	return mapreduce.Job[I, ranked, mapreduce.None, Line]{
		Name: "top",
		MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[I, ranked, mapreduce.None], error) {
			best := firsts{k: k}
			var code []byte
			return mapreduce.Mapper[I, ranked, mapreduce.None]{
				Map: func(rec I, _ func(ranked, mapreduce.None)) error {
					text, line := read(rec)
					if _, _, _, good := decimalParts(text); !good {
						return mapreduce.Bad(fmt.Errorf("%s is no decimal number", cut(text)))
					}
					code = appendNumber(code[:0], bytes.TrimPrefix(text, []byte{'+'}))
					invert(code)
					if !best.takes(code) {
						return nil
					}
					if int64(len(line)) > t.LargestRecord() {
						return fmt.Errorf("%w: a line of %d bytes, of which at most %d are kept",
							mapreduce.ErrRecordTooLarge, len(line), t.LargestRecord())
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

// column returns the text in the column, empty if the line has no such column.
func (o TopOptions) column(line []byte) []byte {
	separator := []byte{cmp.Or(o.Separator, '\t')}
	if o.Column == 0 {
		return line[bytes.LastIndexByte(line, separator[0])+1:]
	}
	for range o.Column - 1 {
		_, line, _ = bytes.Cut(line, separator)
	}
	text, _, _ := bytes.Cut(line, separator)
	return text
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
