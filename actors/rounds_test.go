package actors

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

type (
	knot = int32

	// linked is a node of a graph, with the nodes that it links to.
	linked struct {
		Number knot
		Links  []knot
	}
	handed = mapreduce.Pair[knot, float64]
)

// drawGraph returns a random graph. The names of its nodes are numbers, apart from each other.
func drawGraph(rng *rand.Rand, nodes int, apart int32) []linked {
	list := make([]linked, nodes)
	for i := range list {
		list[i].Number = knot(i-nodes/2) * apart
		for range rng.IntN(6) {
			list[i].Links = append(list[i].Links, knot(rng.IntN(nodes)-nodes/2)*apart)
		}
	}
	return list
}

// handOn computes rounds in which a node's new value is 1 plus equal parts of the values of nodes
// that link to it. The job has a Reduce if reduced, otherwise a Sum. The map calls before for each
// node with its number in the attempt.
func handOn(
	ctx context.Context, on Runner, graph *Keyed[knot, linked], rounds int, reduced bool, before func(t *mapreduce.Task, seen int) error,
) (*Keyed[knot, handed], error) {
	of, add := func(h handed) knot { return h.First }, func(a, b float64) float64 { return a + b }
	begin, err := KeepBy(ctx, on, of, mapreduce.Apply(func(n linked) handed { return mapreduce.MakePair(n.Number, 1.) }).Over(graph.Aligned()))
	if err != nil {
		return nil, err
	}
	type group = mapreduce.Group[knot, linked, handed]
	return Iterate(ctx, begin, rounds, func(ctx context.Context, _ int, now *Keyed[knot, handed]) (*Keyed[knot, handed], error) {
		job := mapreduce.Job[group, knot, float64, handed]{
			MapTask: func(t *mapreduce.Task) (mapreduce.Mapper[group, knot, float64], error) {
				seen := 0
				return mapreduce.Mapper[group, knot, float64]{Map: func(at group, emit func(knot, float64)) error {
					if len(at.Left) != 1 || len(at.Right) != 1 || at.Left[0].Number != at.Key {
						return fmt.Errorf("group %v", at)
					}
					emit(at.Key, 1)
					for _, to := range at.Left[0].Links {
						emit(to, at.Right[0].Second/float64(len(at.Left[0].Links)))
					}
					seen++
					return before(t, seen)
				}}, nil
			},
			Sum: true, Reducers: graph.Size().Parts,
		}
		if reduced {
			job.Sum, job.Combine = false, add
			job.Reduce = func(n knot, sums iter.Seq[float64], emit func(handed)) error {
				total := 0.
				for x := range sums {
					total += x
				}
				emit(mapreduce.MakePair(n, total))
				return nil
			}
		}
		return KeepBy(ctx, on, of, job.Over(mapreduce.Grouped(graph.Feed(), now.Feed())))
	}, nil)
}

// halfway makes the first attempt of every other map fail or panic at its fifth node.
func halfway(task *mapreduce.Task, seen int) error {
	if id := task.ID(); id.Try == 0 && seen == 5 && id.Index%2 == 0 {
		if id.Index%4 == 0 {
			panic("half-way")
		}
		return errors.New("half-way")
	}
	return nil
}

func handOnPlain(graph []linked, rounds int) map[knot]float64 {
	now := map[knot]float64{}
	for _, n := range graph {
		now[n.Number] = 1
	}
	for range rounds {
		next := map[knot]float64{}
		for _, n := range graph {
			next[n.Number]++
			for _, to := range n.Links {
				next[to] += now[n.Number] / float64(len(n.Links))
			}
		}
		now = next
	}
	return now
}

// Rounds over datasets with dense or sparse numbers as keys have the results of plain Go code.
// Several computations run at once on clusters of random shape and memory, while attempts fail and
// panic half-way, and nodes die and return.
func TestRoundsOfNumbersArePlainGo(t *testing.T) {
	runs := 24
	if testing.Short() {
		runs = 6
	}
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 13))
		cfg := Config{
			Nodes: 1 + rng.IntN(3), MapSlots: 1 + rng.IntN(3), ReduceSlots: 1 + rng.IntN(2), BlockSize: int64(20 + rng.IntN(400)),
			Memory: []int64{0, 1, 1 << 20}[rng.IntN(3)], IdleMemory: -1, Seed: seed, Expiry: 10 * time.Second, HeartbeatInterval: time.Second,
		}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			var wait sync.WaitGroup
			for range 1 + rng.IntN(3) {
				graph := drawGraph(rng, []int{1, 60, 3000}[rng.IntN(3)], []int32{1, 3, 1 << 18}[rng.IntN(3)])
				parts, rounds, reduced := 1+rng.IntN(4), 1+rng.IntN(4), rng.IntN(2) == 0
				wait.Go(func() { requireHandedOn(t, c, graph, parts, rounds, reduced) })
			}
			if cfg.Nodes > 1 {
				name := fmt.Sprintf("node-%02d", rng.IntN(cfg.Nodes))
				time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
				require.NoError(t, c.KillNode(name))
				if rng.IntN(2) == 0 {
					time.Sleep(time.Minute) // until it expires
				}
				require.NoError(t, c.StartNode(name))
			}
			wait.Wait()
			for _, l := range c.env.datasets.close() {
				l.release()
			}
			pass(time.Minute)
			c.requireNothingHeld(t)
		})
	}
}

func requireHandedOn(t *testing.T, c *Cluster, graph []linked, parts, rounds int, reduced bool) {
	kept, err := LoadBy(t.Context(), c, func(n linked) knot { return n.Number }, parts, mapreduce.Slice(graph))
	if err == nil {
		defer kept.Release()
		var last *Keyed[knot, handed]
		if last, err = handOn(t.Context(), c, kept, rounds, reduced, halfway); err == nil {
			defer last.Release()
			var got []handed
			if got, err = last.Collect(t.Context()); err == nil {
				err = sameAsPlain(got, handOnPlain(graph, rounds))
			}
		}
	}
	if err != nil {
		t.Errorf("%d nodes, %d parts, %d rounds, reduced %v: %v", len(graph), parts, rounds, reduced, err)
	}
}

func sameAsPlain(got []handed, want map[knot]float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d nodes, want %d", len(got), len(want))
	}
	for _, h := range got {
		if x, ok := want[h.First]; !ok || h.Second < x*(1-1e-9) || h.Second > x*(1+1e-9) {
			return fmt.Errorf("node %d has %v, want %v", h.First, h.Second, x)
		}
	}
	return nil
}

// Collect returns an error if recomputed sums differ, because a captured variable has changed.
func TestSumsThatHaveChanged(t *testing.T) {
	c := start(t, Config{Nodes: 3, MapSlots: 1, ReduceSlots: 1, BlockSize: 400})
	factor := 1.
	keep := func() (*Keyed[int, mapreduce.Pair[int, float64]], error) {
		return KeepBy(t.Context(), c, func(p mapreduce.Pair[int, float64]) int { return p.First },
			mapreduce.Job[int, int, float64, mapreduce.Pair[int, float64]]{
				Map: func(n int, emit func(int, float64)) error {
					emit(n, factor*float64(n))
					return nil
				},
				Combine: func(a, b float64) float64 { return a + b }, Reducers: 4,
			}.Over(mapreduce.Slice(upTo(2000))))
	}
	d, err := keep()
	require.NoError(t, err)
	before, err := d.Collect(t.Context())
	require.NoError(t, err)
	require.NoError(t, c.StopNode(d.kept.Hosts()[0]))
	again, err := d.Collect(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, again)
	factor = 2
	require.NoError(t, c.StopNode(d.kept.Hosts()[0]))
	_, err = d.Collect(t.Context())
	require.ErrorIs(t, err, cluster.ErrOtherData)
	require.ErrorContains(t, err, "as many with other numbers")
}

func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Fold has the result of a loop, for values of several types, of a dataset and of a slice.
func TestFoldIsALoop(t *testing.T) {
	c := start(t, Config{Nodes: 2, BlockSize: 300})
	d, err := Load(t.Context(), c, mapreduce.Slice(upTo(5000)))
	require.NoError(t, err)
	for name, in := range map[string]mapreduce.Input[int]{"kept": d.Input(), "slice": mapreduce.Slice(upTo(5000))} {
		sum, err := Fold(t.Context(), c, in, func(n int) int { return n }, func(a, b int) int { return a + b })
		require.NoError(t, err, name)
		require.Equal(t, 5000*4999/2, sum, name)
		most, err := Fold(t.Context(), c, in, func(n int) string { return fmt.Sprint(n) }, func(a, b string) string { return max(a, b) })
		require.NoError(t, err, name)
		require.Equal(t, "999", most, name)
		ends, err := Fold(t.Context(), c, in, func(n int) [2]int { return [2]int{n - 1, n - 1} },
			func(a, b [2]int) [2]int { return [2]int{min(a[0], b[0]), max(a[1], b[1])} })
		require.NoError(t, err, name)
		require.Equal(t, [2]int{-1, 4998}, ends, name)
	}
	none, err := Fold(t.Context(), c, mapreduce.Slice([]int{}), func(n int) int { return n + 1 }, func(a, b int) int { return a * b })
	require.NoError(t, err)
	require.Zero(t, none)
	_, err = Fold(t.Context(), c, d.Input(), func(n int) int { panic("at " + fmt.Sprint(n)) }, func(a, _ int) int { return a })
	require.ErrorContains(t, err, "panic: at ")
}
