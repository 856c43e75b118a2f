package jobs

import (
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce"
)

// Mean writes the exact mean of decimal numbers, rounded once, in any order and for any splits.
func TestMeanOfDecimalsIsExact(t *testing.T) {
	number := rapid.OneOf(
		rapid.StringMatching(`[+-]?[0-9]{1,18}(\.[0-9]{0,18})?`),
		rapid.StringMatching(`-?0*[0-9]{0,3}\.[0-9]{1,17}0*`),
		rapid.SampledFrom([]string{
			"9223372036854775807.999999999999999999", "-9223372036854775808", "-9223372036854775807.999999999999999999",
			"0.1", "0.2", "0.3", "-.5", "1.", "0.000000000000000001",
		}),
	)
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		column := rapid.IntRange(2, 4).Draw(rt, "column")
		numbers := rapid.SliceOfN(number, 1, 20).Draw(rt, "numbers")
		var input strings.Builder
		sum := new(big.Rat)
		for i, n := range numbers {
			fmt.Fprintf(&input, "k%s,%s,%d,x\n", strings.Repeat(",-", column-2), n, i)
			r, good := new(big.Rat).SetString(n)
			require.True(rt, good, n)
			sum.Add(sum, r)
		}
		mean, _ := sum.Quo(sum, big.NewRat(int64(len(numbers)), 1)).Float64()
		columns := Table{Separator: ',', Columns: []string{"1", strconv.Itoa(column)}}
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		got := run(t, s, text(Mean(), columns.Pairs(sources(input.String()))))
		require.Equal(rt, fmt.Sprintf("k\t%v\n", mean), got, "%q", numbers)
	})
}

func TestMeanRefusesWhatIsNoNumber(t *testing.T) {
	for line, reason := range map[string]string{
		"k":                               `key "k": "" is no decimal number of at most 64 bits before the point and 18 decimals`,
		"k\tx":                            `"x" is no decimal number`,
		"k\t1 ":                           `"1 " is no decimal number`,
		"k\t1e3":                          `"1e3" is no decimal number`,
		"k\t.":                            `"." is no decimal number`,
		"k\t--1":                          `"--1" is no decimal number`,
		"k\t9223372036854775808":          `is no decimal number`,
		"k\t-9223372036854775808.1":       `is no decimal number`,
		"k\t0.1234567890123456789":        `is no decimal number`,
		"k\t1\t2":                         `"1\t2" is no decimal number`,
		"k\t18446744073709551616":         `is no decimal number`,
		"k\t" + strings.Repeat("0", 2000): `is no decimal number`,
	} {
		err := failure(t, text(Mean(), mapreduce.KeyValueLines('\t', sources("k\t1\n"+line)...)))
		require.ErrorContains(t, err, reason, line)
	}
	lines := mapreduce.KeyValueLines('\t', sources("k\t1\nk\t1.50000000000000000000000\n")...)
	require.Equal(t, "k\t1.25\n", run(t, settings()[0], text(Mean(), lines)))
}

func ExampleMean() {
	prices := mapreduce.Bytes("prices", []byte("tea,2024-01-01,0.1\ntea,2024-01-02,0.2\ncake,2024-01-01,12\n"))
	days := Table{Separator: ',', Columns: []string{"1", "3"}}
	means := mapreduce.Text[mapreduce.Pair[[]byte, float64]](mapreduce.Writer("-", os.Stdout))
	example(Mean().Bind(days.Pairs([]mapreduce.Source{prices}), means))
	// Output:
	// cake	12
	// tea	0.15
}
