package jobs

import (
	"encoding/binary"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce"
)

// SortOptions change how Sort sorts. The zero value sorts in ascending order and keeps equal lines.
type SortOptions struct {
	// Reverse sorts in descending order.
	Reverse bool
	// Unique writes equal lines once.
	Unique bool
}

// Line is a line of Sort's output: the line is the key, without a value.
type Line = mapreduce.Pair[[]byte, mapreduce.None]

// Sort sorts lines by their bytes, like `LC_ALL=C sort`: the concatenated parts are sorted. Its
// input is Lines.
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

// SortByOptions are the options of SortBy. The zero value sorts in ascending order by the whole
// line and keeps lines that compare equal.
type SortByOptions struct {
	// Keys are compared in order until one differs; without keys the whole line is compared.
	Keys []SortKey
	// Separator is the byte between fields. 0 means that a field is a run of spaces and tabs and
	// the text up to the next such run: leading blanks belong to the field.
	Separator byte
	// Numeric, Fold, SkipBlanks and Reverse apply to keys that set none of these themselves.
	Numeric, Fold, SkipBlanks bool
	// Reverse sorts in descending order, including lines whose keys are equal.
	Reverse bool
	// Unique writes only the first line, in input order, of lines with equal keys.
	Unique bool
	// Stable keeps lines with equal keys in input order; otherwise their bytes decide.
	Stable bool
}

// SortBy sorts lines by keys, like `LC_ALL=C sort` with -k, -t, -n, -f, -b, -r, -u and -s: the
// concatenated parts are sorted. Its input is Lines. The error for an invalid key wraps ErrSortKey.
//
// A number consists of optional blanks, an optional minus sign and decimal digits with an optional
// point, of any length. Text after it is ignored, and no digits mean 0. Numbers are compared
// exactly.
func SortBy(o SortByOptions) (mapreduce.Job[[]byte, []byte, []byte, Line], error) {
	var none mapreduce.Job[[]byte, []byte, []byte, Line]
	keys, err := o.sortKeys()
	if err != nil {
		return none, err
	}
	return mapreduce.Job[[]byte, []byte, []byte, Line]{
		Name:       "sort",
		MapTask:    func(*mapreduce.Task) (mapreduce.Mapper[[]byte, []byte, []byte], error) { return keys.mapper(), nil },
		Reduce:     keys.reduce,
		TotalOrder: true,
		Descending: o.Reverse,
	}, nil
}

// mapper returns a map that emits each line with its encoded sort keys as key. If the bytes of
// equal lines decide, they follow in the key, and the value is the length of the encoded sort keys.
func (k sortKeys) mapper() mapreduce.Mapper[[]byte, []byte, []byte] {
	var key, size []byte
	return mapreduce.Mapper[[]byte, []byte, []byte]{Map: func(line []byte, emit func([]byte, []byte)) error {
		if key = k.appendTo(key[:0], line); k.stable {
			emit(key, line)
			return nil
		}
		size = binary.AppendUvarint(size[:0], uint64(len(key)))
		key = append(key, line...)
		emit(key, size)
		return nil
	}}
}

// reduce writes the lines of a key that mapper has emitted.
func (k sortKeys) reduce(key []byte, values iter.Seq[[]byte], emit func(Line)) error {
	for line := range values {
		if !k.stable {
			n, _ := binary.Uvarint(line)
			line = key[n:]
		}
		emit(Line{First: line})
		if k.unique {
			break
		}
	}
	return nil
}
