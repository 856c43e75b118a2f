package jobs

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce"
)

// sortArguments returns the arguments of GNU sort that mean the same as these options.
func sortArguments(o SortByOptions, keys []string) []string {
	var args []string
	for flag, given := range map[string]bool{
		"-n": o.Numeric, "-f": o.Fold, "-b": o.SkipBlanks, "-r": o.Reverse, "-u": o.Unique, "-s": o.Stable,
	} {
		if given {
			args = append(args, flag)
		}
	}
	if o.Separator != 0 {
		args = append(args, "-t", string(rune(o.Separator)))
	}
	for _, k := range keys {
		args = append(args, "-k", k)
	}
	return args
}

func parsedKeys(t require.TestingT, keys []string) []SortKey {
	var list []SortKey
	for _, text := range keys {
		k, err := ParseSortKey(text)
		require.NoError(t, err)
		list = append(list, k)
	}
	return list
}

// SortBy writes what GNU sort does, for random lines, keys and options.
func TestSortByEqualsToolOnRandomLines(t *testing.T) {
	line := rapid.OneOf(
		rapid.StringOfN(rapid.RuneFrom([]rune("01239-. \t,:abAB[\x00")), 0, 12, -1),
		rapid.StringMatching(`[ ]?-?0{0,2}[0-3]{0,3}(\.[0-2]{0,3})?( |,|\t)-?[0-2]{0,2}(,[ab]{0,2})?`),
		rapid.StringMatching(`-?[1-9][0-9]{250,300}`),
	)
	place := rapid.StringMatching(`[1-4](\.[1-3])?[nfrb]{0,2}`)
	key := rapid.Custom(func(t *rapid.T) string {
		k := place.Draw(t, "begin")
		if rapid.Bool().Draw(t, "ends") {
			k += "," + place.Draw(t, "end")
		}
		return k
	})
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		flag := func(name string) bool { return rapid.IntRange(0, 3).Draw(rt, name) == 0 }
		o := SortByOptions{
			Numeric: flag("n"), Fold: flag("f"), SkipBlanks: flag("b"), Reverse: flag("r"), Unique: flag("u"), Stable: flag("s"),
			Separator: rapid.SampledFrom([]byte{0, ' ', ',', '\t', '0'}).Draw(rt, "t"),
		}
		keys := rapid.SliceOfN(key, 0, 3).Draw(rt, "keys")
		o.Keys = parsedKeys(rt, keys)
		lines := strings.Join(rapid.SliceOfN(line, 0, 30).Draw(rt, "lines"), "\n")
		args := sortArguments(o, keys)
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		want := tool(t, []string{lines}, "sort", args...)
		require.Equal(rt, want, run(t, s, text(must(SortBy(o)), mapreduce.Lines(sources(lines)...))), "sort %q, %+v", args, s)
	})
}

func TestSortKeysThatCannotBe(t *testing.T) {
	for text, reason := range map[string]string{
		"":         `"" is no number`,
		"0":        "fields count from 1",
		"1,0":      "fields count from 1",
		"1.0":      "characters count from 1",
		"1.":       `"" is no number`,
		"1.2.3":    `"2.3" is no number`,
		"x":        `"" is no number`,
		"-1":       `"" is no number`,
		"1,":       `"" is no number`,
		"1,2,3":    "no option is called ','",
		"2d":       "no option is called 'd': n, f, r and b are",
		"1n.2":     "no option is called '.'",
		"1,2.1nrM": "no option is called 'M'",
	} {
		_, err := ParseSortKey(text)
		require.ErrorIs(t, err, ErrSortKey, text)
		require.ErrorContains(t, err, reason, text)
	}
	for _, k := range []SortKey{{}, {Field: 1, Char: -1}, {Field: 1, EndField: -1}, {Field: 1, EndChar: 2}} {
		_, err := SortBy(SortByOptions{Keys: []SortKey{k}})
		require.ErrorIs(t, err, ErrSortKey, "%+v", k)
	}
	k, err := ParseSortKey("99999999999999999999999,3.99999999999999999999")
	require.NoError(t, err)
	require.Empty(t, k.of([]byte("a b c"), 0))
}

// Each key that ParseSortKey accepts can be encoded for any line, without a panic.
func FuzzParseSortKey(f *testing.F) {
	for _, text := range []string{"1", "2,2nr", "1.2b,3.4b", "0", ",", "1.0", "18446744073709551616"} {
		f.Add(text, "a b\tc,d")
	}
	f.Fuzz(func(t *testing.T, text, line string) {
		k, err := ParseSortKey(text)
		if err != nil {
			require.ErrorIs(t, err, ErrSortKey)
			return
		}
		require.NoError(t, k.check())
		for _, separator := range []byte{0, ','} {
			require.Contains(t, line, string(k.of([]byte(line), separator)))
		}
	})
}

// Encoded numbers compare as the numbers do, and no encoding is a prefix of another.
func TestNumbersAreEncodedInOrder(t *testing.T) {
	long := strings.Repeat("9", 300)
	up := []string{
		"-1" + long, "-" + long, "-254", "-12", "-2.5", "-2.49", "-2", "-.01", "-0.001", "0", "0.001",
		".01", "1", "1.0000000000000000000001", "1.5", "9", "10", "10.1", "99", "100", long, "1" + long,
	}
	var codes [][]byte
	for _, n := range up {
		codes = append(codes, appendNumber(nil, []byte(n)))
	}
	require.True(t, slices.IsSortedFunc(codes, bytes.Compare))
	for i, a := range codes {
		for j, b := range codes {
			require.True(t, i == j || !bytes.HasPrefix(a, b), "%s %s", up[i], up[j])
		}
	}
	for _, same := range []string{"", "-", "-0", "00.000", " \t-0.", "x", "--1", "+1", "- 1", "."} {
		require.Equal(t, codes[9], appendNumber(nil, []byte(same)), "%q", same)
	}
	require.Equal(t, appendNumber(nil, []byte("12.5")), appendNumber(nil, []byte(" 0012.500x7")))
}

func ExampleSortBy() {
	key, err := ParseSortKey("2,2nr")
	if err != nil {
		panic(err)
	}
	job, err := SortBy(SortByOptions{Keys: []SortKey{key}})
	if err != nil {
		panic(err)
	}
	prices := mapreduce.Bytes("prices", []byte("tea 3.50\ncake 12\nmilk 1.20\njam 3.5\n"))
	example(job.Bind(mapreduce.Lines(prices), mapreduce.Text[Line](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// cake 12
	// jam 3.5
	// tea 3.50
	// milk 1.20
}

func BenchmarkSort(b *testing.B) {
	lines := mapreduce.Lines(sources(corpus(8 << 20))...)
	for name, bind := range map[string]binding{
		"bytes": text(Sort(SortOptions{}), lines), "k2": text(must(SortBy(SortByOptions{Keys: []SortKey{{Field: 2}}})), lines),
		"numeric": text(must(SortBy(SortByOptions{Numeric: true})), lines),
	} {
		b.Run(name, func(b *testing.B) { benchmark(b, bind) })
	}
}
