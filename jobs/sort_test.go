package jobs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
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

// sortTool returns the output of GNU sort.
func sortTool(t require.TestingT, text string, args []string) string {
	cmd := exec.Command("sort", args...)
	cmd.Env, cmd.Stdin = append(os.Environ(), "LC_ALL=C"), strings.NewReader(text)
	out, err := cmd.Output()
	require.NoError(t, err, "%v", args)
	return string(out)
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

func bindSortBy(o SortByOptions) func([]mapreduce.Source, mapreduce.Destination) (*mapreduce.Plan, error) {
	return func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		job, err := SortBy(o)
		if err != nil {
			return nil, err
		}
		return job.Bind(mapreduce.Lines(src...), mapreduce.Text[Line](to))
	}
}

func TestSortByEqualsTool(t *testing.T) {
	for _, c := range []struct {
		o    SortByOptions
		keys []string
	}{
		{SortByOptions{}, nil},
		{SortByOptions{Numeric: true}, nil},
		{SortByOptions{Numeric: true, Reverse: true}, nil},
		{SortByOptions{Numeric: true, Unique: true}, nil},
		{SortByOptions{Stable: true}, []string{"1.2,1.2"}},
		{SortByOptions{Reverse: true}, []string{"2"}},
		{SortByOptions{Unique: true}, []string{"1.1,1.1"}},
		{SortByOptions{Separator: 'b'}, []string{"2,2r", "1.2b"}},
	} {
		args := sortArguments(c.o, c.keys)
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			c.o.Keys = parsedKeys(t, c.keys)
			everywhere(t, true, func(t *testing.T, files []string) string {
				return tool(t, files, "sort", args...)
			}, bindSortBy(c.o))
		})
	}
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
		text := strings.Join(rapid.SliceOfN(line, 0, 30).Draw(rt, "lines"), "\n")
		args := sortArguments(o, keys)
		want := sortTool(rt, text, args)
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return bindSortBy(o)(sources([]string{text}), to)
		})
		require.Equal(rt, want, got, "sort %q, %+v", args, s)
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
	plan, err := job.Bind(mapreduce.Lines(prices), mapreduce.Text[Line](mapreduce.Writer("-", os.Stdout)))
	if err != nil {
		panic(err)
	}
	if _, err := mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// cake 12
	// jam 3.5
	// tea 3.50
	// milk 1.20
}

func BenchmarkSort(b *testing.B) {
	lines := mapreduce.Bytes("lines", []byte(corpus(8<<20)))
	for _, c := range []struct {
		name string
		bind func(to mapreduce.Destination) (*mapreduce.Plan, error)
	}{
		{"bytes", func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return Sort(SortOptions{}).Bind(mapreduce.Lines(lines), mapreduce.Text[Line](to))
		}},
		{"k2", func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return bindSortBy(SortByOptions{Keys: []SortKey{{Field: 2}}})([]mapreduce.Source{lines}, to)
		}},
		{"numeric", func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return bindSortBy(SortByOptions{Numeric: true})([]mapreduce.Source{lines}, to)
		}},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.bind) })
	}
}
