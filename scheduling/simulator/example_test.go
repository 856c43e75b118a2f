package simulator_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Delay scheduling on the macrobenchmark of its paper: the same jobs, blocks and task times under
// both policies.
func ExampleCompare() {
	var contenders []simulator.Contender
	for _, name := range []string{"fair", "hfs"} {
		policy, err := scheduling.Preset(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		contenders = append(contenders, simulator.Contender{Name: name, Policy: policy})
	}
	load := func(seed uint64) (*workload.Workload, error) {
		w := workload.FacebookIO(rand.New(rand.NewPCG(seed, 0)))
		return &w, nil
	}
	cfg := simulator.Config{Cluster: simulator.Cluster{Nodes: 100, MapSlots: 4, ReduceSlots: 2}, Seed: 1}
	out, err := simulator.Compare(context.Background(), cfg, contenders, 2, load)
	if err != nil {
		fmt.Println(err)
		return
	}
	local := func(r *simulator.Result) float64 { return r.Report.Maps.Share(scheduling.NodeLocal) }
	gain := out[1].Minus(&out[0], local)
	fmt.Println("locality is better with delay:", gain.Mean > 0.02)
	// Output: locality is better with delay: true
}
