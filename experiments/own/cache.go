package own

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// caching contains the settings of one comparison: the nodes' caches of blocks, and W0.
type caching struct {
	blocks int           // of a node
	wait   time.Duration // W0, for a node with the block in memory
	rate   float64       // bytes a second that a map reads from memory
}

// middle contains the settings from which each table and each row changes one.
var middle = caching{8, 5 * time.Second, 1e9}

// policies returns delay scheduling for node-local blocks, and the same with a level for memory.
func (c caching) policies() study.Contenders {
	const w1 = 5 * time.Second
	return study.Contenders{
		study.Policy("delay 5 s", "fair", setup.Waits(w1, 0)),
		study.Policy("cache-affinity", "fair", func(p *scheduling.Policy) {
			p.Locality = scheduling.LocalityPolicy{
				Part: simulator.CacheAffinity, Waits: []time.Duration{c.wait, w1},
			}
		}),
	}
}

func (c caching) run(s *study.Study, policies study.Contenders) study.Comparison {
	cfg := setup.EC2()
	cfg.Cluster.Racks = 5
	cfg.Cluster.Cache, cfg.Cluster.CacheRate = int64(c.blocks)*workload.DefaultBlock, c.rate
	return s.Compare(cfg, policies, s.Repeats(1, 10), popular(study.Pick(s, 150, 600)))
}

// inMemory returns the percentage of the maps that found their block in memory.
func inMemory(r *simulator.Result) float64 {
	return 100 * float64(r.Report.InMemory.All()) / float64(r.Report.Maps.All())
}

// cache measures the gain if maps run where their block is in memory. Jobs read popular files, with
// and without a locality level for memory; rows give hits and response times by size of the caches.
func cache(s *study.Study) {
	hits, times := s.Plot("hits"), s.Plot("sojourn")
	with := middle
	with.blocks = 0
	none := with.run(s, with.policies()[:1])[0].By(study.MeanSojourn)
	s.Row("no cache, delay 5 s: mean sojourn", none)
	for _, blocks := range study.Pick(s, []int{2, 8}, []int{1, 2, 4, 8, 32}) {
		with.blocks = blocks
		all := with.run(s, with.policies())
		mebibytes := blocks * (workload.DefaultBlock >> 20)
		name := fmt.Sprintf("cache of %d MiB", mebibytes)
		for _, m := range []struct {
			what   string
			metric study.Metric
		}{{"in memory", inMemory}, {"node-local", study.NodeLocal}, {"mean sojourn", study.MeanSojourn}} {
			for _, r := range all {
				s.Row(name+", "+r.Name+": "+m.what, r.By(m.metric))
			}
		}
		s.Row(name+": hits that affinity adds", all.Less(1, 0, inMemory))
		s.Row(name+": mean sojourn, delay 5 s over cache-affinity",
			all.Over(0, 1, study.MeanSojourn))
		if with == middle {
			s.Row("delay 5 s: mean sojourn, no cache over "+name,
				none.Over(all[0].By(study.MeanSojourn)))
		}
		for _, r := range all {
			hits.Add(r.Name, float64(mebibytes), r.By(inMemory).Mean())
			times.Add(r.Name, float64(mebibytes), r.By(study.MeanSojourn).Mean())
		}
	}
	// The tables vary W0, the wait for a node that has a map's input in memory, and the rate of
	// reads from memory, which decides the gain of a hit.
	waits := study.Sweep("%v", []float64{0, 1, 2, 5, 20}, func(c *caching, w0 float64) {
		c.wait = time.Duration(w0 * float64(time.Second))
	})
	study.Vary(s, s.Extra("waits"), len(waits), middle, waits, func(c caching) []float64 {
		r := c.run(s, c.policies()[1:])[0]
		return []float64{r.By(inMemory).Mean(), r.By(study.MeanSojourn).Mean()}
	})
	rates := study.Sweep("%v", []float64{12.8, 64, 1000},
		func(c *caching, rate float64) { c.rate = rate * 1e6 })
	study.Vary(s, s.Extra("rates"), len(rates), middle, rates, func(c caching) []float64 {
		all := c.run(s, c.policies())
		return []float64{all[0].By(study.MeanSojourn).Mean(), all[1].By(study.MeanSojourn).Mean()}
	})
}
