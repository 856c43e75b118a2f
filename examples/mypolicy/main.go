// Mypolicy defines its own placement of reduces (placement.go) and runs it in three ways: on a live
// cluster, in the simulator, and in a scenario whose answers were worked out by hand. With
// arguments, it is the tarry command extended by this placement.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/cmd"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/scenario"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// parts registers the placement as "thrifty", the name by which policies select it.
func parts() scheduling.Parts {
	return scheduling.Parts{Reduces: map[string]func() scheduling.ReducePlacement{
		"thrifty": func() scheduling.ReducePlacement { return thrifty{rate: 50e6} },
	}}
}

func main() {
	if len(os.Args) > 1 {
		cmd.Main(parts())
	}
	for _, run := range []func() error{live, simulated, inScenario} {
		if err := run(); err != nil {
			fmt.Fprintln(os.Stderr, "mypolicy:", err)
			os.Exit(1)
		}
	}
}

// live counts words on a cluster of four nodes, whose reduces thrifty places.
func live() error {
	policy, err := scheduling.Preset("hfs")
	if err != nil {
		return err
	}
	policy.Reduce = scheduling.ReducePolicy{Part: "thrifty"}
	cluster, err := actors.Start(actors.Config{Nodes: 4, Racks: 2, MapSlots: 1, ReduceSlots: 1, Policy: policy, Parts: parts()})
	if err != nil {
		return err
	}
	defer cluster.Close()
	job := mapreduce.Job[[]byte, string, int64, mapreduce.Pair[string, int64]]{
		Reducers: 4,
		Map: func(line []byte, emit func(string, int64)) error {
			for word := range mapreduce.Fields(line) {
				emit(string(word), 1)
			}
			return nil
		},
		Reduce: func(word string, counts iter.Seq[int64], emit func(mapreduce.Pair[string, int64])) error {
			var sum int64
			for n := range counts {
				sum += n
			}
			emit(mapreduce.MakePair(word, sum))
			return nil
		},
	}
	var out mapreduce.Collected[mapreduce.Pair[string, int64]]
	text := mapreduce.Bytes("rhyme", []byte(strings.Repeat("tarry a while said slow let us tarry\n", 1000)))
	plan, err := job.Bind(mapreduce.Lines(text), out.Output())
	if err != nil {
		return err
	}
	ctx := context.Background()
	handle, err := cluster.Submit(ctx, plan, actors.SubmitOptions{})
	if err != nil {
		return err
	}
	if _, err := handle.Wait(ctx); err != nil {
		return err
	}
	counts, err := out.Records()
	fmt.Println("live:", len(counts), "words counted")
	return err
}

// simulated compares thrifty with built-in placements under the same jobs, blocks and task times.
func simulated() error {
	cfg := simulator.Config{
		Cluster: simulator.Cluster{Nodes: 40, Racks: 4, MapSlots: 4, ReduceSlots: 2},
		Network: simulator.Network{Flows: true, Oversubscription: 10},
		Core:    scheduling.Config{Parts: parts()},
	}
	var contenders []simulator.Contender
	for _, c := range []struct {
		name   string
		reduce scheduling.ReducePolicy
	}{
		{"any", scheduling.ReducePolicy{}},
		{"cogrs", scheduling.ReducePolicy{Rule: scheduling.CoGRS}},
		{"thrifty", scheduling.ReducePolicy{Part: "thrifty"}},
	} {
		policy, err := scheduling.Preset("hfs")
		if err != nil {
			return err
		}
		policy.Reduce = c.reduce
		contenders = append(contenders, simulator.Contender{Name: c.name, Policy: policy})
	}
	jobs := func(uint64) (*workload.Workload, error) {
		w := workload.Workload{Name: "skewed"}
		for i := range 20 { // 1.3 GB each, of which maps make 5 GB, unevenly spread over maps and reduces
			w.Jobs = append(w.Jobs, workload.Job{
				Name: fmt.Sprint("job-", i), Submit: time.Duration(i) * 10 * time.Second,
				Maps: 10, Reduces: 6, InputBytes: 10 * workload.DefaultBlock, ShuffleBytes: 40 * workload.DefaultBlock,
				Skew: workload.Skew{Cells: 2},
			})
		}
		return &w, nil
	}
	contests, err := simulator.Compare(context.Background(), cfg, contenders, 5, jobs)
	if err != nil {
		return err
	}
	for i := range contests {
		c := &contests[i]
		fmt.Printf("simulated: %s: a job takes %.0f s, %.0f GB go from rack to rack for reduces\n", c.Name,
			c.Over(func(r *simulator.Result) float64 { return r.Report.Sojourn.Mean }).Mean,
			c.Over(func(r *simulator.Result) float64 { return float64(r.Report.Shuffle.OffRack) / 1e9 }).Mean)
	}
	return nil
}

//go:embed mypolicy.scenario
var byHand []byte

// inScenario checks the scheduler's answers against those in the file, worked out by hand.
func inScenario() error {
	dir, err := os.MkdirTemp("", "mypolicy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "mypolicy.scenario")
	if err := os.WriteFile(file, byHand, 0o600); err != nil {
		return err
	}
	fmt.Print("scenario: ")
	if code := scenario.Run(os.Stdout, os.Stderr, []string{file}, scenario.Options{Parts: parts()}); code != scenario.Passed {
		return fmt.Errorf("%s does not hold", file)
	}
	return nil
}
