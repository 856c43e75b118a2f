package jobs

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"math/big"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
)

// withoutCR returns a line without the carriage return that Windows files have before a line feed.
func withoutCR(line []byte) []byte { return bytes.TrimSuffix(line, []byte{'\r'}) }

// columnOf returns the text in column n of a line, counted from 1. Separator 0 means a tab. A line
// with fewer columns is an error.
func columnOf(line []byte, separator byte, n int) ([]byte, error) {
	rest, between := line, []byte{cmp.Or(separator, '\t')}
	for range n - 1 {
		var found bool
		if _, rest, found = bytes.Cut(rest, between); !found {
			return nil, mapreduce.Bad(fmt.Errorf("no column %d", n))
		}
	}
	text, _, _ := bytes.Cut(rest, between)
	return text, nil
}

// DistinctOptions select the text of a line that Distinct uses. The zero value selects the whole
// line.
type DistinctOptions struct {
	// Column is the column, from 1; 0 means the whole line.
	Column int
	// Separator is the byte between columns; 0 means a tab.
	Separator byte
}

func (o DistinctOptions) text(line []byte) ([]byte, error) {
	if o.Column <= 0 {
		return line, nil
	}
	return columnOf(withoutCR(line), o.Separator, o.Column)
}

// Distinct writes each distinct line, or each distinct text of a column, once, in byte order within
// each part. Its input is Lines. A line without the column is an error. A trailing carriage return
// is part of the line, as for sort -u, but not of its last column.
func Distinct(o DistinctOptions) mapreduce.Job[[]byte, []byte, mapreduce.None, Line] {
	return mapreduce.Job[[]byte, []byte, mapreduce.None, Line]{
		Name: "distinct",
		Map: func(line []byte, emit func([]byte, mapreduce.None)) error {
			text, err := o.text(line)
			if err == nil {
				emit(text, mapreduce.None{})
			}
			return err
		},
		Combine: func(mapreduce.None, mapreduce.None) mapreduce.None { return mapreduce.None{} },
		Reduce: func(text []byte, _ iter.Seq[mapreduce.None], emit func(Line)) error {
			emit(Line{First: text})
			return nil
		},
	}
}

// DistinctCount writes each text that Distinct writes, with its number of lines, as `uniq -c` does.
func DistinctCount(o DistinctOptions) mapreduce.Job[[]byte, []byte, int64, Count] {
	return mapreduce.Job[[]byte, []byte, int64, Count]{
		Name: "distinct",
		Map: func(line []byte, emit func([]byte, int64)) error {
			text, err := o.text(line)
			if err == nil {
				emit(text, 1)
			}
			return err
		},
		Sum:    true,
		Reduce: total,
	}
}

// HistogramOptions are the options of Histogram.
type HistogramOptions struct {
	// Width is the width of a bucket: a decimal number as Mean reads them, above 0.
	Width string
	// Column is the column of the numbers, from 1; 0 means the whole line.
	Column int
	// Separator is the byte between columns; 0 means a tab.
	Separator byte
}

// Bucket is the lower bound of a bucket, as text, and how many numbers are in the bucket.
type Bucket = mapreduce.Pair[string, int64]

// Histogram counts decimal numbers, as Mean reads them, in buckets of equal width, one of which
// begins at 0. For each non-empty bucket it writes the lower bound, which is included, and the
// count, in ascending order over all parts. All arithmetic is exact. Its input is Lines. It returns
// an error for an invalid width; numbers more than 2 to the 63rd buckets from 0 are errors.
func Histogram(o HistogramOptions) (mapreduce.Job[[]byte, int64, int64, Bucket], error) {
	var none mapreduce.Job[[]byte, int64, int64, Bucket]
	w, good := parseDecimal([]byte(o.Width))
	width := w.units()
	if !good || width.Sign() <= 0 {
		return none, fmt.Errorf("jobs: a width of %s: want a decimal number above 0", cut([]byte(o.Width)))
	}
	return mapreduce.Job[[]byte, int64, int64, Bucket]{
		Name: "histogram",
		Map: func(line []byte, emit func(int64, int64)) error {
			text, err := DistinctOptions{o.Column, o.Separator}.text(line)
			if err != nil {
				return err
			}
			n, err := decimal(line, withoutCR(text))
			if err != nil {
				return err
			}
			bucket := n.units()
			bucket.Div(bucket, width) // Euclidean division, which rounds down for widths above 0
			if !bucket.IsInt64() {
				return mapreduce.Bad(fmt.Errorf("%s: too many buckets of %s from 0", cut(text), o.Width))
			}
			emit(bucket.Int64(), 1)
			return nil
		},
		Sum: true,
		Reduce: func(bucket int64, counts iter.Seq[int64], emit func(Bucket)) error {
			least, n := new(big.Int).Mul(big.NewInt(bucket), width), int64(0)
			for c := range counts {
				n += c
			}
			emit(mapreduce.MakePair(decimalText(least), n))
			return nil
		},
		TotalOrder: true,
	}, nil
}

// units returns the sum as an integer, in units of 10 to the -18th.
func (s Sum) units() *big.Int {
	n := big.NewInt(s.High)
	n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(s.Mid))
	return n.Add(n.Lsh(n, 64), new(big.Int).SetUint64(s.Low))
}

// decimalText returns a number of such units as a decimal number without redundant zeros.
func decimalText(units *big.Int) string {
	text := new(big.Rat).SetFrac(units, big.NewInt(numberUnits)).FloatString(numberDecimals)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}
