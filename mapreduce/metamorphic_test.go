package mapreduce

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// TestAnyRunGivesTheOraclesBytes: for any combination of Combine, grouping and partitioning the
// engine writes RunLocal's files.
func TestAnyRunGivesTheOraclesBytes(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		v, text := drawVariant(t), drawText(t)
		bind := func(d Destination) (*Plan, error) {
			if v.strings {
				return countJob[string](v).Bind(Lines(Bytes("text", text)), Text[Pair[string, int64]](d))
			}
			return countJob[[]byte](v).Bind(Lines(Bytes("text", text)), Text[Pair[[]byte, int64]](d))
		}
		require.Equal(t, outputs(t, dir, v, true, bind), outputs(t, dir, v, false, bind))
	})
}

// TestAnySortGivesTheOraclesBytes: the same for jobs without Reduce, whose pairs are written
// without decoding; their parts are sorted.
func TestAnySortGivesTheOraclesBytes(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		v, text := drawVariant(t), drawText(t)
		v.compress = NoCompression
		v.order = "total"
		lines := func(d Destination) (*Plan, error) {
			j := sorting[[]byte](0)
			j.Descending = v.down
			return j.Bind(Lines(Bytes("text", text)), Text[Pair[[]byte, None]](d))
		}
		want := outputs(t, dir, v, true, lines)
		require.Equal(t, want, outputs(t, dir, v, false, lines))
		sorted := wholeLines(text)
		slices.Sort(sorted)
		if v.down {
			slices.Reverse(sorted)
		}
		var b strings.Builder
		for _, line := range sorted {
			b.WriteString(line + "\n")
		}
		require.Equal(t, b.String(), joinParts(want))

		numbered := func(d Destination) (*Plan, error) {
			n := 0
			j := Job[[]byte, int32, []byte, Pair[int32, []byte]]{
				Map: func(line []byte, emit func(int32, []byte)) error {
					emit(int32(len(line)%3), fmt.Appendf(nil, "%d %s", n, line))
					n++
					return nil
				},
				Descending: v.down,
			}
			return j.Bind(Lines(Bytes("text", text)), Text[Pair[int32, []byte]](d))
		}
		require.Equal(t, outputs(t, dir, v, true, numbered), outputs(t, dir, v, false, numbered),
			"values keep the input's order")
	})
}

func joinParts(files map[string]string) string {
	var b strings.Builder
	for i := range len(files) {
		b.WriteString(files[fmt.Sprintf("part-r-%05d", i)])
	}
	return b.String()
}

// TestSecondarySort: GroupFields groups by the leading fields, while keys, and so values, have full
// key order.
func TestSecondarySort(t *testing.T) {
	type key = Pair[string, int]
	for _, reduces := range []int{1, 2, 3} {
		for _, total := range []bool{false, true} {
			bind := func(out *Collected[string]) *Plan {
				j := Job[string, key, int, string]{
					Map: func(in string, emit func(key, int)) error {
						var name string
						var n int
						if _, err := fmt.Sscan(in, &name, &n); err != nil {
							return err
						}
						emit(MakePair(name, n), n)
						return nil
					},
					Reduce: func(k key, values iter.Seq[int], emit func(string)) error {
						emit(fmt.Sprint(k.First, slices.Collect(values)))
						return nil
					},
					GroupFields: 1, TotalOrder: total, Reducers: reduces,
				}
				p, err := j.Bind(Slice([]string{"b 3", "a 2", "b 1", "c 9", "a 10", "b 2"}), out.Output())
				require.NoError(t, err)
				return p
			}
			var want, got Collected[string]
			must(RunLocal(context.Background(), bind(&want), LocalOptions{}))(t)
			p := bind(&got)
			runEngine(t, p, reduces, p.BlocksOf(2), cluster.Resources{})
			w := must(want.Records())(t)
			require.ElementsMatch(t, []string{"a[2 10]", "b[1 2 3]", "c[9]"}, w)
			require.Equal(t, w, must(got.Records())(t))
		}
	}
}

// TestMapOnlyKeepsTheInputsOrder compares a map-only job with its input.
func TestMapOnlyKeepsTheInputsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawText(t)
		var b bytes.Buffer
		p := must(keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](Writer("-", &b))))(t)
		engine(t, p, 1, p.BlocksOf(int64(rapid.IntRange(1, 50).Draw(t, "block"))), cluster.Resources{})
		want := text
		if len(text) > 0 && text[len(text)-1] != '\n' {
			want = append(want, '\n')
		}
		require.Equal(t, string(want), b.String())
	})
}

// TestCombinedBytesAreCopied emits values from one buffer that is overwritten,
// with and without spills, to a combiner that keeps one of them.
func TestCombinedBytesAreCopied(t *testing.T) {
	type listed struct {
		Words [][]byte
		N     int
	}
	longest := func(a, b listed) listed {
		x, y := a.Words[0], b.Words[0]
		if cmp.Or(cmp.Compare(len(y), len(x)), bytes.Compare(y, x)) > 0 {
			a.Words = b.Words
		}
		a.N += b.N
		return a
	}
	var text strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&text, "k%d %d\n", i*31%7000, i*7919%30011)
	}
	bind := func(to Destination) *Plan {
		buffer := make([]byte, 0, 16)
		j := Job[[]byte, string, listed, Pair[string, listed]]{
			Map: func(line []byte, emit func(string, listed)) error {
				key, value, _ := bytes.Cut(line, []byte(" "))
				buffer = append(buffer[:0], value...)
				emit(string(key), listed{Words: [][]byte{buffer}, N: 1})
				return nil
			},
			Combine: longest,
		}
		p := must(j.Bind(Lines(Bytes("text", []byte(text.String()))), Encoded(to, func(dst []byte, p Pair[string, listed]) ([]byte, error) {
			return fmt.Appendf(dst, "%s %q %d\n", p.First, p.Second.Words, p.Second.N), nil
		})))(t)
		return p
	}
	var want bytes.Buffer
	must(RunLocal(context.Background(), bind(Writer("-", &want)), LocalOptions{}))(t)
	for _, memory := range []int64{0, 1} {
		var got bytes.Buffer
		res := cluster.Resources{SpillDir: t.TempDir()}
		if memory > 0 {
			res.Budget = cluster.NewMemory(memory).Sub()
		}
		p := bind(Writer("-", &got))
		c := runEngine(t, p, 1, p.BlocksOf(100000), res)
		require.Equal(t, want.String(), got.String())
		if memory > 0 {
			require.Positive(t, c.Get(counter.SpilledRecords))
		}
	}
}
