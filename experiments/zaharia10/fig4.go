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

// Fig4 is [Zaharia10 Fig 4]: what the pools of the example are given, first while pool 3 is idle,
// then when it has a job too.
func Fig4(ctx context.Context, o study.Options) (*study.Result, error) {
	const slots, wakes, end = 100, 300 * time.Second, 600 * time.Second
	p := setup.Preset("hfs", func(p *scheduling.Policy) {
		p.Spread = false
		p.Pools = scheduling.Allocations{Pools: []scheduling.PoolConfig{
			{Name: "pool1", Min: [2]int{60, 0}},
			{Name: "pool2", Mode: scheduling.FIFOMode},
			{Name: "pool3", Min: [2]int{10, 0}},
		}}
	})
	w := fig4Jobs(wakes)
	c, err := setup.Contest(ctx, simulator.Config{
		Cluster: simulator.Cluster{Nodes: slots / 4}, Seed: o.Seed, Sample: time.Second, Until: end,
	}, p, o.Repeats(1, 10), func(*rand.Rand) workload.Workload { return w })
	if err != nil {
		return nil, err
	}
	r := &study.Result{
		Setup: fig4Setup(),
		Notes: []string{
			"Once pool 3 wakes, each gets max(minimum, level) with 60 + 2 × level = 100: the " +
				"minimum of 10 does not bind, pools 2 and 3 have 20 each.",
		},
	}
	fig, _ := slotsHeld(c.Results[0], &w)
	r.Figures = []study.Figure{fig}
	for part, want := range [2][5]float64{{30, 30, 40, 0, 0}, {30, 30, 20, 0, 20}} {
		when := []string{"pool 3 idle", "pool 3 awake"}[part]
		from, to := part*int(wakes.Seconds())+100, (part+1)*int(wakes.Seconds())
		mean := func(i int) study.Sample {
			return setup.Each(c, func(res *simulator.Result) float64 {
				_, held := slotsHeld(res, &w)
				return setup.Average(held[i][from:to])
			})
		}
		for i := range 4 {
			r.Add(study.FormulaRow(fmt.Sprintf("%s: job %d", when, i+1), "slots", want[i], 0.5,
				mean(i)).Saying("follows from max-min with minimum shares and the pool's policy"))
		}
		if part == 1 {
			r.Add(study.FormulaRow("pool 3 awake: pool 3", "slots", want[4], 0.5,
				mean(4)).Saying("follows from max-min with minimum shares"))
		}
	}
	return r, nil
}

// fig4Setup names the choices.
func fig4Setup() []string {
	return []string{
		"100 map slots, pools with minimum shares of 60 (pool 1), 0 (pool 2) and 10 (pool " +
			"3). The figure's image is not in the text we have: the number of slots and of " +
			"jobs, and which pool is fair inside (1) and which first in, first out (2), are " +
			"choices of ours.",
		"Two endless jobs each in pools 1 and 2; pool 3 is idle until 300 s and has one job " +
			"after that. Maps of 10 s. Slots held, averaged over the last 200 s of either " +
			"part.",
	}
}

// fig4Jobs are endless jobs; the one of pool 3 comes when it wakes.
func fig4Jobs(wakes time.Duration) workload.Workload {
	w := workload.Workload{Name: "fig4"}
	for i, pool := range []string{"pool1", "pool1", "pool2", "pool2", "pool3"} {
		j := workload.Job{
			Name: fmt.Sprintf("job %d", i+1), User: "u", Pool: pool, Maps: 100_000,
			NoLocation: true, Map: workload.Cost{Setup: -1, Time: 10 * time.Second, Spread: 0.3},
		}
		if pool == "pool3" {
			j.Submit = wakes
		}
		w.Jobs = append(w.Jobs, j)
	}
	return w
}

// slotsHeld draws the map slots that each job holds, and gives them by job and sample.
func slotsHeld(res *simulator.Result, w *workload.Workload) (study.Figure, [][]float64) {
	fig := study.Figure{
		Name: "fig4", Title: "Slots held by job", X: "seconds", Y: "map slots", Stacked: true,
	}
	held := make([][]float64, len(w.Jobs))
	for i := range w.Jobs {
		held[i] = make([]float64, len(res.Samples))
		fig.Series = append(fig.Series,
			&study.Series{Name: w.Jobs[i].Name + " (" + w.Jobs[i].Pool + ")", Y: held[i]})
	}
	for n, s := range res.Samples {
		for i := range fig.Series {
			fig.Series[i].X = append(fig.Series[i].X, s.At.Seconds())
		}
		for _, j := range s.Jobs {
			held[j.Job][n] = float64(j.Slots[0])
		}
	}
	return fig, held
}
