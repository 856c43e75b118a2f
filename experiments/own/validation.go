package own

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The emulated cluster of the validation. Blocks are small, because their bytes are real, and so
// are the links: a block takes 5 s alone.
const (
	validationNodes     = 40
	validationRacks     = 4
	validationMapSlots  = 2
	validationBlock     = 1000 // bytes
	validationOutput    = 400  // bytes of values a map emits
	validationLink      = 200  // bytes a second
	validationOver      = 4    // over-subscription
	validationSpread    = 0.2  // sigma of the lognormal factor on each task's time
	validationHeartbeat = time.Second
	validationUpdate    = 500 * time.Millisecond // the live JobTracker's
)

// validationJob is a job that runs live and simulated. Live, its tasks sleep and move real bytes.
type validationJob struct {
	workload.Job
	seed uint64 // of its tasks' times
}

// liveRun is a run on a live cluster, and the places of the blocks by job. Of the result it has
// only what the experiment compares.
type liveRun struct {
	simulator.Result
	places []scheduling.Places
}

// offRackPart returns the percentage of a result's shuffled bytes that left their rack.
func offRackPart(r *simulator.Result) float64 {
	return 100 * study.OffRack(r) / float64(max(1, r.Report.Shuffle.All()))
}

// validationJobs draws jobs of 1 to 60 maps, of eight users.
func validationJobs(seed uint64, n int) []validationJob {
	r := rand.New(rand.NewPCG(seed, 0x7a11))
	sizes := []int{1, 1, 2, 2, 5, 10, 10, 20, 40, 60}
	var at time.Duration
	jobs := make([]validationJob, n)
	for i := range jobs {
		at += time.Duration(r.ExpFloat64() * 4 * float64(time.Second))
		j := validationJob{seed: r.Uint64()}
		j.Name, j.User, j.Submit = fmt.Sprintf("job-%03d", i), fmt.Sprintf("user-%d", i%8), at
		j.Maps = sizes[r.IntN(len(sizes))]
		j.InputBytes = int64(j.Maps) * validationBlock
		j.Map = workload.Cost{Time: time.Duration(6+r.IntN(9)) * time.Second, Spread: validationSpread}
		if j.Maps >= 5 {
			j.Reduces = max(1, j.Maps/10)
			j.Reduce = workload.Cost{Time: time.Duration(4+r.IntN(9)) * time.Second, Spread: validationSpread}
		}
		jobs[i] = j
	}
	return jobs
}

// time returns the duration of task t, random around that of c but the same in each run of the job.
func (j validationJob) time(t *mapreduce.Task, c workload.Cost) time.Duration {
	id := t.ID()
	r := rand.New(rand.NewPCG(j.seed, uint64(id.Kind)<<32|uint64(id.Index)))
	return time.Duration(math.Exp(c.Spread*r.NormFloat64()-c.Spread*c.Spread/2) * float64(c.Time))
}

// validationPolicies returns the schedulers under which live and simulated runs are compared. hfs
// places reduces at their centers of gravity.
func validationPolicies() []scheduling.Policy {
	list := []scheduling.Policy{study.Policy("hfs", "hfs", setup.Reduces(scheduling.CoGRS, 0.5)).Policy}
	for _, name := range []string{"fifo", "fair", "delay", "capacity", "hfsp"} {
		list = append(list, study.Policy(name, name).Policy)
	}
	return list
}

// simulated runs the jobs in the simulator, with the places of blocks and the shuffled bytes of the
// live run.
func simulated(
	ctx context.Context, jobs []validationJob, p scheduling.Policy, live *liveRun, seed uint64,
) (*simulator.Result, error) {
	w := &workload.Workload{Name: "validation"}
	for i, j := range jobs {
		j.ShuffleBytes = live.Jobs[i].Shuffle.All()
		w.Jobs = append(w.Jobs, j.Job)
	}
	return simulator.Run(ctx, simulator.Config{
		Cluster: simulator.Cluster{
			Nodes: validationNodes, Racks: validationRacks, MapSlots: validationMapSlots,
			ReduceSlots: 1,
			Setup:       -1, ReadRate: 1e15, MergeRate: -1,
		},
		Network: simulator.Network{
			Flows: true, NodeLink: validationLink, Oversubscription: validationOver, Copies: 1,
			Grain: -1,
		},
		Drive: simulator.EventDrive, Interval: validationHeartbeat, Update: validationUpdate, Policy: p,
		Seed: seed, InTurn: true, TellProgress: true,
		Places: func(i int) scheduling.Places { return simulatedPlaces(live.places[i]) },
	}, w)
}

// simulatedPlaces renumbers the nodes of a live run for the simulator, where each rack has
// consecutive nodes. A live cluster assigns its nodes to racks in turn.
func simulatedPlaces(p scheduling.Places) scheduling.Places {
	q := scheduling.Places{Offsets: p.Offsets, Nodes: make([]scheduling.NodeID, len(p.Nodes))}
	for i, n := range p.Nodes {
		q.Nodes[i] = n%validationRacks*(validationNodes/validationRacks) + n/validationRacks
	}
	return q
}

// validation runs the same jobs on a live cluster, on a fake clock, and in the simulator. In live
// runs simultaneous events happen in random order, so that its figures vary a little.
func validation(s *study.Study) {
	n := study.Pick(s, 20, 80)
	s.Fill("jobs", n, "nodes", validationNodes, "racks", validationRacks, "slots", validationMapSlots,
		"link", validationLink, "over", validationOver, "block", validationBlock,
		"output", validationOutput)
	s.Measured = true
	for _, p := range validationPolicies() {
		c, err := bothWays(s.Context(), s.Seed, s.Repeats(1, 30), n, p)
		if err != nil {
			s.Check(fmt.Errorf("%s: %w", p.Name, err))
		}
		live, sim := c[0].By(study.MeanSojourn), c[1].By(study.MeanSojourn)
		median, high := apart(c, 0.5), apart(c, 0.95)
		s.Row(p.Name+": node-local maps, simulated less live", c.Less(1, 0, study.NodeLocal))
		s.Row(p.Name+": mean sojourn of all seeds' jobs, simulated of live", sim.Part(live))
		s.Row(p.Name+": shuffled off-rack, simulated less live", c.Less(1, 0, offRackPart))
		s.Row(p.Name+": difference of a seed's mean sojourn", study.Pair(sim, live,
			func(sim, live float64) float64 { return 100 * math.Abs(sim/live-1) }))
		s.Row(p.Name+": difference of a job's sojourn, median", median)
		s.Row(p.Name+": difference of a job's sojourn, 95th percentile", high)
		t := s.Table(p.Name + "-by-seed") // the values of each seed
		for i := range live.Values {
			t.Add(fmt.Sprint(s.Seed+uint64(i)), live.Values[i], sim.Values[i], study.NodeLocal(c[0].Results[i]),
				study.NodeLocal(c[1].Results[i]), median.Values[i], high.Values[i])
		}
	}
}

// bothWays runs the n jobs of each of repeat seeds, live (0) and simulated (1).
func bothWays(ctx context.Context, seed uint64, repeat, n int, p scheduling.Policy) (study.Comparison, error) {
	lives, sims := make([]*simulator.Result, repeat), make([]*simulator.Result, repeat)
	err := onFakeClock(ctx, repeat, func(ctx context.Context, i int) error {
		own := seed + uint64(i)
		jobs := validationJobs(own, n)
		live, err := runLive(ctx, jobs, liveCluster(p, own))
		if err == nil {
			lives[i] = &live.Result
			sims[i], err = simulated(ctx, jobs, p, live, own)
		}
		return err
	})
	return study.Comparison{{Name: "live", Results: lives}, {Name: "simulated", Results: sims}}, err
}

// apart returns the q-quantile of the jobs' differences between simulated and live sojourn time, as
// percentages of the live one.
func apart(c study.Comparison, q float64) study.Sample {
	return c.BySeed(func(one study.Comparison) float64 {
		var list []float64
		sims := one[1].Results[0].Jobs
		for i, j := range one[0].Results[0].Jobs {
			list = append(list, 100*math.Abs(sims[i].Sojourn().Seconds()/j.Sojourn().Seconds()-1))
		}
		slices.Sort(list)
		return list[int(q*float64(len(list)-1))]
	})
}
