package experiments

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// delayFig11 is [Zaharia10 Fig 11, §5.2.1]: two levels of sharing over time.
func delayFig11(ctx context.Context, o Options) (*Result, error) {
	p, err := preset("hfs", func(p *scheduling.Policy) {
		waits(5*time.Second, 0)(p)
		p.Pools = scheduling.Allocations{Pools: []scheduling.PoolConfig{{Name: "pool1"}, {Name: "pool2"}, {Name: "pool3", Mode: scheduling.FIFOMode}}}
	})
	if err != nil {
		return nil, err
	}
	cfg := ec2()
	cfg.Seed, cfg.Policy = o.Seed, p
	cfg.Cluster.Setup, cfg.Cluster.ReadRate = -1, 1e12
	cfg.Sample, cfg.Until = time.Second, 700*time.Second
	w := workload.Hierarchy(false)
	res, err := simulator.Run(ctx, cfg, &w)
	if err != nil {
		return nil, err
	}
	fig := Figure{Name: "fig11", Title: "Share of the running maps by job", X: "seconds", Y: "running maps (%)", Stacked: true}
	shares := make([][]float64, len(w.Jobs))
	for i := range w.Jobs {
		shares[i] = make([]float64, len(res.Samples))
	}
	at := make([]float64, len(res.Samples))
	for n, s := range res.Samples {
		at[n] = s.At.Seconds()
		running := 0
		for _, j := range s.Jobs {
			running += j.Slots[0]
		}
		for _, j := range s.Jobs {
			shares[j.Job][n] = 100 * float64(j.Slots[0]) / float64(running)
		}
	}
	for i := range w.Jobs {
		fig.Series = append(fig.Series, Series{Name: fmt.Sprintf("%s (%s)", w.Jobs[i].Name, w.Jobs[i].Pool), X: at, Y: shares[i]})
	}
	pool3 := func(n int) float64 { return shares[2][n] + shares[3][n] + shares[4][n] }
	reach := func(from, want float64, share func(n int) float64) float64 {
		for n := range at {
			if at[n] >= from && share(n) >= want {
				return at[n] - from
			}
		}
		return math.NaN()
	}
	mean := func(from, to float64, share func(n int) float64) float64 {
		var x []float64
		for n := range at {
			if at[n] >= from && at[n] < to {
				x = append(x, share(n))
			}
		}
		return average(x)
	}
	job := func(i int) func(n int) float64 { return func(n int) float64 { return shares[i][n] } }
	r := &Result{
		Setup: []string{
			ec2Setup()[0], ec2Setup()[1],
			"Pools 1 and 2 share fairly inside, pool 3 is first in first out; W1 = 5 s. Maps of 25 s (long jobs) and 12 s (short ones) in all, with a lognormal factor of sigma 0.1: the variance is a choice.",
			"The job that comes to pool 1 at 494 s is a long one: the paper leaves it open. The commit-pending bug, which makes the paper's bumps, is not modelled.",
			"A job's share is its part of the running tasks, as in the paper. A share is reached when it is within 2 points of the published one.",
		},
		Rows: []Row{
			{Quantity: "pool 2 reaches 50 % after", Unit: "s", Published: 17, Ours: reach(57, 48, job(1)), Band: Within(17, 5)},
			{Quantity: "pool 3 reaches 33 % after", Unit: "s", Published: 12, Ours: reach(118, 31.3, pool3), Band: Within(12, 5)},
			{Quantity: "pool 2 once it has its share (90 to 117 s)", Unit: "%", Published: 50, Ours: mean(90, 117, job(1)), Band: Within(50, 2)},
			{Quantity: "job 1 before the last job (400 to 490 s)", Unit: "%", Published: 50, Ours: mean(400, 490, job(0)), Band: Within(50, 2)},
			{Quantity: "job 1 after it (540 to 640 s)", Unit: "%", Published: 25, Ours: mean(540, 640, job(0)), Band: Within(25, 2)},
			{Quantity: "last job (540 to 640 s)", Unit: "%", Published: 25, Ours: mean(540, 640, job(5)), Band: Within(25, 2)},
			{Quantity: "pool 2 (540 to 640 s)", Unit: "%", Published: 50, Ours: mean(540, 640, job(1)), Band: Within(50, 2)},
			{Quantity: "node-local", Unit: "%", Published: 99, Claim: "99 to 100 %", Ours: nodeLocal(res), Band: AtLeast(98.5)},
		},
		Figures: []Figure{fig},
	}
	return r, nil
}
