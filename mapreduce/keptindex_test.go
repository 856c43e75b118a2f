package mapreduce

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// node is a record that lies in an index.
type node struct {
	Number  int32
	Links   []int32
	Weights []float64
}

func (n node) number() int32 { return n.Number }

// indexesOf is how many parts have one.
func indexesOf[K, T any](k *KeptBy[K, T]) (n int) {
	for _, p := range k.parts {
		if p.data != nil && p.data.index.whole {
			n++
		}
	}
	return n
}

// Whoever reads lent records round after round reads the same, whether there is room for an index of
// them or not, an attempt that was to make it failed, or a map writes to records themselves.
func TestIndexedRecordsAreThoseKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		keys := rapid.SampledFrom([]int{1, 300, 5000}).Draw(t, "keys")
		var nodes []node
		var want []string
		for range rapid.SampledFrom([]int{0, 1, 256, 257, 3000, 3000}).Draw(t, "nodes") {
			n := node{Number: int32(rng.IntN(keys) - keys/2)}
			for range rng.IntN(4) {
				n.Links, n.Weights = append(n.Links, rng.Int32()), append(n.Weights, rng.Float64())
			}
			nodes, want = append(nodes, n), append(want, fmt.Sprint(n))
		}
		slices.Sort(want)
		before := memory.Mapped()
		limit := rapid.SampledFrom([]int64{0, 1, 100_000, 4 << 20}).Draw(t, "limit")
		root := NewMemory(limit)
		budget, parts := root.Sub(), rapid.IntRange(1, 3).Draw(t, "parts")
		kept := keepBy(t, budget, node.number, parts, nodes).Lent()
		none := keepBy(t, budget, node.number, parts, nil)
		fails := rapid.SampledFrom([]int{-1, 0, 1, 1, 2}).Draw(t, "round that fails at first")
		for round := range 4 {
			var got []string
			failing := round == fails && len(nodes) > 0
			job := MapOnly[Group[int32, node, node], int]{Map: func(g Group[int32, node, node], _ func(int)) error {
				for i := range g.Left {
					got = append(got, fmt.Sprint(g.Left[i]))
					g.Left[i].Number++
					g.Left[i].Links = append(slices.Clone(g.Left[i].Links), 1, 2, 3)
				}
				if failing && len(got) >= len(nodes)/2 {
					failing = false
					return errBadRecord
				}
				return nil
			}}
			for again := true; again; {
				plan, err := job.Bind(Grouped(kept.Feed(), none.Feed()), new(Collected[int]).Output())
				require.NoError(t, err)
				got = nil
				_, err = RunLocal(t.Context(), plan, LocalOptions{})
				if again = errors.Is(err, errBadRecord); !again {
					require.NoError(t, err)
				}
			}
			slices.Sort(got)
			require.Equal(t, want, got)
			if limit == 1 || round == 0 && fails != 0 {
				require.Zero(t, indexesOf(kept))
			}
		}
		if limit == 0 && len(nodes) == 3000 && keys > 1 {
			require.Equal(t, parts, indexesOf(kept))
		}
		if _, bytes, spilled := kept.Size(); limit > 0 && spilled < bytes {
			require.LessOrEqual(t, root.Used(), limit)
		}
		kept.Release()
		none.Release()
		budget.Close()
		require.Zero(t, root.Used())
		require.Equal(t, before, memory.Mapped())
	})
}
