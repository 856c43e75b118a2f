package jobs

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Mean writes the exact mean even if the sum of the integers exceeds 64 bits.
func TestMeanIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var input, want strings.Builder
	for k := range 40 {
		list := []int64{9e18, 9e18}
		if k > 0 {
			list = make([]int64, 1+r.IntN(9))
			for i := range list {
				switch list[i] = r.Int64() - r.Int64(); r.IntN(4) {
				case 0:
					list[i] = math.MaxInt64
				case 1:
					list[i] = math.MinInt64
				}
			}
		}
		sum := new(big.Int)
		for _, n := range list {
			fmt.Fprintf(&input, "k%02d\t%d\n", k, n)
			sum.Add(sum, big.NewInt(n))
		}
		mean, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(len(list)))).Float64()
		fmt.Fprintf(&want, "k%02d\t%v\n", k, mean)
	}
	for _, s := range settings() {
		if s.reduces > 1 {
			continue // another order
		}
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return Mean().Bind(mapreduce.KeyValueLines('\t', sources([]string{input.String()})...),
				mapreduce.Text[mapreduce.Pair[[]byte, float64]](to))
		})
		require.Equal(t, want.String(), got)
	}
}

// TopBy writes the smallest 64-bit number last, although its negation overflows.
func TestTheLeastNumberIsLast(t *testing.T) {
	least := fmt.Sprint(int64(math.MinInt64))
	input := "a\t" + least + "\nb\t-1\nc\t0\nd\t9223372036854775807\n"
	s := settings()[0]
	require.Equal(t, "d\t9223372036854775807\nc\t0\nb\t-1\na\t"+least+"\n", run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
		return TopBy(TopOptions{Lines: 9}).Bind(mapreduce.Lines(sources([]string{input})...), mapreduce.Text[Line](to))
	}))
	require.Equal(t, "b\t1\na\t"+least+"\n", run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
		return ByFrequency().Bind(mapreduce.KeyValueLines('\t', sources([]string{least + "\ta\n1\tb\n"})...),
			mapreduce.Text[Count](to))
	}))
}
