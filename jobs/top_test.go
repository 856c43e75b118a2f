package jobs

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Top writes what `sort` (by descending number, then by bytes) and `head` write.
func TestTopEqualsTools(t *testing.T) {
	line := rapid.StringMatching(`[ab]{0,2},-?[0-9]{1,4}(\.[0-9]{0,3})?,[ab]?`)
	second := Table{Separator: ',', Columns: []string{"2"}}
	all := settings()
	rapid.Check(t, func(rt *rapid.T) {
		lines := strings.Join(rapid.SliceOfN(line, 0, 40).Draw(rt, "lines"), "\n")
		k := rapid.IntRange(1, 12).Draw(rt, "k")
		want := shell(rt, fmt.Sprintf("sort -t, -k2,2nr -k1 | head -n %d", k), lines)
		got := run(t, rapid.SampledFrom(all).Draw(rt, "setting"), text(second.Top(k), second.Numbered(sources(lines))))
		require.Equal(rt, want, got, "%q", lines)
	})
}

func TestTopReadsTheLastColumn(t *testing.T) {
	in := sources("a\t9\t1\nb\t2\t+3\r\nc\t3\t-5\n2\n")
	require.Equal(t, "b\t2\t+3\r\n2\na\t9\t1\n", run(t, settings()[0], text(new(Table).Top(3), new(Table).Numbered(in))))
}

func TestTopRefuses(t *testing.T) {
	for line, reason := range map[string]string{
		"a\tx":    `"x" is no decimal number`,
		"":        `"" is no decimal number`,
		"a\t1e5":  `"1e5" is no decimal number`,
		"a\t":     `"" is no decimal number`,
		"a\t+":    `"+" is no decimal number`,
		"a\t0x10": `"0x10" is no decimal number`,
	} {
		err := failure(t, text(new(Table).Top(1), new(Table).Numbered(sources("1\n"+line+"\n"))))
		require.ErrorContains(t, err, reason, line)
		require.True(t, cluster.IsPermanent(err))
	}
}

// Top returns an error for a line that is too large to keep in memory, before it copies the line.
func TestTopKeepsNoHugeLine(t *testing.T) {
	line := append(bytes.Repeat([]byte("x"), 17<<20), "\t1"...)
	plan, err := text(new(Table).Top(1), new(Table).Numbered(sources(string(line))))(mapreduce.Writer("none", io.Discard))
	require.NoError(t, err)
	require.NoError(t, plan.Prepare(t.Context(), cluster.PrepareOptions{}))
	splits, err := plan.Splits(t.Context(), nil)
	require.NoError(t, err)
	a := &cluster.MapAttempt{Split: splits[0], Resources: cluster.Resources{Budget: cluster.NewMemory(1)}}
	_, err = plan.RunMap(t.Context(), a)
	require.ErrorIs(t, err, mapreduce.ErrRecordTooLarge)
	require.ErrorContains(t, err, "a line of 17825794 bytes, of which at most 16777216 are kept")
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

func ExampleTable_Top() {
	prices := mapreduce.Bytes("prices", []byte("tea\t3.50\ncake\t12\nmilk\t1.20\n"))
	table := new(Table)
	in := table.Numbered([]mapreduce.Source{prices})
	example(table.Top(2).Bind(in, mapreduce.Text[Line](mapreduce.Writer("-", os.Stdout))))
	// Output:
	// cake	12
	// tea	3.50
}
