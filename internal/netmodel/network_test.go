package netmodel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plainRates computes all rates from scratch. Each step raises all open flows' rates until a link
// is full or a flow is at its limit, and closes the flows that this bounds.
func plainRates(w *Network) map[int32]float64 {
	rates, open := map[int32]float64{}, map[int32]bool{}
	for f := range w.flows {
		if w.flows[f].pos >= 0 {
			rates[int32(f)], open[int32(f)] = 0, true
		}
	}
	for len(open) > 0 {
		step := math.Inf(1)
		for f := range open {
			step = min(step, w.flows[f].limit-rates[f])
		}
		for l, on := range w.on {
			room, n := w.cap[l], 0.0
			for _, f := range on {
				room -= rates[f]
				if open[f] {
					n++
				}
			}
			if n > 0 {
				step = min(step, room/n)
			}
		}
		for f := range open {
			rates[f] += step
		}
		for f := range open {
			full := rates[f] >= w.flows[f].limit*(1-1e-12)
			for _, l := range w.flows[f].links {
				if l < 0 {
					continue
				}
				room := w.cap[l]
				for _, g := range w.on[l] {
					room -= rates[g]
				}
				full = full || room <= 1e-9*w.cap[l]
			}
			if full {
				delete(open, f)
			}
		}
	}
	return rates
}

// inRacks returns the rack of each node, for racks of nearly the same size.
func inRacks(nodes, racks int) []int32 {
	rackOf := make([]int32, nodes)
	for i := range rackOf {
		rackOf[i] = int32(i * racks / nodes)
	}
	return rackOf
}

// After random starts and stops of flows, Resolve's incremental rates equal those of plainRates.
func TestIncrementalRatesAgainstScratch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, 12).Draw(t, "nodes")
		racks := rapid.IntRange(1, min(4, nodes)).Draw(t, "racks")
		cfg := Config{
			RackOf: inRacks(nodes, racks), NodeLink: 100,
			Oversubscription: rapid.SampledFrom([]float64{1, 2, 10}).Draw(t, "over"),
		}
		if rapid.Bool().Draw(t, "differ") {
			several := func(n int, label string) []float64 {
				return rapid.SliceOfN(rapid.SampledFrom([]float64{0, 40, 300}), n, n).Draw(t, label)
			}
			cfg.Links, cfg.Uplinks = several(nodes, "links"), several(racks, "uplinks")
			cfg.Disks = rapid.SliceOfN(rapid.SampledFrom([]float64{25, 60, 1e15}), nodes, nodes).Draw(t, "disks")
		}
		w := New(cfg)
		var live []Flow
		now := time.Duration(0)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			for range rapid.IntRange(1, 4).Draw(t, "changes") {
				if len(live) > 0 && rapid.IntRange(0, 2).Draw(t, "stop") == 0 {
					k := rapid.IntRange(0, len(live)-1).Draw(t, "which")
					w.Stop(live[k])
					live = append(live[:k], live[k+1:]...)
					continue
				}
				from := rapid.IntRange(0, nodes-1).Draw(t, "from")
				to := (from + rapid.IntRange(1, nodes-1).Draw(t, "hop")) % nodes
				limit := rapid.SampledFrom([]float64{math.Inf(1), 7, 30}).Draw(t, "limit")
				if cfg.Disks != nil && rapid.Bool().Draw(t, "read") {
					if rapid.Bool().Draw(t, "own") {
						to = from
					}
					live = append(live, w.Read(now, int32(from), int32(to), 1e6, limit, 0))
					continue
				}
				live = append(live, w.Start(now, int32(from), int32(to), 1e6, limit, 0))
			}
			now += time.Second
			w.Resolve(now)
			for f, want := range plainRates(w) {
				require.InEpsilon(t, want, w.flows[f].rate, 1e-6, "flow %d", f)
			}
		}
	})
}

// Two flows from one node share its link; two flows into one rack share its uplink of rate 50.
func TestMaxMinExample(t *testing.T) {
	w := New(Config{RackOf: inRacks(4, 2), NodeLink: 100, Oversubscription: 4})
	a := w.Start(0, 0, 1, 1000, math.Inf(1), 7) // in the rack
	b := w.Start(0, 0, 2, 1000, math.Inf(1), 8) // across
	c := w.Start(0, 1, 2, 1000, math.Inf(1), 9) // across
	require.True(t, w.Changed())
	w.Resolve(0)
	require.False(t, w.Changed())
	require.Equal(t, []float64{75, 25, 25}, []float64{w.flows[a].rate, w.flows[b].rate, w.flows[c].rate})
	require.Equal(t, []Flow{a, b}, w.From(0))
	require.Equal(t, []int32{0, 1}, []int32{w.Sender(b), w.Sender(c)})
	require.Equal(t, []int32{7, 8, 9}, []int32{w.Owner(a), w.Owner(b), w.Owner(c)})
	f, at, ok := w.Next()
	require.True(t, ok)
	require.Equal(t, a, f)
	require.Equal(t, 13333333334*time.Nanosecond, at)
	w.Stop(b)
	w.Resolve(4 * time.Second)
	require.Equal(t, []float64{100, 50}, []float64{w.flows[a].rate, w.flows[c].rate})
	_, at, _ = w.Next()
	require.Equal(t, 11*time.Second, at, "700 of 1000 bytes are left at 4 s and go at 100 a second")
	require.InDelta(t, 900, w.Left(c, 4*time.Second), 1e-9)
	require.InDelta(t, 850, w.Left(c, 5*time.Second), 1e-9)
	require.Equal(t, b, w.Start(5*time.Second, 3, 2, 1, 1, 0), "its number is free")
	w.Stop(a)
	w.Stop(b)
	w.Stop(c)
	_, _, ok = w.Next()
	require.False(t, ok)
}

// Flows from one node end in the order of their bytes or, with a grain, together at a multiple of
// it. The last one ends when the shared link has carried all bytes.
func TestFlowsOverOneLinkEndInTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grain := rapid.SampledFrom([]time.Duration{0, 10 * time.Millisecond}).Draw(t, "grain")
		sizes := rapid.SliceOfN(rapid.Float64Range(1, 1e6), 1, 20).Draw(t, "bytes")
		w := New(Config{RackOf: inRacks(21, 1), NodeLink: 1000, Oversubscription: 1, Grain: grain})
		sum := 0.0
		for i, bytes := range sizes {
			require.Equal(t, Flow(i), w.Start(0, 0, int32(i+1), bytes, math.Inf(1), int32(i)))
			sum += bytes
		}
		w.Resolve(0)
		carried, now := 0.0, time.Duration(0)
		for range sizes {
			f, at, ok := w.Next()
			require.True(t, ok)
			require.GreaterOrEqual(t, at, now)
			require.GreaterOrEqual(t, sizes[w.Owner(f)]+1e-3+1000*grain.Seconds(), carried, "by size")
			require.True(t, slices.IsSorted(w.From(0)))
			carried, now = max(carried, sizes[w.Owner(f)]), at
			require.InDelta(t, 0, w.Left(f, now), 1e-5)
			w.Stop(f)
			w.Resolve(now)
		}
		require.Empty(t, w.From(0))
		late := time.Duration(len(sizes)) * (grain + time.Nanosecond)
		require.InDelta(t, sum/1000, now.Seconds(), late.Seconds()+1e-6)
	})
}

// BenchmarkResolve measures the replacement of one of 2,000 flows among 200 nodes in 10 racks.
func BenchmarkResolve(b *testing.B) {
	w := New(Config{RackOf: inRacks(200, 10), NodeLink: 125e6, Oversubscription: 4})
	r := rand.New(rand.NewPCG(1, 0))
	live := make([]Flow, 2000)
	add := func() Flow {
		from := r.Int32N(200)
		return w.Start(0, from, (from+1+r.Int32N(199))%200, 1e9, math.Inf(1), 0)
	}
	for i := range live {
		live[i] = add()
	}
	w.Resolve(0)
	for i := 0; b.Loop(); i = (i + 1) % len(live) {
		w.Stop(live[i])
		live[i] = add()
		w.Resolve(0)
	}
}

// A rack's uplink is the sum of its links divided by Oversubscription, unless Uplinks has its rate.
func TestCapacities(t *testing.T) {
	w := New(Config{RackOf: []int32{0, 0, 1}, NodeLink: 10, Oversubscription: 2, Links: []float64{0, 30, 0}, Uplinks: []float64{0, 3}})
	require.Equal(t, []float64{10, 10, 30, 30, 10, 10, 20, 20, 3, 3}, w.cap)
}
