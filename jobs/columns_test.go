package jobs

import (
	"cmp"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce"
)

func TestDistinctEqualsTools(t *testing.T) {
	everywhere(t, false, func(t *testing.T, files []string) string { return tool(t, files, "sort", "-u") },
		func(src []mapreduce.Source) binding {
			return text(mapreduce.Distinct[[]byte](), mapreduce.Lines(src...))
		})
	line := rapid.StringMatching(`[ab]{0,2},[ab]{0,2}(,[ab]?)?`)
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		lines := strings.Join(rapid.SliceOfN(line, 1, 30).Draw(rt, "lines"), "\n") + "\n"
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		second := (&Table{Separator: ',', Columns: []string{"2"}}).Records(sources(lines), true)
		want := shell(rt, "cut -d, -f2 | sort -u", lines)
		require.Equal(rt, sortedLines(want), sortedLines(run(t, s, text(mapreduce.Distinct[[]byte](), second))))
		want = shell(rt, `cut -d, -f2 | sort | uniq -c`+countsBehind, lines)
		require.Equal(rt, sortedLines(want), sortedLines(run(t, s, text(DistinctCount(), second))))
	})
}

// Histogram counts each number in the bucket that exact arithmetic with math/big gives.
func TestHistogramEqualsLoop(t *testing.T) {
	number := rapid.StringMatching(`-?[0-9]{1,3}(\.[0-9]{0,3})?`)
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		numbers := rapid.SliceOfN(number, 0, 30).Draw(rt, "numbers")
		width := rapid.SampledFrom([]string{"1", "10", "0.1", "0.3", "2.5", "1000", ".001"}).Draw(rt, "width")
		w, _ := new(big.Rat).SetString(width)
		count := map[int64]int{}
		for _, n := range numbers {
			r, _ := new(big.Rat).SetString(n)
			r.Quo(r, w)
			count[new(big.Int).Div(r.Num(), r.Denom()).Int64()]++
		}
		type bucket struct {
			least *big.Rat
			n     int
		}
		var list []bucket
		for i, n := range count {
			list = append(list, bucket{new(big.Rat).Mul(big.NewRat(i, 1), w), n})
		}
		slices.SortFunc(list, func(a, b bucket) int { return a.least.Cmp(b.least) })
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		in := mapreduce.Lines(sources(strings.Join(numbers, "\n"))...)
		got := run(t, s, text(must(Histogram(width)), in))
		lines := slices.Collect(strings.Lines(got))
		require.Len(rt, lines, len(list), "%q", got)
		for i, line := range lines {
			least, n, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			r, good := new(big.Rat).SetString(least)
			require.True(rt, good && r.Cmp(list[i].least) == 0, "%s, %v", least, list[i].least)
			require.Equal(rt, fmt.Sprint(list[i].n), n)
		}
	})
}

func TestHistogramRefuses(t *testing.T) {
	for _, width := range []string{"", "0", "-1", "x", "1e3"} {
		_, err := Histogram(width)
		require.ErrorContains(t, err, "want a decimal number above 0", width)
	}
	for line, reason := range map[string]string{
		"x": `"x" is no decimal number`, "9223372036854775807": "too many buckets of 0.5 from 0",
	} {
		in := mapreduce.Lines(sources(line)...)
		require.ErrorContains(t, failure(t, text(must(Histogram("0.5")), in)), reason)
	}
}

func TestSecondarySortEqualsTool(t *testing.T) {
	line := rapid.StringMatching(`[abc]\t-?[1-9][0-9]{0,2}`)
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		lines := strings.Join(rapid.SliceOfN(line, 1, 40).Draw(rt, "lines"), "\n") + "\n"
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		got := run(t, s, text(SecondarySort(), mapreduce.KeyValueLines('\t', sources(lines)...)))
		want := shell(rt, `sort -k1,1 -k2,2n | awk -F '\t' '{ n[$1]++; print $0 "\t" n[$1] }'`, lines)
		if s.reduces > 1 {
			require.Equal(rt, sortedLines(want), sortedLines(got))
			byKey := slices.Collect(strings.Lines(got))
			slices.SortStableFunc(byKey, func(a, b string) int { return cmp.Compare(a[0], b[0]) })
			got = strings.Join(byKey, "")
		}
		require.Equal(rt, want, got)
	})
}

// After any number of earlier numbers, MovingAverage writes the exact mean of the last ones.
func TestMovingAverageEqualsLoop(t *testing.T) {
	number := rapid.StringMatching(`-?[0-9]{1,12}\.[0-9]{1,9}`)
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		numbers := rapid.SliceOfN(number, 1, 20).Draw(rt, "numbers")
		window := rapid.IntRange(1, 6).Draw(rt, "window")
		var want strings.Builder
		var lines []string
		for i, n := range numbers {
			lines = append(lines, fmt.Sprintf("k\t%d\t%s\n", 10*i-50, n))
			sum, of := new(big.Rat), numbers[max(0, i+1-window):i+1]
			for _, n := range of {
				r, _ := new(big.Rat).SetString(n)
				sum.Add(sum, r)
			}
			mean, _ := sum.Quo(sum, big.NewRat(int64(len(of)), 1)).Float64()
			fmt.Fprintf(&want, "k\t%d\t%v\n", 10*i-50, mean)
		}
		in := mapreduce.Lines(sources(strings.Join(rapid.Permutation(lines).Draw(rt, "lines"), ""))...)
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		require.Equal(rt, want.String(), run(t, s, text(must(MovingAverage(window)), in)))
	})
	_, err := MovingAverage(0)
	require.ErrorContains(t, err, "a window of 0: want at least 1")
}

func TestAdjacencyEqualsLoop(t *testing.T) {
	node := rapid.SampledFrom([]string{"a", "b", "ab", "", "x,y", "é"})
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		to := map[string][]string{}
		var lines strings.Builder
		for range rapid.IntRange(1, 30).Draw(rt, "edges") {
			a, b := node.Draw(rt, "from"), node.Draw(rt, "to")
			fmt.Fprintf(&lines, "%s\t%s\n", a, b)
			to[a] = append(to[a], b)
		}
		var want []string
		for a, list := range to {
			slices.Sort(list)
			list = slices.Compact(list)
			for i := range list {
				list[i] = string(listed(nil, []byte(list[i])))
			}
			want = append(want, a+"\t"+strings.Join(list, ",")+"\n")
		}
		slices.Sort(want)
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		got := run(t, s, text(Adjacency(), mapreduce.KeyValueLines('\t', sources(lines.String())...)))
		require.Equal(rt, want, sortedLines(got))
	})
}

func TestIndex(t *testing.T) {
	two, one := mapreduce.Bytes("two,", []byte("gravity wins\ncenter of gravity")), mapreduce.Bytes("one", []byte("center"))
	src := []mapreduce.Source{two, one, mapreduce.Bytes("one", []byte("wins center"))} // two files of one name
	want := []string{"center\t2\tone,two%2C\n", "gravity\t1\ttwo%2C\n", "of\t1\ttwo%2C\n", "wins\t2\tone,two%2C\n"}
	for _, s := range settings() {
		require.Equal(t, want, sortedLines(run(t, s, text(Index(src...), mapreduce.Lines(src...)))), "%+v", s)
	}
	require.EqualError(t, failure(t, text(Index(one), mapreduce.Lines(two))), "jobs.Index: two, is not one of its files")
	require.Equal(t, "gravity\ttwo%2C\nwins\ttwo%2C\ncenter\ttwo%2C\nof\ttwo%2C\ngravity\ttwo%2C\ncenter\tone\n",
		run(t, settings()[0], text(WordFiles(), mapreduce.Lines(two, one))))
}

// Count the occurrences of each value of a column.
func ExampleDistinctCount() {
	visits := mapreduce.Bytes("visits", []byte("ann\thome\nbob\thome\nann\tshop\n"))
	places := Table{Columns: []string{"2"}}
	in := places.Records([]mapreduce.Source{visits}, true)
	example(DistinctCount().Bind(in, mapreduce.Text[Count](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// home	2
	// shop	1
}

func ExampleHistogram() {
	job, err := Histogram("0.5")
	if err != nil {
		panic(err)
	}
	seconds := mapreduce.Bytes("seconds", []byte("0.1\n0.49\n0.5\n2.7\n-0.1\n"))
	example(job.Bind(mapreduce.Lines(seconds), mapreduce.Text[Bucket](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// -0.5	1
	// 0	2
	// 0.5	1
	// 2.5	1
}

func ExampleSecondarySort() {
	scores := mapreduce.Bytes("scores", []byte("bob\t7\nann\t9\nann\t-1\n"))
	out := mapreduce.Text[Placed](mapreduce.Writer("-", os.Stdout))
	example(SecondarySort().Bind(mapreduce.KeyValueLines('\t', scores), out))
	// Output:
	// ann	-1	1
	// ann	9	2
	// bob	7	1
}

func ExampleMovingAverage() {
	job, err := MovingAverage(2)
	if err != nil {
		panic(err)
	}
	prices := mapreduce.Bytes("prices", []byte("tea\t3\t0.4\ntea\t1\t0.1\ntea\t2\t0.2\n"))
	example(job.Bind(mapreduce.Lines(prices), mapreduce.Text[Averaged](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// tea	1	0.1
	// tea	2	0.15
	// tea	3	0.3
}

func ExampleAdjacency() {
	edges := mapreduce.Bytes("edges", []byte("a\tc\na\tb\nb\ta\na\tc\n"))
	out := mapreduce.Text[Neighbors](mapreduce.Writer("-", os.Stdout))
	example(Adjacency().Bind(mapreduce.KeyValueLines('\t', edges), out))
	// Output:
	// a	b,c
	// b	a
}
