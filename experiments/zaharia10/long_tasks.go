package zaharia10

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

// LongTasks is [Zaharia10 §3.5.1]: long tasks that fill nodes, and slots kept from them.
func LongTasks(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: []string{
		"100 nodes of 2 map slots, 3 replicas, event drive; one job with endless maps of 600 s " +
			"(lognormal factor of sigma 0.4, told to the policy) takes what it gets; small jobs " +
			"of 10 maps of 8 s come every 20 s, each its own user and file.",
		"Policy hfs without load manager, W1 = 5 s. Long tasks are held off one slot of each " +
			"node, or not. The paper would spread them by a test of its own, more than the mean " +
			"number of long tasks on a node; ours keeps slots for the others.",
		"The long job is limited by its pool to a part φ of the slots, so that short tasks " +
			"always find some: what differs is where it has them.",
	}}
	fig := study.Figure{
		Name: "long", Title: "Locality of small jobs beside long tasks",
		X: "part of the slots with long tasks", Y: "node-local maps (%)",
		Series: []*study.Series{
			{Name: "long tasks anywhere"}, {Name: "one slot a node kept from them"},
		},
	}
	var plain, kept study.Sample
	for _, phi := range []float64{0.2, 0.5} {
		if o.Quick && phi < 0.5 {
			continue
		}
		all, err := longContest(ctx, o, phi)
		if err != nil {
			return nil, err
		}
		plain, kept = setup.Local(&all[0], "small", scheduling.NodeLocal),
			setup.Local(&all[1], "small", scheduling.NodeLocal)
		for i, x := range []study.Sample{plain, kept} {
			fig.Series[i].AddSample(phi, x)
		}
		what := fmt.Sprintf("φ = %g: ", phi)
		r.Add(study.Shown(what+"small jobs' node-local maps, long tasks anywhere", "%", plain),
			study.SaidRow(what+"node-local maps of small jobs that balancing adds", "points",
				"lowers the chance that a node fills with long tasks", study.More(0),
				kept.Minus(plain)))
		if phi < 0.5 {
			r.Add(study.SaidRow(what+"small jobs' node-local maps less those of no long tasks",
				"points", "little impact unless long tasks are very common", study.More(-10),
				plain.Minus(setup.Local(&all[2], "small", scheduling.NodeLocal))))
		}
	}
	r.Add(study.OwnRow("φ = 0.5, balanced: small jobs' node-local maps", "%",
		"each node has a slot for them: high", study.More(80), kept))
	r.Figures = []study.Figure{fig}
	return r, nil
}

// longContest runs small jobs beside long tasks: without balancing, with it, and, last, without the
// long tasks.
func longContest(
	ctx context.Context, o study.Options, phi float64,
) ([]simulator.Contest, error) {
	const slots = 200
	jobs := 100
	if o.Quick {
		jobs = 30
	}
	var list []simulator.Contender
	for _, reserve := range []int{0, 1} {
		p := setup.Preset("hfs", setup.Waits(5*time.Second, 0))
		p.Spread, p.ReserveLong, p.LongTask = false, reserve, time.Minute
		p.Pools.Pools = []scheduling.PoolConfig{{Name: "long", Max: [2]int{int(phi * slots), 0}}}
		list = append(list, simulator.Contender{Name: fmt.Sprint(reserve), Policy: p})
	}
	none := list[0]
	none.Policy.Pools.Pools = []scheduling.PoolConfig{{Name: "long", Max: [2]int{1, 0}}}
	list = append(list, none)
	w := longJobs(jobs)
	return setup.Contests(ctx, simulator.Config{
		Cluster: simulator.Cluster{Nodes: slots / 2, MapSlots: 2, Setup: -1, ReadRate: 1e12},
		Seed:    o.Seed, Until: w.Jobs[len(w.Jobs)-1].Submit,
	}, list, o.Repeats(2, 10), func(*rand.Rand) workload.Workload { return w })
}

// longJobs are an endless job of long maps and small jobs.
func longJobs(jobs int) workload.Workload {
	w := setup.Tenants(setup.Tenant{
		Pool: "long", User: "long", Map: 600 * time.Second, Spread: 0.4,
	})
	w.Jobs[0].TellTimes = true
	for i := range jobs {
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprintf("small %d", i), User: fmt.Sprintf("user %d", i), Class: "small",
			Maps: 10, Submit: time.Duration(60+20*i) * time.Second, TellTimes: true,
			InputBytes: 10 * workload.DefaultBlock,
			Map:        workload.Cost{CPU: -1, Time: 8 * time.Second, Spread: 0.4},
		})
	}
	return w
}
