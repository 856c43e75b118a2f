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
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return Mean().Bind(columns.Pairs(sources([]string{input.String()})), mapreduce.Text[mapreduce.Pair[[]byte, float64]](to))
		})
		require.Equal(rt, fmt.Sprintf("k\t%v\n", mean), got, "%q", numbers)
	})
}

func TestMeanRefusesWhatIsNoNumber(t *testing.T) {
	for text, reason := range map[string]string{
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
		_, err := meanOf(t, text)
		require.ErrorContains(t, err, reason, text)
	}
	got, err := meanOf(t, "k\t1\nk\t1.50000000000000000000000\n")
	require.NoError(t, err)
	require.Equal(t, "k\t1.25\n", got)
}

// meanOf returns the output of Mean for a text.
func meanOf(t *testing.T, text string) (string, error) {
	var out strings.Builder
	plan, err := Mean().Bind(mapreduce.KeyValueLines('\t', mapreduce.Bytes("text", []byte(text))),
		mapreduce.Text[mapreduce.Pair[[]byte, float64]](mapreduce.Writer("memory", &out)))
	require.NoError(t, err)
	_, err = mapreduce.RunLocal(t.Context(), plan, mapreduce.LocalOptions{})
	return out.String(), err
}

func ExampleMean() {
	prices := mapreduce.Bytes("prices", []byte("tea,2024-01-01,0.1\ntea,2024-01-02,0.2\ncake,2024-01-01,12\n"))
	days := Table{Separator: ',', Columns: []string{"1", "3"}}
	plan, err := Mean().Bind(days.Pairs([]mapreduce.Source{prices}), mapreduce.Text[mapreduce.Pair[[]byte, float64]](mapreduce.Writer("-", os.Stdout)))
	if err != nil {
		panic(err)
	}
	if _, err := mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// cake	12
	// tea	0.15
}
