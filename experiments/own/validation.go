package own

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// validationName is the name of the experiment that compares the simulator with live runs. In live
// runs simultaneous events happen in random order, so that its figures vary a little.
const validationName = "validation"

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
	seed       uint64        // of its tasks' times
	at         time.Duration // of its arrival
	maps       int
	reduces    int
	mapTime    time.Duration
	reduceTime time.Duration
	even       bool // each task takes exactly mapTime or reduceTime
}

// outcome is the result of one run of the jobs, live or simulated.
type outcome struct {
	maps     simulator.MapPlaces
	shuffle  simulator.ShuffleBytes
	sojourns []time.Duration // by job
	shuffled []int64         // by job
	places   []scheduling.Places
}

// locality returns the percentage of node-local maps.
func (o *outcome) locality() float64 { return 100 * o.maps.Share(scheduling.NodeLocal) }

// offRack returns the percentage of the shuffled bytes that left their rack.
func (o *outcome) offRack() float64 {
	return 100 * float64(o.shuffle.OffRack) / float64(max(1, o.shuffle.All()))
}

// mean returns the mean sojourn time in seconds.
func (o *outcome) mean() float64 {
	var sum time.Duration
	for _, s := range o.sojourns {
		sum += s
	}
	return sum.Seconds() / float64(max(1, len(o.sojourns)))
}

// validationJobs draws jobs of 1 to 60 maps.
func validationJobs(seed uint64, n int) []validationJob {
	r := rand.New(rand.NewPCG(seed, 0x7a11))
	sizes := []int{1, 1, 2, 2, 5, 10, 10, 20, 40, 60}
	var at time.Duration
	jobs := make([]validationJob, n)
	for i := range jobs {
		at += time.Duration(r.ExpFloat64() * 4 * float64(time.Second))
		j := validationJob{seed: r.Uint64(), at: at, maps: sizes[r.IntN(len(sizes))]}
		j.mapTime = time.Duration(6+r.IntN(9)) * time.Second
		if j.maps >= 5 {
			j.reduces = max(1, j.maps/10)
			j.reduceTime = time.Duration(4+r.IntN(9)) * time.Second
		}
		jobs[i] = j
	}
	return jobs
}

// time returns the duration of task t, random with that mean but the same in each run of the job.
func (j validationJob) time(t *mapreduce.Task, mean time.Duration) time.Duration {
	if j.even {
		return mean
	}
	id := t.ID()
	r := rand.New(rand.NewPCG(j.seed, uint64(id.Kind)<<32|uint64(id.Index)))
	return time.Duration(math.Exp(validationSpread*r.NormFloat64()-
		validationSpread*validationSpread/2) * float64(mean))
}

// validationPolicies returns the schedulers under which live and simulated runs are compared. hfs
// places reduces at their centers of gravity.
func validationPolicies() []scheduling.Policy {
	list := []scheduling.Policy{study.Policy("hfs", "hfs", func(p *scheduling.Policy) {
		p.Reduce.Rule, p.SlowStart = scheduling.CoGRS, 0.5
	}).Policy}
	for _, name := range []string{"fifo", "fair", "delay", "capacity", "hfsp"} {
		list = append(list, study.Policy(name, name).Policy)
	}
	return list
}

// simulated runs the jobs in the simulator, with the places of blocks and the shuffled bytes of the
// live run.
func simulated(
	ctx context.Context, jobs []validationJob, p scheduling.Policy, live *outcome, seed uint64,
) (*outcome, error) {
	w := &workload.Workload{Name: validationName}
	for i, j := range jobs {
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprintf("job-%03d", i), User: validationUser(i), Submit: j.at, Maps: j.maps,
			Reduces:    j.reduces,
			InputBytes: int64(j.maps) * validationBlock, ShuffleBytes: live.shuffled[i],
			Map:    workload.Cost{Time: j.mapTime, Spread: validationSpread},
			Reduce: workload.Cost{Time: j.reduceTime, Spread: validationSpread},
		})
	}
	r, err := simulator.Run(ctx, simulator.Config{
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
	if err != nil {
		return nil, err
	}
	o := &outcome{maps: r.Report.Maps, shuffle: r.Report.Shuffle}
	for i := range r.Jobs {
		o.sojourns = append(o.sojourns, r.Jobs[i].Sojourn())
	}
	return o, nil
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

// validationUser returns one of eight users for a job.
func validationUser(i int) string { return fmt.Sprintf("user-%d", i%8) }

// validation runs the same jobs on a live cluster, on a fake clock, and in the simulator.
func validation(s *study.Study) {
	n := study.Pick(s, 20, 80)
	s.Fill("jobs", n, "nodes", validationNodes, "racks", validationRacks, "slots", validationMapSlots,
		"link", validationLink, "over", validationOver, "block", validationBlock,
		"output", validationOutput)
	s.Measured = true
	for _, p := range validationPolicies() {
		lives, sims, err := bothWays(s.Context(), s.Seed, s.Repeats(1, 30), n, p)
		if err != nil {
			s.Check(fmt.Errorf("%s: %w", p.Name, err))
		}
		comparison(s, p.Name, lives, sims)
	}
}

// bothWays runs the n jobs of each of repeat seeds, live and simulated.
func bothWays(
	ctx context.Context, seed uint64, repeat, n int, p scheduling.Policy,
) (lives, sims []*outcome, err error) {
	lives, sims = make([]*outcome, repeat), make([]*outcome, repeat)
	err = onFakeClock(ctx, repeat, func(ctx context.Context, i int) (err error) {
		own := seed + uint64(i)
		jobs := validationJobs(own, n)
		if lives[i], err = runLive(ctx, jobs, liveCluster(p, own)); err != nil {
			return err
		}
		sims[i], err = simulated(ctx, jobs, p, lives[i], own)
		return err
	})
	return lives, sims, err
}

// comparison compares simulated runs with the live ones: it adds rows, and a table with the values
// of each seed.
func comparison(s *study.Study, name string, lives, sims []*outcome) {
	by := study.Samples(len(lives), func(i int) []float64 {
		live, sim := lives[i], sims[i]
		return []float64{
			live.mean(), sim.mean(), live.locality(), sim.locality(), apart(live, sim, 0.5),
			apart(live, sim, 0.95), sim.offRack() - live.offRack(),
		}
	})
	live, sim := by[0], by[1]
	s.Row(name+": node-local maps, simulated less live", by[3].Minus(by[2]))
	s.Row(name+": mean sojourn of all seeds' jobs, simulated of live", sim.Part(live))
	s.Row(name+": shuffled off-rack, simulated less live", by[6])
	s.Row(name+": difference of a seed's mean sojourn",
		study.Pair(sim, live,
			func(sim, live float64) float64 { return 100 * math.Abs(sim/live-1) }))
	s.Row(name+": difference of a job's sojourn, median", by[4])
	s.Row(name+": difference of a job's sojourn, 95th percentile", by[5])
	t := s.Table(name + "-by-seed")
	for i := range lives {
		var line []float64
		for _, x := range by[:6] {
			line = append(line, x.Values[i])
		}
		t.Add(fmt.Sprint(s.Seed+uint64(i)), line...)
	}
}

// apart returns the q-quantile of the jobs' differences between simulated and live sojourn time, as
// percentages of the live one.
func apart(live, sim *outcome, q float64) float64 {
	list := make([]float64, len(live.sojourns))
	for i, s := range live.sojourns {
		list[i] = 100 * math.Abs(sim.sojourns[i].Seconds()/s.Seconds()-1)
	}
	slices.Sort(list)
	return list[int(q*float64(len(list)-1))]
}
