package own

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// pathsName is the trace with input paths, looked for in the folder that TARRY_TRACES names.
const pathsName = "FB-2010_samples_24_times_1hr_withInputPaths_0.tsv"

// HotFiles lets many jobs read few files, with and without further replicas of those, and with and
// without delay scheduling.
func HotFiles(ctx context.Context, o study.Options) (*study.Result, error) {
	jobs := 600
	if o.Quick {
		jobs = 200
	}
	load, source, err := hotJobs(jobs)
	if err != nil {
		return nil, err
	}
	list := hotContenders()
	r := &study.Result{Setup: []string{
		source,
		setup.EC2Setup()[0], "Five racks here. " + setup.EC2Setup()[1], setup.EC2Setup()[2],
		setup.EC2Setup()[3],
		"Order fair, greedy or with a wait of 5 s for a node.",
		"R = 3 for all files; or further replicas of the most read ones, so many block replicas " +
			"as the part named of all (Scarlett's priority: most reads a replica first). What " +
			"will be read is known ahead, so it is a bound on what learning from the past can " +
			"give.",
	}}
	bars := study.Figure{
		Name: "hot-files", Title: "Node-local maps of jobs on popular files", X: "replicas",
		Y: "node-local (%)",
	}
	for i := range list {
		bars.Series = append(bars.Series, &study.Series{Name: list[i].Name})
	}
	budgets := []float64{0, 0.05, 0.2, 0.5}
	var first, last []simulator.Contest
	for _, budget := range budgets {
		cfg := setup.EC2()
		cfg.Seed, cfg.Cluster.Racks = o.Seed, 5
		all, err := setup.Contests(ctx, cfg, list, o.Repeats(1, 10),
			func(r *rand.Rand) workload.Workload {
				w := load(r)
				w.ReplicateHot(cfg.Cluster.Replicas, cfg.Cluster.Nodes, budget)
				return w
			})
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = all
		}
		last = all
		name := fmt.Sprintf("R = 3 and %g %%", 100*budget)
		bars.Categories = append(bars.Categories, name)
		for i := range all {
			bars.Series[i].Y = append(bars.Series[i].Y, all[i].Over(setup.NodeLocal).Mean)
			r.Add(hotRows(name+", "+all[i].Name, &all[i])...)
		}
	}
	r.Add(hotGains(first, last)...)
	r.Figures = []study.Figure{bars}
	return r, nil
}

// hotContenders are fair sharing without and with delay scheduling.
func hotContenders() []simulator.Contender {
	var list []simulator.Contender
	for _, wait := range []time.Duration{0, 5 * time.Second} {
		p := setup.Preset("fair", setup.Waits(wait, 0))
		list = append(list, simulator.Contender{
			Name: map[bool]string{true: "greedy", false: "delay 5 s"}[wait == 0], Policy: p,
		})
	}
	return list
}

// hotGains compares the contests with the most replicas with those without further ones.
func hotGains(first, last []simulator.Contest) []study.Row {
	gain := func(i int) study.Sample {
		return setup.Each(&last[i], setup.NodeLocal).Minus(setup.Each(&first[i], setup.NodeLocal))
	}
	return []study.Row{
		study.OwnRow("node-local maps that 50 % more replicas add, greedy less delay 5 s",
			"points", "replicas help most without delay scheduling", study.More(0),
			gain(0).Minus(gain(1))),
		study.OwnRow("delay 5 s: node-local maps that 50 % more replicas add", "points",
			"more than none", study.More(0), gain(1)),
		study.OwnRow("greedy: mean sojourn with R = 3 over 50 % more replicas", "×",
			"shorter with replicas", study.More(1),
			setup.Each(&first[0], setup.MeanSojourn).Over(
				setup.Each(&last[0], setup.MeanSojourn))),
	}
}

// hotRows shows a contest.
func hotRows(name string, c *simulator.Contest) []study.Row {
	rows := []study.Row{
		study.Shown(name+": node-local", "%", setup.Each(c, setup.NodeLocal)),
		study.Shown(name+": mean sojourn", "s", setup.Each(c, setup.MeanSojourn)),
	}
	for _, class := range []string{"hottest file", "next nine files", "other files"} {
		if v := setup.Local(c, class, scheduling.NodeLocal); v.Mean() > 0 {
			rows = append(rows, study.Shown(name+": node-local, "+class, "%", v))
		}
	}
	return rows
}

// hotJobs gives jobs on popular files: of the trace with input paths, or drawn like it; and says
// which.
func hotJobs(jobs int) (load func(*rand.Rand) workload.Workload, source string, err error) {
	f, err := setup.OpenTrace(pathsName)
	if err != nil {
		return nil, "", err
	}
	if f == nil {
		load = func(r *rand.Rand) workload.Workload {
			return workload.HotFiles(r, jobs, 100, 1.03,
				workload.Dist{Shape: workload.Exponential, A: 0.6})
		}
		return load, setup.NoTrace(pathsName, "%d scans are drawn: of 100 files of 2 to 20 "+
			"blocks by Zipf's law with the exponent of that trace, 1.03, exponential gaps of "+
			"0.6 s.", jobs), nil
	}
	defer f.Close()
	w, err := workload.ReadSWIM(f, pathsName,
		workload.TraceOptions{
			Nodes: 100, OriginalNodes: 3000, Jobs: 5 * jobs, MaxMaps: 100, MaxReduces: 200,
		})
	if err != nil {
		return nil, "", err
	}
	return func(*rand.Rand) workload.Workload {
			one := w
			one.Files = slices.Clone(w.Files)
			return one
		},
		fmt.Sprintf("Workload: the first %d jobs of %s, path labels repaired, bytes scaled from "+
			"3,000 to 100 nodes, jobs cut to 100 maps.", len(w.Jobs), pathsName), nil
}
