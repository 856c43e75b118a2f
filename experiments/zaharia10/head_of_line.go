package zaharia10

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The example of §3.3.1: nodes of the cluster, and those on which a small job has data.
const headNodes, headData = 300, 30

// HeadOfLine is [Zaharia10 §3.3.1] simulated, with what §3.5 works out for skip counts.
func HeadOfLine(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: []string{
		"300 nodes of one slot, event drive: a slot is offered the moment it frees, as in the " +
			"paper's algorithms. Ten jobs without data keep all slots busy with maps of 20 s, " +
			"lognormal factor of sigma 0.4.",
		"Small jobs of five maps come every 30 s; each map has its block on the same 30 random " +
			"nodes, so that the job has data on 10 % of the nodes until its end. For the skip " +
			"counts the small jobs have one map, since after D refusals Algorithm 2 launches the " +
			"others without waiting.",
		"naive: policy fair; the skip counts are those of Algorithm 2.",
	}}
	naive, err := headLocality(ctx, o, 5, scheduling.LocalityPolicy{})
	if err != nil {
		return nil, err
	}
	r.Add(study.PrintedRow("naive fair, data on 10 % of the nodes: node-local", "%", 10,
		study.Share, naive).Saying("will only achieve 10 % locality"))
	fig := study.Figure{
		Name: "skips", Title: "Locality of one map with data on 10 % of the nodes",
		X: "skip count D", Y: "node-local (%)",
		Series: []*study.Series{{Name: "simulated"}, {Name: "1 − 0.9^(D+1)", Dashed: true}},
	}
	for _, skips := range []int{10, 40} {
		got, err := headLocality(ctx, o, 1,
			scheduling.LocalityPolicy{Rule: scheduling.SkipCount, Skips: []int{skips}})
		if err != nil {
			return nil, err
		}
		want := 100 * delaymath.LocalWithin(headData/float64(headNodes), float64(skips+1))
		fig.Series[0].AddSample(float64(skips), got)
		fig.Series[1].Add(float64(skips), want)
		r.Add(study.FormulaRow(fmt.Sprintf("skip count of %d: node-local", skips), "%", want,
			study.Share(want), got).Saying("1 − 0.9^(D+1)"))
	}
	r.Figures = []study.Figure{fig}
	r.Notes = []string{
		"§3.5 has 65 and 99 %, 1 − 0.9^D: it does not count the offer at which a job gives up " +
			"waiting, which may be local too, as Algorithm 2 does. Slots that free one after the " +
			"other are of different nodes, which adds a point to the smaller one.",
	}
	return r, nil
}

// headLocality is the node-local part of small jobs' maps in per cent.
func headLocality(
	ctx context.Context, o study.Options, maps int, rule scheduling.LocalityPolicy,
) (study.Sample, error) {
	jobs := 200
	if o.Quick {
		jobs = 30
	}
	w := headJobs(jobs, maps)
	p := setup.Preset("fair", func(p *scheduling.Policy) { p.Locality = rule })
	c, err := setup.Contest(ctx, simulator.Config{
		Cluster: simulator.Cluster{Nodes: headNodes, MapSlots: 1, Setup: -1},
		Network: simulator.Network{ReadFactor: [3]float64{1, 2, 2}},
		Seed:    o.Seed, Until: w.Jobs[len(w.Jobs)-1].Submit,
		Places: headPlaces(maps),
	}, p, o.Repeats(2, 10), func(*rand.Rand) workload.Workload { return w })
	if err != nil {
		return study.Sample{}, err
	}
	return setup.Each(c, setup.NodeLocal), nil
}

// headJobs are ten endless jobs without data, and small ones that come by and by.
func headJobs(jobs, maps int) workload.Workload {
	var list []setup.Tenant
	for range 10 {
		list = append(list,
			setup.Tenant{User: "many", Map: 20 * time.Second, Spread: 0.4})
	}
	w := setup.Tenants(list...)
	for i := range jobs {
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprintf("small %d", i), User: "small", Class: "small", Maps: maps,
			Submit:     time.Duration(i+10) * 30 * time.Second,
			InputBytes: int64(maps) * workload.DefaultBlock,
			Map:        workload.Cost{CPU: -1, Time: 10 * time.Second, Spread: 0.4},
		})
	}
	return w
}

// headPlaces puts all blocks of a job on the same random nodes.
func headPlaces(maps int) func(job int) scheduling.Places {
	return func(job int) scheduling.Places {
		nodes := rand.New(rand.NewPCG(uint64(job), 331)).Perm(headNodes)[:headData]
		p := scheduling.Places{Offsets: []int32{0}}
		for range maps {
			for _, n := range nodes {
				p.Nodes = append(p.Nodes, scheduling.NodeID(n))
			}
			p.Offsets = append(p.Offsets, int32(len(p.Nodes)))
		}
		return p
	}
}
