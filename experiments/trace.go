package experiments

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// traceName is the file looked for in the folder that TARRY_TRACES names.
const traceName = "FB-2009_samples_24_times_1hr_0.tsv"

// facebookTrace crosses order, locality and reduce placement on a trace of Facebook.
func facebookTrace(ctx context.Context, o Options) (*Result, error) {
	jobs := 1000
	if o.Quick {
		jobs = 150
	}
	load, source, err := traceJobs(jobs)
	if err != nil {
		return nil, err
	}
	var list []simulator.Contender
	for _, order := range []string{"fifo", "hfs", "hfsp"} {
		for _, wait := range []time.Duration{0, 5 * time.Second} {
			for _, rule := range []scheduling.ReduceRule{scheduling.AnyNode, scheduling.CoGRS} {
				p, err := preset(order, func(p *scheduling.Policy) {
					waits(wait, wait)(p)
					p.Reduce.Rule = rule
				})
				if err != nil {
					return nil, err
				}
				name := fmt.Sprintf("%s, W = %v, reduces %s", order, wait, []string{"anywhere", "at the center"}[min(int(rule), 1)])
				list = append(list, simulator.Contender{Name: name, Policy: p})
			}
		}
	}
	cfg := ec2()
	cfg.Seed, cfg.Cluster.Racks, cfg.Cluster.ReadRate = o.Seed, 5, 20e6
	cfg.SizeCells = 100_000
	all, err := contests(ctx, cfg, list, 1, load)
	if err != nil {
		return nil, err
	}
	r := &Result{Setup: []string{
		source,
		"100 nodes in 5 racks, 4 map and 2 reduce slots each; maps read 20 MB/s; one reduce a GB; jobs larger than 1,000 maps shrink in proportion.",
		"Jobs with more than 100,000 pairs of map and reduce place their reduces anywhere. W1 = W2.",
	}}
	for i := range all {
		c := &all[i]
		r.Rows = append(r.Rows,
			Row{Quantity: c.Name + ": mean sojourn", Unit: "s", Published: math.NaN(), Ours: c.Over(meanSojourn).Mean, Band: Context()},
			Row{Quantity: c.Name + ": node-local", Unit: "%", Published: math.NaN(), Ours: c.Over(nodeLocal).Mean, Band: Context()},
			Row{Quantity: c.Name + ": shuffled off the rack", Unit: "GB", Published: math.NaN(), Ours: c.Over(offRack).Mean / 1e9, Band: Context()})
	}
	return r, nil
}

// traceJobs gives the first jobs of the trace, or of a sample drawn like it, and says which.
func traceJobs(jobs int) (load func(*rand.Rand) workload.Workload, source string, err error) {
	dir := os.Getenv("TARRY_TRACES")
	if dir == "" {
		load = func(r *rand.Rand) workload.Workload {
			w := workload.FBDataset(r)
			return w
		}
		return load, "Workload: no trace (TARRY_TRACES is not set), so the drawn FB-dataset of [Pastorelli13 §4.1] stands in for it.", nil
	}
	f, err := os.Open(filepath.Join(dir, traceName))
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	w, err := workload.ReadSWIM(f, traceName, workload.TraceOptions{Nodes: 100, OriginalNodes: 600, Jobs: jobs, MaxMaps: 1000, MaxReduces: 200, Skew: workload.Skew{Cells: 1}})
	if err != nil {
		return nil, "", err
	}
	return func(*rand.Rand) workload.Workload { return w }, fmt.Sprintf("Workload: the first %d jobs of %s, bytes scaled from 600 to 100 nodes, submissions as recorded.", jobs, traceName), nil
}
