package jobs

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

func itoa(n int) string { return strconv.Itoa(n) }

// byFrequency sorts counts in the simplest way.
func byFrequency(count map[string]int) string {
	type entry struct {
		text string
		n    int
	}
	var list []entry
	for text, n := range count {
		list = append(list, entry{text, n})
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(b.n-a.n, cmp.Compare(a.text, b.text)) })
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "%s\t%d\n", e.text, e.n)
	}
	return b.String()
}

func TestTopBy(t *testing.T) {
	count, input := map[string]int{}, ""
	for i := range 100 {
		count[itoa(i)] = i * 7 % 30
		input += itoa(i) + "\t" + itoa(i*7%30) + "\n"
	}
	all := byFrequency(count)
	for _, k := range []int{1, 10, 99, 100, 200} {
		want := strings.Join(slices.Collect(strings.Lines(all))[:min(k, 100)], "")
		for _, s := range settings() {
			got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
				return TopBy(TopOptions{Lines: k}).Bind(mapreduce.Lines(sources([]string{input})...), mapreduce.Text[Line](to))
			})
			require.Equal(t, want, got, "%d of %+v", k, s)
		}
	}
}

// TopBy returns an error for a line that is too large to keep in memory, before it copies the line.
func TestTopByKeepsNoHugeLine(t *testing.T) {
	line := append(bytes.Repeat([]byte("x"), 17<<20), "\t1"...)
	source := mapreduce.Bytes("huge", line)
	plan, err := TopBy(TopOptions{Lines: 1}).Bind(mapreduce.Lines(source),
		mapreduce.Text[Line](mapreduce.Writer("none", io.Discard)))
	require.NoError(t, err)
	require.NoError(t, plan.Prepare(t.Context(), cluster.PrepareOptions{}))
	splits, err := plan.Splits(t.Context(), nil)
	require.NoError(t, err)
	a := &cluster.MapAttempt{Split: splits[0], Resources: cluster.Resources{Budget: cluster.NewMemory(1)}}
	_, err = plan.RunMap(t.Context(), a)
	require.ErrorIs(t, err, mapreduce.ErrRecordTooLarge)
	require.ErrorContains(t, err, "a line of 17825794 bytes, of which at most 16777216 are kept")
}

func TestMean(t *testing.T) {
	input := []string{"a\t1\nb\t10\na\t2\n", "a\t-9\nc\t922337203685\n"}
	for _, s := range settings() {
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return Mean().Bind(mapreduce.KeyValueLines('\t', sources(input)...),
				mapreduce.Text[mapreduce.Pair[[]byte, float64]](to))
		})
		require.Equal(t, []string{"a\t-2\n", "b\t10\n", "c\t9.22337203685e+11\n"}, sortedLines(got), "%+v", s)
	}
}

func TestIndex(t *testing.T) {
	src := []mapreduce.Source{
		mapreduce.Bytes("two", []byte("gravity wins\ncenter of gravity")),
		mapreduce.Bytes("one", []byte("center")),
	}
	for _, s := range settings() {
		got := run(t, s, func(to mapreduce.Destination) (*mapreduce.Plan, error) {
			return Index().Bind(mapreduce.Lines(src...), mapreduce.Text[Posting](to))
		})
		require.Equal(t, []string{"center\t2\tone,two\n", "gravity\t1\ttwo\n", "of\t1\ttwo\n", "wins\t1\ttwo\n"},
			sortedLines(got), "%+v", s)
	}
}

func TestSmallJobsNameTheBadLine(t *testing.T) {
	plan, err := Mean().Bind(mapreduce.KeyValueLines('\t', sources([]string{"a\t1\nb\tx\n"})...),
		mapreduce.Text[mapreduce.Pair[[]byte, float64]](mapreduce.Writer("memory", new(strings.Builder))))
	require.NoError(t, err)
	_, err = mapreduce.RunLocal(t.Context(), plan, mapreduce.LocalOptions{})
	require.ErrorContains(t, err, `key "b": "x" is no decimal number`)
}
