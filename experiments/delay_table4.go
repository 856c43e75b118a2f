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

// rackLocal is the part of a result's maps in a rack with their data, in per cent.
func rackLocal(r *simulator.Result) float64 { return 100 * r.Report.Maps.Share(scheduling.RackLocal) }

// delayTable4 is [Zaharia10 Table 4 and Fig 12, §5.2.2]: small jobs on the private cluster.
func delayTable4(ctx context.Context, o Options) (*Result, error) {
	r := &Result{Setup: []string{
		"Cluster: 100 nodes in 4 racks, 6 map and 4 reduce slots each, 128 MB blocks, 3 replicas [Zaharia10 Table 1].",
		ec2Setup()[1],
		"Maps: 1 s set-up, 5 s reading beside the data (rack 1.5 times, elsewhere twice as long), 6 s computing with a lognormal factor of sigma 0.4.",
		"Enough jobs of 3, 10 or 100 maps, as many active at a time as fill the 600 map slots (200, 60 and 6; closed loop), each its own user and file; each takes 5 s to set up. The paper gives neither arrivals nor concurrency nor which files the jobs share.",
		"Without: hfs with greedy locality; with: W1 = W2 = 15 s. No load manager.",
	}}
	fig := Figure{Name: "fig12", Title: "Running time of the workload, normalized", X: "maps a job", Y: "time", Categories: []string{"3", "10", "100"}, Series: []Series{{Name: "without"}, {Name: "with delay"}}}
	for _, c := range []struct {
		maps, jobs             int
		node0, rack0, node, rk float64
		gain                   float64
	}{{3, 1200, 2, 50, 75, 96, 1.2}, {10, 1000, 37, 98, 99, 100, 1.7}, {100, 300, 84, 99, 94, 99, 1.3}} {
		if o.Quick {
			c.jobs /= 4
		}
		all, err := table4Contest(ctx, o, c.maps, c.jobs, 600/c.maps)
		if err != nil {
			return nil, err
		}
		for i, want := range [][2]float64{{c.node0, c.rack0}, {c.node, c.rk}} {
			for k, f := range []func(*simulator.Result) float64{nodeLocal, rackLocal} {
				row := Row{
					Quantity: fmt.Sprintf("%d-map jobs, %s: %s", c.maps, all[i].Name, []string{"node-local", "rack-local or nearer"}[k]), Unit: "%",
					Published: want[k], Ours: all[i].Over(f).Mean, Band: Within(want[k], 10),
				}
				if i == 1 {
					row.Band = AtLeast(want[k] - 5)
				}
				r.Rows = append(r.Rows, row)
			}
		}
		gain := all[0].Over(makespan).Mean / all[1].Over(makespan).Mean
		r.Rows = append(r.Rows, Row{Quantity: fmt.Sprintf("%d-map jobs: throughput with delay over without", c.maps), Unit: "×", Published: c.gain, Ours: gain, Band: Within(c.gain, 0.3)})
		if all, err = table4Contest(ctx, o, c.maps, c.jobs, 1200/c.maps); err != nil {
			return nil, err
		}
		for i := range all {
			r.Rows = append(r.Rows, Row{
				Quantity: fmt.Sprintf("%d-map jobs, %s: node-local, twice as many active", c.maps, all[i].Name), Unit: "%",
				Published: math.NaN(), Claim: "sensitivity", Ours: all[i].Over(nodeLocal).Mean, Band: Context(),
			})
		}
		fig.Series[0].Y, fig.Series[1].Y = append(fig.Series[0].Y, 1), append(fig.Series[1].Y, 1/gain)
	}
	r.Figures = []Figure{fig}
	r.Notes = []string{
		"Random nodes would give 5.9, 15.4 and 75.5 % for jobs of 3, 10 and 100 maps; the paper's 37 % for 10 maps is far above that and its 2 % for 3 maps below, so something in its set-up that we do not know helped, such as shared files. We do not fit it.",
		"The published gain is held down by how fast Hadoop initializes jobs, and driven up by contention for disks; neither is modelled.",
	}
	return r, nil
}

func table4Contest(ctx context.Context, o Options, maps, jobs, active int) ([]simulator.Contest, error) {
	var list []simulator.Contender
	for _, w := range []time.Duration{0, 15 * time.Second} {
		p, err := preset("hfs", func(p *scheduling.Policy) {
			waits(w, w)(p)
			p.Spread = false
		})
		if err != nil {
			return nil, err
		}
		name := "without delay"
		if w > 0 {
			name = "with delay"
		}
		list = append(list, simulator.Contender{Name: name, Policy: p})
	}
	cfg := ec2()
	cfg.Seed, cfg.JobSetup = o.Seed, 5*time.Second
	cfg.Cluster.Racks, cfg.Cluster.MapSlots, cfg.Cluster.ReduceSlots = 4, 6, 4
	cfg.Cluster.ReadRate = workload.DefaultBlock / 5.0
	cfg.Network.ReadFactor = [3]float64{1, 1.5, 2}
	cfg.Submission = simulator.Submission{Rule: simulator.Closed, Active: active}
	return contests(ctx, cfg, list, o.repeats(1, 3), func(*rand.Rand) workload.Workload {
		w := workload.Scans(jobs, maps, 0)
		for i := range w.Jobs {
			w.Jobs[i].Map.Time, w.Jobs[i].Map.Spread = 6*time.Second, 0.4
		}
		return w
	})
}
