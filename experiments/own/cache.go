package own

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// cacheWait is W0 and W1 where they are not swept.
const cacheWait = 5 * time.Second

// cacheMiddle is the size of cache that tables are about, in blocks.
const cacheMiddle = 8

// Cache asks what it is worth to run maps where their block is in memory: hits and response on
// popular files, by size of the nodes' caches, with and without a level of locality for memory.
func Cache(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: cacheSetup()}
	hits := study.Figure{
		Name: "hits", Title: "Maps that find their block in memory", X: "cache of a node (MiB)",
		Y: "maps (%)", Series: []*study.Series{{Name: "delay 5 s"}, {Name: "cache-affinity"}},
	}
	times := study.Figure{
		Name: "sojourn", Title: "Mean sojourn", X: "cache of a node (MiB)", Y: "seconds",
		Series: []*study.Series{{Name: "delay 5 s"}, {Name: "cache-affinity"}},
	}
	sizes := []int{1, 2, 4, cacheMiddle, 32}
	if o.Quick {
		sizes = []int{2, cacheMiddle}
	}
	none, err := cacheRun(ctx, o, 0, cacheContenders(cacheWait)[:1])
	if err != nil {
		return nil, err
	}
	plain := setup.Each(&none[0], setup.MeanSojourn)
	r.Add(study.Shown("no cache, delay 5 s: mean sojourn", "s", plain))
	for _, blocks := range sizes {
		all, err := cacheRun(ctx, o, blocks, cacheContenders(cacheWait))
		if err != nil {
			return nil, err
		}
		r.Add(cacheRows(blocks, plain, all)...)
		for i := range all {
			hits.Series[i].Add(float64(mebibytes(blocks)), setup.Each(&all[i], cacheHits).Mean())
			times.Series[i].Add(float64(mebibytes(blocks)), setup.Each(&all[i], setup.MeanSojourn).Mean())
		}
	}
	r.Figures = []study.Figure{hits, times}
	r.Notes = []string{
		"Without affinity hits come by chance: delay scheduling brings maps to one of the three " +
			"nodes with the block on disk, and some of these have read it before.",
		"A hit frees a slot twenty times as soon as reading from a disk, so that hits also " +
			"shorten the queue of all other jobs.",
	}
	return r, r.AddTables(ctx, o, cacheByWait, cacheByRate)
}

// cacheSetup names the choices.
func cacheSetup() []string {
	return []string{
		"600 scans of 100 files of 2 to 20 blocks are drawn, files by Zipf's law with exponent " +
			"1.03, exponential gaps of 0.6 s (the workload of hot-files without its trace).",
		setup.EC2Setup()[0], "Five racks here. " + setup.EC2Setup()[1], setup.EC2Setup()[2],
		setup.EC2Setup()[3],
		"Each node keeps the blocks that its maps have read, from the end of the map on, the ones " +
			"read last if not all fit. A map that finds its block there reads 1 GB/s: a choice, " +
			"one processor copying memory. Memory is given for nothing: tasks take none.",
		"Order fair. Delay 5 s: W1 = 5 s for a node with the block on its disk, then anywhere. " +
			"Cache-affinity: W0 = 5 s for a node with the block in memory, if there is one, then " +
			"W1 = 5 s, then anywhere. The JobTracker knows at once what nodes hold.",
	}
}

// cacheContenders are delay scheduling without and with a level for memory, after such a wait.
func cacheContenders(w0 time.Duration) []simulator.Contender {
	return []simulator.Contender{
		{Name: "delay 5 s", Policy: setup.Preset("fair", setup.Waits(cacheWait, 0))},
		{
			Name: "cache-affinity",
			Policy: setup.Preset("fair", func(p *scheduling.Policy) {
				p.Locality = scheduling.LocalityPolicy{
					Part: simulator.CacheAffinity, Waits: []time.Duration{w0, cacheWait},
				}
			}),
		},
	}
}

// cacheRun runs contenders where each node keeps so many blocks.
func cacheRun(
	ctx context.Context, o study.Options, blocks int, list []simulator.Contender,
	change ...func(*simulator.Config),
) ([]simulator.Contest, error) {
	jobs := 600
	if o.Quick {
		jobs = 150
	}
	cfg := setup.EC2()
	cfg.Seed, cfg.Cluster.Racks = o.Seed, 5
	cfg.Cluster.Cache, cfg.Cluster.CacheRate = int64(blocks)*workload.DefaultBlock, 1e9
	for _, f := range change {
		f(&cfg)
	}
	return setup.Contests(ctx, cfg, list, o.Repeats(1, 10),
		func(r *rand.Rand) workload.Workload {
			gap := workload.Dist{Shape: workload.Exponential, A: 0.6}
			return workload.HotFiles(r, jobs, 100, 1.03, gap)
		})
}

// mebibytes is the size of so many blocks.
func mebibytes(blocks int) int { return blocks * (workload.DefaultBlock >> 20) }

// cacheHits is the part of the maps that found their block in memory, in per cent.
func cacheHits(r *simulator.Result) float64 {
	return 100 * float64(r.Report.InMemory.All()) / float64(r.Report.Maps.All())
}

// cacheRows are what a size of cache gives.
func cacheRows(blocks int, plain study.Sample, all []simulator.Contest) []study.Row {
	name := fmt.Sprintf("cache of %d MiB", mebibytes(blocks))
	without, with := setup.Each(&all[0], cacheHits), setup.Each(&all[1], cacheHits)
	slow, fast := setup.Each(&all[0], setup.MeanSojourn), setup.Each(&all[1], setup.MeanSojourn)
	rows := []study.Row{
		study.Shown(name+", delay 5 s: in memory", "%", without),
		study.Shown(name+", cache-affinity: in memory", "%", with),
		study.Shown(name+", delay 5 s: node-local", "%", setup.Each(&all[0], setup.NodeLocal)),
		study.Shown(name+", cache-affinity: node-local", "%",
			setup.Each(&all[1], setup.NodeLocal)),
		study.Shown(name+", delay 5 s: mean sojourn", "s", slow),
		study.Shown(name+", cache-affinity: mean sojourn", "s", fast),
		study.OwnRow(name+": hits that affinity adds", "points", "more than none", study.More(0),
			with.Minus(without)),
		study.OwnRow(name+": mean sojourn, delay 5 s over cache-affinity", "×",
			"waiting for memory pays", study.More(1), slow.Over(fast)),
	}
	if blocks == cacheMiddle {
		rows = append(rows, study.OwnRow("delay 5 s: mean sojourn, no cache over "+name, "×",
			"a cache helps without affinity, too", study.More(1), plain.Over(slow)))
	}
	return rows
}

// cacheByWait sweeps W0.
func cacheByWait(ctx context.Context, o study.Options) (study.Table, error) {
	t := study.Table{
		Name: "waits", Title: fmt.Sprintf("Cache-affinity by its wait for memory, %d MiB a node",
			mebibytes(cacheMiddle)),
		Columns: []string{"W0 (s)", "in memory (%)", "mean sojourn (s)"},
	}
	for _, s := range []float64{0, 1, 2, 5, 20} {
		list := cacheContenders(time.Duration(s * float64(time.Second)))[1:]
		all, err := cacheRun(ctx, o, cacheMiddle, list)
		if err != nil {
			return t, err
		}
		t.Add(fmt.Sprint(s), setup.Each(&all[0], cacheHits).Mean(),
			setup.Each(&all[0], setup.MeanSojourn).Mean())
	}
	return t, nil
}

// cacheByRate sweeps what a map reads from memory: the choice that decides what a hit is worth.
func cacheByRate(ctx context.Context, o study.Options) (study.Table, error) {
	t := study.Table{
		Name: "rates",
		Title: fmt.Sprintf("Mean sojourn by the rate at which maps read memory, %d MiB a node",
			mebibytes(cacheMiddle)),
		Columns: []string{"rate (MB/s)", "delay 5 s (s)", "cache-affinity (s)"},
	}
	for _, rate := range []float64{12.8, 64, 1000} {
		all, err := cacheRun(ctx, o, cacheMiddle, cacheContenders(cacheWait),
			func(c *simulator.Config) { c.Cluster.CacheRate = rate * 1e6 })
		if err != nil {
			return t, err
		}
		t.Add(fmt.Sprint(rate), setup.Each(&all[0], setup.MeanSojourn).Mean(),
			setup.Each(&all[1], setup.MeanSojourn).Mean())
	}
	return t, nil
}
