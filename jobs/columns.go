package jobs

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
)

// withoutCR returns a line without the carriage return that Windows files have before a line feed.
func withoutCR(line []byte) []byte {
	if last := len(line) - 1; last >= 0 && line[last] == '\r' {
		return line[:last]
	}
	return line
}

// DistinctCount writes each distinct line, in byte order within each part, with its number of
// lines, as `uniq -c` does. Its input is Lines, or columns that a [Table] selects. A trailing
// carriage return is part of the line, as in [mapreduce.Distinct] and for sort -u.
func DistinctCount() mapreduce.Job[[]byte, []byte, int64, Count] {
	return mapreduce.Job[[]byte, []byte, int64, Count]{
		Name: "distinct",
		Map: func(line []byte, emit func([]byte, int64)) error {
			emit(line, 1)
			return nil
		},
		Sum: true,
	}
}

// Bucket is the lower bound of a bucket, as text, and how many numbers are in the bucket.
type Bucket = mapreduce.Pair[string, int64]

// Histogram counts decimal numbers, as Mean reads them, in buckets of equal width, one of which
// begins at 0. For each non-empty bucket it writes the lower bound, which is included, and the
// count, in ascending order over all parts. All arithmetic is exact. Its input is Lines of one
// number each, or a column that a [Table] selects. A width is a number above 0; other widths are an
// error. Numbers more than 2 to the 63rd buckets from 0 are errors.
func Histogram(width string) (mapreduce.Job[[]byte, int64, int64, Bucket], error) {
	var none mapreduce.Job[[]byte, int64, int64, Bucket]
	w, good := parseDecimal([]byte(width))
	units := w.units()
	if !good || units.Sign() <= 0 {
		return none, fmt.Errorf("jobs: a width of %s: want a decimal number above 0", cut([]byte(width)))
	}
	return mapreduce.Job[[]byte, int64, int64, Bucket]{
		Name: "histogram",
		Map: func(line []byte, emit func(int64, int64)) error {
			n, err := decimal(line, withoutCR(line))
			if err != nil {
				return err
			}
			bucket := n.units()
			bucket.Div(bucket, units) // Euclidean division, which rounds down for widths above 0
			if !bucket.IsInt64() {
				return mapreduce.BadRecord(fmt.Errorf("%s: too many buckets of %s from 0", cut(line), width))
			}
			emit(bucket.Int64(), 1)
			return nil
		},
		Sum: true,
		Reduce: single(func(bucket, n int64) Bucket {
			least := new(big.Int).Mul(big.NewInt(bucket), units)
			return mapreduce.MakePair(decimalText(least), n)
		}),
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
