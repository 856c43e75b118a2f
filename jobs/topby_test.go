package jobs

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// TopBy writes what `sort` (by descending number, then by bytes) and `head` write.
func TestTopByEqualsTools(t *testing.T) {
	line := rapid.StringMatching(`[ab]{0,2},-?[0-9]{1,4}(\.[0-9]{0,3})?,[ab]?`)
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		lines := rapid.SliceOfN(line, 0, 40).Draw(rt, "lines")
		k := rapid.IntRange(1, 12).Draw(rt, "k")
		text := strings.Join(lines, "\n")
		cmd := exec.Command("sh", "-c", fmt.Sprintf("sort -t, -k2,2nr -k1 | head -n %d", k))
		cmd.Env, cmd.Stdin = append(os.Environ(), "LC_ALL=C"), strings.NewReader(text)
		want, err := cmd.Output()
		require.NoError(rt, err)
		s := rapid.SampledFrom(all).Draw(rt, "setting")
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return TopBy(TopOptions{Lines: k, Column: 2, Separator: ','}).Bind(
				mapreduce.Lines(sources([]string{text})...), mapreduce.Text[Line](to))
		})
		require.Equal(rt, string(want), got, "%q", lines)
	})
}

func TestTopByReadsTheLastColumn(t *testing.T) {
	input := "a\t9\t1\nb\t2\t+3\nc\t3\t-5\n2\n"
	got := run(t, settings()[0], func(to mapreduce.Destination) (*mapreduce.Plan, error) {
		return TopBy(TopOptions{Lines: 3}).Bind(mapreduce.Lines(sources([]string{input})...), mapreduce.Text[Line](to))
	})
	require.Equal(t, "b\t2\t+3\n2\na\t9\t1\n", got)
}

func TestTopByRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"a\tx":       `"x" is no decimal number`,
		"a":          `"" is no decimal number`,
		"a\t1e5":     `"1e5" is no decimal number`,
		"a\t":        `"" is no decimal number`,
		"a\t+":       `"+" is no decimal number`,
		"a\t0x10":    `"0x10" is no decimal number`,
		"a\t1\t2\nb": `"" is no decimal number`,
	} {
		plan, err := TopBy(TopOptions{Lines: 1, Column: 2}).Bind(mapreduce.Lines(sources([]string{text})...),
			mapreduce.Text[Line](mapreduce.Writer("none", io.Discard)))
		require.NoError(t, err)
		_, err = mapreduce.RunLocal(t.Context(), plan, mapreduce.LocalOptions{})
		require.ErrorContains(t, err, reason, text)
		require.True(t, cluster.IsPermanent(err))
	}
}

// firsts never has more than 2k lines, and its takes rejects lines that cannot be among the k.
func TestFirstsKeepsFew(t *testing.T) {
	f := firsts{k: 3}
	var all [][]byte
	for i := range 1000 {
		code := fmt.Appendf(nil, "%04d", i*7919%1000)
		all = append(all, code)
		if f.takes(code) {
			f.add(code, []byte("line"))
		}
		require.LessOrEqual(t, len(f.list), 6)
	}
	f.cut()
	slices.SortFunc(all, bytes.Compare)
	require.Equal(t, all[:3], [][]byte{f.list[0].First, f.list[1].First, f.list[2].First})
	require.False(t, f.takes([]byte("9999")))
}

// MapsOnly of a job writes what its maps emit, in input order.
func TestMapsOnly(t *testing.T) {
	everywhere(t, true, func(t *testing.T, files []string) string {
		var b strings.Builder
		for _, f := range files {
			for w := range mapreduce.Fields([]byte(f)) {
				fmt.Fprintf(&b, "%s\t1\n", w)
			}
		}
		return b.String()
	}, func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		return MapsOnly(WordCount()).Bind(mapreduce.Chunks(src...), mapreduce.Text[Count](to))
	})
	input := sources([]string{"b\na\n", "c"})
	for _, s := range settings() {
		require.Equal(t, "b\na\nc\n", run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return MapsOnly(Sort(SortOptions{})).Bind(mapreduce.Lines(input...), mapreduce.Text[Line](to))
		}))
	}
	got := run(t, settings()[0], func(to mapreduce.Destination) (*mapreduce.Plan, error) {
		job, err := GrepCount("a", GrepOptions{})
		require.NoError(t, err)
		return MapsOnly(job).Bind(mapreduce.Chunks(input...), mapreduce.Text[mapreduce.Pair[[]byte, int64]](to))
	})
	require.Equal(t, "memory\t1\nmemory\t0\n", got, "a map that emits at its end")
}

func ExampleTopBy() {
	prices := mapreduce.Bytes("prices", []byte("tea\t3.50\ncake\t12\nmilk\t1.20\n"))
	plan, err := TopBy(TopOptions{Lines: 2}).Bind(mapreduce.Lines(prices),
		mapreduce.Text[Line](mapreduce.Writer("-", os.Stdout)))
	if err != nil {
		panic(err)
	}
	if _, err := mapreduce.RunLocal(ctx, plan, mapreduce.LocalOptions{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// cake	12
	// tea	3.50
}
