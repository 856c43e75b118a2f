package actors

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

// linkedNode is a page of a web, with the pages that it links to. A page is a number.
type linkedNode struct {
	Number int32
	Links  []int32
}

type nodeRank = mapreduce.Pair[int32, float64]

// plainRanks computes, without the engine, rounds in which each page shares its value among its
// links.
func plainRanks(web []linkedNode, rounds int) map[int32]float64 {
	now := map[int32]float64{}
	for _, n := range web {
		now[n.Number] = 1
	}
	for range rounds {
		next := map[int32]float64{}
		for _, n := range web {
			next[n.Number] += 0.25
			for _, to := range n.Links {
				next[to] += now[n.Number] / float64(len(n.Links))
			}
		}
		now = next
	}
	return now
}

// ranksOn computes the ranks of plainRanks on a cluster. The map calls before for each page; seen
// is the number of the page in its attempt.
func ranksOn(
	ctx context.Context, on Runner, web *Keyed[int32, linkedNode], rounds int, before func(t *mapreduce.Task, seen int) error,
) (*Keyed[int32, nodeRank], error) {
	type group = mapreduce.Group[int32, linkedNode, nodeRank]
	number := func(r nodeRank) int32 { return r.First }
	now, err := KeepBy(ctx, on, number, mapreduce.Each(func(n linkedNode) nodeRank { return nodeRank{First: n.Number, Second: 1} }).On(web.Aligned()))
	if err != nil {
		return nil, err
	}
	return Iterate(ctx, now, rounds, func(ctx context.Context, _ int, now *Keyed[int32, nodeRank]) (*Keyed[int32, nodeRank], error) {
		return KeepBy(ctx, on, number, mapreduce.Job[group, int32, float64, nodeRank]{
			MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[group, int32, float64], error) {
				seen := 0
				return mapreduce.Mapper[group, int32, float64]{
					Map: func(at group, emit func(int32, float64)) error {
						seen++
						emit(at.Key, 0.25)
						links := at.Left[0].Links
						for _, to := range links {
							emit(to, at.Right[0].Second/float64(len(links)))
						}
						return before(t, seen)
					},
				}, nil
			},
			Sum: true, Reducers: web.Size().Parts,
		}.On(mapreduce.Grouped(web.Feed(), now.Feed())))
	}, nil)
}

// Ranks computed on a cluster equal those of a plain loop, with several computations at once,
// attempts that fail and panic half-way, and scarce memory. Afterwards no memory is held.
func TestRoundsOverLinksAreALoop(t *testing.T) {
	const nodes, rounds, pipelines = 5000, 4, 3
	rng := rand.New(rand.NewPCG(5, 6))
	var web []linkedNode
	for i := range nodes {
		n := linkedNode{Number: int32(i)}
		for range rng.IntN(8) {
			n.Links = append(n.Links, int32(rng.IntN(nodes)))
		}
		web = append(web, n)
	}
	want := plainRanks(web, rounds)
	for _, limit := range []int64{0, 1 << 20, 64 << 20} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			cluster, err := Start(Config{Nodes: 3, MapSlots: 2, Memory: limit, SpillDir: t.TempDir()})
			require.NoError(t, err)
			defer func() { require.NoError(t, cluster.Close()) }()
			kept, err := LoadBy(t.Context(), cluster, func(n linkedNode) int32 { return n.Number }, 4, mapreduce.Slice(web))
			require.NoError(t, err)
			var failed atomic.Int64
			before := func(task *mapreduce.Task, seen int) error {
				if id := task.ID(); id.Try == 0 && seen == 500 && id.Index%2 == 0 {
					if failed.Add(1)%2 == 0 {
						panic("half-way")
					}
					return fmt.Errorf("half-way")
				}
				return nil
			}
			var all sync.WaitGroup
			for range pipelines {
				all.Go(func() {
					ranks, err := ranksOn(t.Context(), cluster, kept, rounds, before)
					if !assertNoError(t, err) {
						return
					}
					defer ranks.Release()
					list, err := ranks.Collect(t.Context())
					assertNoError(t, err)
					if len(list) != nodes {
						t.Errorf("%d nodes have ranks, of %d", len(list), nodes)
					}
					for _, r := range list {
						if d := r.Second - want[r.First]; d > 1e-9 || d < -1e-9 {
							t.Errorf("node %d has %v, by the loop %v", r.First, r.Second, want[r.First])
							return
						}
					}
				})
			}
			all.Wait()
			require.EqualValues(t, pipelines*rounds*2, failed.Load(), "attempts that failed")
			kept.Release()
		})
	}
}

func assertNoError(t *testing.T, err error) bool {
	if err != nil {
		t.Error(err)
	}
	return err == nil
}
