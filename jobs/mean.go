package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/big"
	"math/bits"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Sum is an exact sum of decimal numbers with their count; unlike means, sums can be combined. The
// sum, in units of 10 to the -18th, is High times 2 to the 128th, plus Mid times 2 to the 64th,
// plus Low. It cannot overflow: a number has at most 123 bits, a count 63.
type Sum struct {
	High     int64
	Mid, Low uint64
	Count    int64
}

func (s Sum) plus(o Sum) Sum {
	low, carry := bits.Add64(s.Low, o.Low, 0)
	mid, carry := bits.Add64(s.Mid, o.Mid, carry)
	return Sum{High: s.High + o.High + int64(carry), Mid: mid, Low: low, Count: s.Count + o.Count}
}

// negative returns the sum of the negated numbers.
func (s Sum) negative() Sum {
	low, borrow := bits.Sub64(0, s.Low, 0)
	mid, borrow := bits.Sub64(0, s.Mid, borrow)
	return Sum{High: -s.High - int64(borrow), Mid: mid, Low: low, Count: s.Count}
}

// mean returns the sum divided by the count, rounded once to a float64.
func (s Sum) mean() float64 {
	total := big.NewInt(s.High)
	total.Add(total.Lsh(total, 64), new(big.Int).SetUint64(s.Mid))
	total.Add(total.Lsh(total, 64), new(big.Int).SetUint64(s.Low))
	count := new(big.Int).Mul(big.NewInt(s.Count), big.NewInt(numberUnits))
	mean, _ := new(big.Rat).SetFrac(total, count).Float64()
	return mean
}

// MeanOptions select the numbers for Mean. The zero value selects the text after the key.
type MeanOptions struct {
	// Column is the column of the numbers, from 2, since column 1 is the key; 0 means all text
	// after the key.
	Column int
	// Separator is the byte between columns; 0 means a tab.
	Separator byte
}

// separator returns the byte between columns.
func (o MeanOptions) separator() byte {
	if o.Separator == 0 {
		return '\t'
	}
	return o.Separator
}

// number returns the number that o selects in columns, the text after the key.
func (o MeanOptions) number(key, columns []byte) (Sum, error) {
	if o.Column == 1 {
		return Sum{}, mapreduce.Permanent(errors.New("column 1 is the key: no number"))
	}
	for i := 2; i < o.Column; i++ {
		_, rest, found := bytes.Cut(columns, []byte{o.separator()})
		if !found {
			return Sum{}, mapreduce.Bad(fmt.Errorf("key %s: no column %d", cut(key), o.Column))
		}
		columns = rest
	}
	if o.Column > 0 {
		columns, _, _ = bytes.Cut(columns, []byte{o.separator()})
	}
	return decimal(key, withoutCR(columns))
}

// Mean writes the mean of each key's numbers. Its input is KeyValueLines with the separator of the
// options. A number has an optional sign, at most 64 bits before the point, and at most 18
// decimals, not counting trailing zeros; other values are errors. Its output is the key and the
// float64 nearest to the mean: the sum is exact, in any order, and rounded once.
func Mean(o MeanOptions) mapreduce.Job[mapreduce.Pair[[]byte, []byte], []byte, Sum, mapreduce.Pair[[]byte, float64]] {
	return mapreduce.Job[mapreduce.Pair[[]byte, []byte], []byte, Sum, mapreduce.Pair[[]byte, float64]]{
		Name: "mean",
		Map: func(line mapreduce.Pair[[]byte, []byte], emit func([]byte, Sum)) error {
			n, err := o.number(line.First, line.Second)
			if err != nil {
				return err
			}
			emit(line.First, n)
			return nil
		},
		Combine: Sum.plus,
		Reduce: func(key []byte, sums iter.Seq[Sum], emit func(mapreduce.Pair[[]byte, float64])) error {
			var all Sum
			for s := range sums {
				all = all.plus(s)
			}
			emit(mapreduce.MakePair(key, all.mean()))
			return nil
		},
	}
}
