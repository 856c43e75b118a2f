package mapreduce

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// grouped returns the groups that a job with GroupFields makes of keys, each with its keys.
func grouped[K any](t *rapid.T, keys []K, depth, reduces int, descending, local bool) []string {
	j := Job[K, K, None, string]{
		Map: func(k K, emit func(K, None)) error { emit(k, None{}); return nil },
		Reduce: func(first K, values iter.Seq[None], emit func(string)) error {
			line := showKey(first)
			for range values {
				line += "+"
			}
			emit(line)
			return nil
		},
		GroupFields: depth, Descending: descending, Reducers: reduces,
	}
	var out Collected[string]
	p := must(j.Bind(Slice(keys), out.Output()))(t)
	if local {
		must(RunLocal(context.Background(), p, LocalOptions{}))(t)
	} else {
		engine(t, p, reduces, p.BlocksOf(3), cluster.Resources{})
	}
	got := must(out.Records())(t)
	return got
}

// checkGroups checks that groups are those of plain Go code, for any keys, depth, direction and
// number of reduces.
func checkGroups[K any](t *testing.T, name string, draw func(t *rapid.T) K, fields ...func(a, b K) int) {
	t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.Custom(draw), 0, 12).Draw(t, "keys")
		depth := rapid.IntRange(1, len(fields)).Draw(t, "depth")
		reduces := rapid.IntRange(1, 3).Draw(t, "reduces")
		descending, local := rapid.Bool().Draw(t, "descending"), rapid.Bool().Draw(t, "local")
		compare := func(a, b K, n int) (c int) {
			for _, f := range fields[:n] {
				c = cmp.Or(c, f(a, b))
			}
			if descending {
				c = -c
			}
			return c
		}
		sorted := slices.Clone(keys)
		slices.SortStableFunc(sorted, func(a, b K) int { return compare(a, b, len(fields)) })
		var want []string
		for i, k := range sorted {
			if i == 0 || compare(sorted[i-1], k, depth) != 0 {
				want = append(want, showKey(k))
			}
			want[len(want)-1] += "+"
		}
		require.ElementsMatch(t, want, grouped(t, keys, depth, reduces, descending, local))
	}))
}

func TestGroupsArePlainGos(t *testing.T) {
	word := func(t *rapid.T) string {
		return rapid.SampledFrom([]string{
			"ann", "anna", "annabel", "", "\x00", "a\x00\x01", "\xff",
			"\xff\xff",
		}).Draw(t, "word")
	}
	number := func(t *rapid.T) int16 { return rapid.Int16Range(-2, 2).Draw(t, "number") }
	type names struct {
		N     int16
		Name  string
		Other []byte
		_     int
		None  None
	}
	checkGroups(t, "number, text", func(t *rapid.T) Pair[int16, string] { return MakePair(number(t), word(t)) },
		func(a, b Pair[int16, string]) int { return cmp.Compare(a.First, b.First) },
		func(a, b Pair[int16, string]) int { return cmp.Compare(a.Second, b.Second) })
	checkGroups(t, "text, text", func(t *rapid.T) [2]string { return [2]string{word(t), word(t)} },
		func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) },
		func(a, b [2]string) int { return cmp.Compare(a[1], b[1]) })
	checkGroups(t, "struct",
		func(t *rapid.T) names { return names{N: number(t), Name: word(t), Other: []byte(word(t))} },
		func(a, b names) int { return cmp.Compare(a.N, b.N) },
		func(a, b names) int { return cmp.Compare(a.Name, b.Name) },
		func(a, b names) int { return bytes.Compare(a.Other, b.Other) })
	checkGroups(t, "lists", func(t *rapid.T) Pair[[]string, mark] {
		return MakePair(rapid.SliceOfN(rapid.Custom(word), 0, 2).Draw(t, "list"), mark{word(t)})
	}, func(a, b Pair[[]string, mark]) int { return slices.Compare(a.First, b.First) },
		func(a, b Pair[[]string, mark]) int { return cmp.Compare(a.Second.text, b.Second.text) })
}

func showKey(k any) string { return fmt.Sprintf("%q", k) }
