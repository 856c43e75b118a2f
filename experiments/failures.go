package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// failures takes nodes out under a mixed load.
func failures(ctx context.Context, o Options) (*Result, error) {
	p, err := preset("hfs", func(p *scheduling.Policy) { p.Reduce.Rule = scheduling.CoGRS })
	if err != nil {
		return nil, err
	}
	r := &Result{Setup: []string{
		ec2Setup()[0], ec2Setup()[1],
		"Twenty jobs of 56 maps and 20 reduces, together; policy hfs with CoGRS. Nodes fail at random, exponential, for 10 min each; what ran there and the map outputs there are lost, a silent node is given up after 30 s.",
	}}
	fig := Figure{Name: "makespan", Title: "Makespan under failures of nodes", X: "failures of a node in an hour", Y: "makespan over that without failures"}
	var xs, ys []float64
	base := 0.0
	for _, hours := range []float64{0, 8, 2, 0.5} {
		cfg := ec2()
		cfg.Seed, cfg.Cluster.Racks, cfg.Core.Expiry = o.Seed, 4, 30*time.Second
		cfg.TellProgress, cfg.Failures.MTBF = true, time.Duration(hours*float64(time.Hour))
		c, err := contest(ctx, cfg, p, o.repeats(1, 5), func(*rand.Rand) workload.Workload { return shuffleJobs(20, 56, 20, 1) })
		if err != nil {
			return nil, err
		}
		name, m, rate := fmt.Sprintf("a node fails each %g h", hours), c.Over(makespan).Mean, 1/hours
		if hours == 0 {
			name, base, rate = "no failures", m, 0
		}
		xs, ys = append(xs, rate), append(ys, m/base)
		ended := c.Over(func(r *simulator.Result) float64 { return float64(r.Report.Jobs) }).Mean
		r.Rows = append(r.Rows,
			Row{Quantity: name + ": jobs ended", Published: math.NaN(), Claim: "all", Ours: ended, Band: Within(20, 0)},
			Row{Quantity: name + ": makespan against none", Unit: "×", Published: math.NaN(), Ours: m / base, Band: Context()})
	}
	fig.Series = []Series{{Name: "hfs with CoGRS", X: xs, Y: ys}}
	r.Figures = []Figure{fig}
	return r, nil
}
