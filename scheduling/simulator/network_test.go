package simulator

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plainRates is progressive filling from scratch, the obvious way: raise all open flows by the
// least step that fills a link or reaches a limit.
func plainRates(w *network) map[int32]float64 {
	rates, open := map[int32]float64{}, map[int32]bool{}
	for f := range w.flows {
		if w.flows[f].live {
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

// However flows come and go, the incremental rates are those of progressive filling from scratch.
func TestIncrementalRatesAgainstScratch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, 12).Draw(t, "nodes")
		top := newTopology(nodes, rapid.IntRange(1, min(4, nodes)).Draw(t, "racks"))
		w := newNetwork(&top, &Network{NodeLink: 100, Oversubscription: rapid.SampledFrom([]float64{1, 2, 10}).Draw(t, "over")})
		var live []int32
		now := time.Duration(0)
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			for range rapid.IntRange(1, 4).Draw(t, "changes") {
				if len(live) > 0 && rapid.IntRange(0, 2).Draw(t, "stop") == 0 {
					k := rapid.IntRange(0, len(live)-1).Draw(t, "which")
					w.stop(live[k])
					live = append(live[:k], live[k+1:]...)
					continue
				}
				from := rapid.IntRange(0, nodes-1).Draw(t, "from")
				to := (from + rapid.IntRange(1, nodes-1).Draw(t, "hop")) % nodes
				limit := rapid.SampledFrom([]float64{math.Inf(1), 7, 30}).Draw(t, "limit")
				live = append(live, w.start(now, int32(from), int32(to), 1e6, limit, 0))
			}
			now += time.Second
			w.resolve(now)
			for f, want := range plainRates(w) {
				require.InEpsilon(t, want, w.flows[f].rate, 1e-6, "flow %d", f)
			}
		}
	})
}

// Two flows into one node share its link; the third gets what its sender has left.
func TestMaxMinExample(t *testing.T) {
	top := newTopology(4, 2)
	w := newNetwork(&top, &Network{NodeLink: 100, Oversubscription: 4}) // a rack's uplink has 50
	a := w.start(0, 0, 1, 1000, math.Inf(1), 0)                         // in the rack
	b := w.start(0, 0, 2, 1000, math.Inf(1), 0)                         // across
	c := w.start(0, 1, 2, 1000, math.Inf(1), 0)                         // across
	w.resolve(0)
	require.Equal(t, []float64{75, 25, 25}, []float64{w.flows[a].rate, w.flows[b].rate, w.flows[c].rate})
	f, at, ok := w.next()
	require.True(t, ok)
	require.Equal(t, a, f)
	require.Equal(t, 13333333334*time.Nanosecond, at)
	w.stop(b)
	w.resolve(4 * time.Second)
	require.Equal(t, []float64{100, 50}, []float64{w.flows[a].rate, w.flows[c].rate})
	_, at, _ = w.next()
	require.Equal(t, 11*time.Second, at, "700 of 1000 bytes are left at 4 s and go at 100 a second")
	require.InDelta(t, 900, w.flows[c].left, 1e-9)
}

// BenchmarkResolve replaces one of 2,000 flows among 200 nodes in 10 racks.
func BenchmarkResolve(b *testing.B) {
	top := newTopology(200, 10)
	w := newNetwork(&top, &Network{NodeLink: 125e6, Oversubscription: 4})
	var live []int32
	add := func(i uint64) int32 {
		x := draw(1, i)
		from := int32(x % 200)
		to := (from + 1 + int32(x>>32%199)) % 200
		return w.start(0, from, to, 1e9, math.Inf(1), 0)
	}
	for i := range uint64(2000) {
		live = append(live, add(i))
	}
	w.resolve(0)
	for i := uint64(0); b.Loop(); i++ {
		k := i % 2000
		w.stop(live[k])
		live[k] = add(i)
		w.resolve(0)
	}
}
