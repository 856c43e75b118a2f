package jobs

import (
	"encoding/binary"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// SortOptions change how Sort sorts. The zero value sorts upward and keeps equal lines.
type SortOptions struct {
	// Reverse sorts downward.
	Reverse bool
	// Unique writes equal lines once.
	Unique bool
}

// Line is a line as Sort writes it.
type Line = mapreduce.Pair[[]byte, mapreduce.None]

// Sort sorts lines by their bytes, as `LC_ALL=C sort` does: the parts one after the other are
// sorted as a whole. Its input is Lines.
func Sort(o SortOptions) mapreduce.Job[[]byte, []byte, mapreduce.None, Line] {
	job := mapreduce.Job[[]byte, []byte, mapreduce.None, Line]{
		Name: "sort",
		Map: func(line []byte, emit func([]byte, mapreduce.None)) error {
			emit(line, mapreduce.None{})
			return nil
		},
		TotalOrder: true,
		Descending: o.Reverse,
	}
	if o.Unique {
		job.Reduce = func(line []byte, _ iter.Seq[mapreduce.None], emit func(Line)) error {
			emit(Line{First: line})
			return nil
		}
	}
	return job
}

// SortByOptions say by what SortBy sorts. The zero value sorts upward by the whole line and keeps
// lines that compare equal.
type SortByOptions struct {
	// Keys are compared one after the other, until one differs; none is the whole line.
	Keys []SortKey
	// Separator stands between fields. 0 means that a field is a run of spaces and tabs and what
	// follows it up to the next: the blanks before a field are part of it.
	Separator byte
	// Numeric, Fold, SkipBlanks and Reverse are for keys that have none of these of their own.
	Numeric, Fold, SkipBlanks bool
	// Reverse sorts downward, also lines whose keys are equal.
	Reverse bool
	// Unique writes of lines with equal keys the first one of the input.
	Unique bool
	// Stable keeps lines with equal keys in the order of the input; otherwise their bytes decide.
	Stable bool
}

// SortBy sorts lines by keys, as `LC_ALL=C sort` with -k, -t, -n, -f, -b, -r, -u and -s does: the parts
// one after the other are sorted as a whole. Its input is Lines. The error of a key that cannot be
// wraps ErrSortKey.
//
// A number is blanks, a minus sign and decimal digits with a point among them, each of which may
// be missing, of any length; it ends where it ends, and no digits are 0. Numbers are compared
// exactly.
func SortBy(o SortByOptions) (mapreduce.Job[[]byte, []byte, []byte, Line], error) {
	var none mapreduce.Job[[]byte, []byte, []byte, Line]
	keys, err := o.sortKeys()
	if err != nil {
		return none, err
	}
	job := mapreduce.Job[[]byte, []byte, []byte, Line]{
		Name: "sort",
		MapTask: func(*mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, []byte], error) {
			return mapreduce.Mapper[[]byte, []byte, []byte]{Map: keys.byKeyAndLine()}, nil
		},
		Reduce:     withoutKeys,
		TotalOrder: true,
		Descending: o.Reverse,
	}
	if o.Stable || o.Unique {
		job.MapTask = func(*mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, []byte], error) {
			return mapreduce.Mapper[[]byte, []byte, []byte]{Map: keys.byKey()}, nil
		}
		job.Reduce = func(_ []byte, lines iter.Seq[[]byte], emit func(Line)) error {
			for line := range lines {
				emit(Line{First: line})
				if o.Unique {
					break
				}
			}
			return nil
		}
	}
	return job, nil
}

// byKeyAndLine emits what keys encode a line to, with the line behind it, and how long the former
// is.
func (k sortKeys) byKeyAndLine() func(line []byte, emit func([]byte, []byte)) error {
	var buf, size []byte
	return func(line []byte, emit func([]byte, []byte)) error {
		buf = k.appendTo(buf[:0], line)
		size = binary.AppendUvarint(size[:0], uint64(len(buf)))
		buf = append(buf, line...)
		emit(buf, size)
		return nil
	}
}

// withoutKeys is the reduce of what byKeyAndLine emits.
func withoutKeys(key []byte, sizes iter.Seq[[]byte], emit func(Line)) error {
	for size := range sizes {
		n, _ := binary.Uvarint(size)
		emit(Line{First: key[n:]})
	}
	return nil
}

// byKey emits what keys encode a line to, and the line.
func (k sortKeys) byKey() func(line []byte, emit func([]byte, []byte)) error {
	var buf []byte
	return func(line []byte, emit func([]byte, []byte)) error {
		buf = k.appendTo(buf[:0], line)
		emit(buf, line)
		return nil
	}
}
