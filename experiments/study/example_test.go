package study_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"testing/fstest"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// texts are in the code here, so that a reader sees them. A program embeds a folder by go:embed.
var texts = fstest.MapFS{"waiting.md": {Data: []byte(`# waiting: What waiting for local maps is worth

ours

## Set-up

- 20 nodes; {jobs} jobs of 4 maps, each with a file of its own.

## Figures

| figure | title | x | y |
|---|---|---|---|
| locality | Node-local maps | policy | node-local (%) |

## Rows

| quantity | unit | kind | expected | claim |
|---|---|---|---|---|
| node-local maps that waiting adds | points | own | > 0 | delay scheduling |
`)}}

// waiting compares fair sharing without and with a wait of 5 s for a node with the data.
func waiting(s *study.Study) {
	jobs := study.Pick(s, 20, 200)
	s.Fill("jobs", jobs)
	wait := func(p *scheduling.Policy) {
		p.Locality = scheduling.LocalityPolicy{
			Rule: scheduling.TimedWait, Waits: []time.Duration{5 * time.Second},
		}
	}
	cfg := simulator.Config{
		Cluster:    simulator.Cluster{Nodes: 20, Replicas: 3},
		Submission: simulator.Submission{Rule: simulator.Closed, Active: 15},
	}
	all := s.Compare(cfg, study.Contenders{
		study.Policy("greedy", "fair"), study.Policy("waiting", "fair", wait),
	}, s.Repeats(5, 20), func(*rand.Rand) workload.Workload { return workload.Scans(jobs, 4, 0) })
	s.Row("node-local maps that waiting adds", all.Less(1, 0, study.NodeLocal))
	bars := s.Plot("locality")
	for _, r := range all {
		bars.BarSample("", r.Name, r.By(study.NodeLocal))
	}
}

// Define an experiment by a text and a function, and write its results to a folder.
func Example() {
	dir, err := os.MkdirTemp("", "study")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	e := study.NewLibrary(texts).Experiment("waiting", waiting)
	done, err := study.Write(context.Background(), dir, []study.Experiment{e},
		study.Options{Seed: 1, Quick: true}, os.Stdout)
	if err != nil {
		panic(err)
	}
	fmt.Println(done[0].Result.Setup[0])
	fmt.Println(done[0].Result.Rows[0].Quantity, done[0].Result.Rows[0].Verdict())
	// Output:
	// waiting          1 of 1 questions of ours hold
	// 20 nodes; 20 jobs of 4 maps, each with a file of its own.
	// node-local maps that waiting adds holds
}
