package experiments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// delayFig15 is [Zaharia10 Fig 15, §5.3]: node locality of small jobs against the wait W1.
func delayFig15(ctx context.Context, o Options) (*Result, error) {
	published := map[int]map[int]float64{4: {0: 5, 1: 68, 5: 99, 10: 100}, 12: {0: 11, 1: 80, 5: 99, 10: 99.8}}
	band := map[int]float64{0: 8, 1: 12, 5: 3, 10: 1.5}
	r := &Result{Setup: append(ec2Setup(),
		"200 jobs of 4 or 12 maps, each its own user and file, 50 active at a time (closed loop).",
		"Policy hfs with one pool a user; W1 varies, W2 plays no part in one rack.")}
	fig := Figure{Name: "fig15", Title: "Node locality of small jobs", X: "W1 (s)", Y: "node-local maps (%)"}
	repeat := o.repeats(1, 5)
	for _, maps := range []int{4, 12} {
		ours := Series{Name: fmt.Sprintf("%d maps, ours", maps)}
		paper := Series{Name: fmt.Sprintf("%d maps, published", maps), Dashed: true}
		for w1 := 0; w1 <= 10; w1++ {
			want, known := published[maps][w1]
			if o.Quick && !known {
				continue
			}
			got, err := smallJobLocality(ctx, o, repeat, maps, time.Duration(w1)*time.Second)
			if err != nil {
				return nil, err
			}
			ours.X, ours.Y = append(ours.X, float64(w1)), append(ours.Y, got)
			if known {
				paper.X, paper.Y = append(paper.X, float64(w1)), append(paper.Y, want)
				r.Rows = append(r.Rows, Row{
					Quantity: fmt.Sprintf("%d-map jobs, W1 = %d s", maps, w1), Unit: "%",
					Published: want, Ours: got, Band: Within(want, band[w1]),
				})
			}
		}
		fig.Series = append(fig.Series, ours, paper)
	}
	r.Figures = []Figure{fig}
	r.Notes = []string{"How many slots become free a second decides the points at 1 s; the paper does not give its tasks' length."}
	return r, nil
}

func smallJobLocality(ctx context.Context, o Options, repeat, maps int, w1 time.Duration) (float64, error) {
	p, err := preset("hfs", waits(w1, 0))
	if err != nil {
		return 0, err
	}
	cfg := ec2()
	cfg.Seed = o.Seed
	cfg.Submission = simulator.Submission{Rule: simulator.Closed, Active: 50}
	c, err := contest(ctx, cfg, p, repeat, func(*rand.Rand) workload.Workload { return workload.Scans(200, maps, 0) })
	if err != nil {
		return 0, err
	}
	return c.Over(nodeLocal).Mean, nil
}
