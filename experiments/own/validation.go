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

// validationName is the experiment's name: in a live run the order of what happens at one moment is
// chance, so that its figures differ a little from run to run.
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

// validationJob is a job that sleeps and moves bytes.
type validationJob struct {
	seed       uint64        // of its tasks' times
	at         time.Duration // of its arrival
	maps       int
	reduces    int
	mapTime    time.Duration
	reduceTime time.Duration
	even       bool // each task takes the mean of its kind
}

// outcome is what one run of the jobs came to, live or simulated.
type outcome struct {
	maps     [3]int // by locality
	shuffle  [3]int64
	sojourns []time.Duration // by job
	shuffled []int64         // by job
	places   []scheduling.Places
}

// locality is the part of the maps that were node-local, in per cent.
func (o *outcome) locality() float64 {
	return 100 * float64(o.maps[0]) / float64(max(1, o.maps[0]+o.maps[1]+o.maps[2]))
}

// offRack is the part of the shuffled bytes that left their rack, in per cent.
func (o *outcome) offRack() float64 {
	return 100 * float64(o.shuffle[2]) / float64(max(1, o.shuffle[0]+o.shuffle[1]+o.shuffle[2]))
}

// mean sojourn time in seconds.
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

// time is how long a task takes, of the mean given.
func (j validationJob) time(t *mapreduce.Task, mean time.Duration) time.Duration {
	if j.even {
		return mean
	}
	id := t.ID()
	r := rand.New(rand.NewPCG(j.seed, uint64(id.Kind)<<32|uint64(id.Index)))
	return time.Duration(math.Exp(validationSpread*r.NormFloat64()-
		validationSpread*validationSpread/2) * float64(mean))
}

// validationPolicies are the schedulers that are compared: all that run live, hfs with reduces at
// their centers.
func validationPolicies() []scheduling.Policy {
	list := []scheduling.Policy{setup.Preset("hfs", func(p *scheduling.Policy) {
		p.Reduce.Rule, p.SlowStart = scheduling.CoGRS, 0.5
	})}
	for _, name := range []string{"fifo", "fair", "delay", "capacity", "hfsp"} {
		list = append(list, setup.Preset(name, nil))
	}
	return list
}

// simulated runs the jobs in the simulator, with the blocks where the live run had them and the
// bytes that it shuffled.
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
			Setup:       -1, ReadRate: 1e15, WriteRate: 1e15, MergeRate: -1,
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
	m, s := r.Report.Maps, r.Report.Shuffle
	o := &outcome{
		maps:    [3]int{m.NodeLocal, m.RackLocal, m.OffRack},
		shuffle: [3]int64{s.NodeLocal, s.RackLocal, s.OffRack},
	}
	for i := range r.Jobs {
		o.sojourns = append(o.sojourns, r.Jobs[i].Sojourn())
	}
	return o, nil
}

// simulatedPlaces numbers nodes as the simulator does, whose racks are runs of nodes; a live
// cluster deals nodes out to its racks in turn.
func simulatedPlaces(p scheduling.Places) scheduling.Places {
	q := scheduling.Places{Offsets: p.Offsets, Nodes: make([]scheduling.NodeID, len(p.Nodes))}
	for i, n := range p.Nodes {
		q.Nodes[i] = n%validationRacks*(validationNodes/validationRacks) + n/validationRacks
	}
	return q
}

// validationUser gives every job one of eight users.
func validationUser(i int) string { return fmt.Sprintf("user-%d", i%8) }

// Validation runs the same jobs on a live cluster, on a fake clock, and in the simulator.
func Validation(ctx context.Context, o study.Options) (*study.Result, error) {
	n := 80
	if o.Quick {
		n = 20
	}
	r := &study.Result{Measured: true, Setup: []string{
		fmt.Sprintf("%d nodes in %d racks, %d map slots and 1 reduce slot each, 3 replicas; node "+
			"links of %d bytes/s, over-subscribed %d to 1; blocks of %d bytes.",
			validationNodes, validationRacks, validationMapSlots, validationLink, validationOver,
			validationBlock),
		fmt.Sprintf("%d jobs of 1 to 60 maps that sleep 6 to 14 s and emit %d bytes each, "+
			"exponential gaps of 4 s; jobs of 5 maps and more have reduces that sleep 4 to 12 s.",
			n, validationOutput),
		"Live: package actors with its emulated network, on a fake clock. Simulated: event drive, " +
			"flows, one copy at a time, no set-up or disk time.",
		"In both, slots are offered to the racks' nodes in turn when a job comes and heartbeats " +
			"tell attempts' progress; each task's time has a lognormal factor of sigma 0.2, " +
			"drawn apart.",
		"The simulator is given where the live run's blocks lay and how many bytes it shuffled; " +
			"the Core is the same in both.",
	}}
	for _, p := range validationPolicies() {
		lives, sims, err := bothWays(ctx, o.Seed, o.Repeats(1, 30), n, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		r.Add(comparison(p.Name, lives, sims)...)
		r.Tables = append(r.Tables, bySeed(p.Name, o.Seed, lives, sims))
	}
	r.Notes = []string{
		"One run strays by some per cent, and a job by more, since a flow that is late makes " +
			"others late: the tables have each seed. Means over all seeds are judged.",
	}
	return r, nil
}

// bothWays runs the jobs of several seeds live and simulated.
func bothWays(
	ctx context.Context, seed uint64, repeat, n int, p scheduling.Policy,
) (lives, sims []*outcome, err error) {
	lives, sims = make([]*outcome, repeat), make([]*outcome, repeat)
	err = onFakeClock(ctx, repeat, func(ctx context.Context, i int) (err error) {
		own := seed + uint64(i)
		jobs := validationJobs(own, n)
		if lives[i], err = runLive(ctx, jobs, p, own); err != nil {
			return err
		}
		sims[i], err = simulated(ctx, jobs, p, lives[i], own)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return lives, sims, nil
}

// comparison puts simulated runs beside the live ones.
func comparison(name string, lives, sims []*outcome) []study.Row {
	by := func(figure func(live, sim *outcome) float64) study.Sample {
		values := make([]float64, len(lives))
		for i := range lives {
			values[i] = figure(lives[i], sims[i])
		}
		return study.BySeed(values)
	}
	mean := func(of func(live, sim *outcome) *outcome) study.Sample {
		return by(func(live, sim *outcome) float64 { return of(live, sim).mean() })
	}
	live := mean(func(live, _ *outcome) *outcome { return live })
	sim := mean(func(_, sim *outcome) *outcome { return sim })
	return []study.Row{
		study.OwnRow(name+": node-local maps, simulated less live", "points", "within 2",
			study.Between(-2, 2),
			by(func(live, sim *outcome) float64 { return sim.locality() - live.locality() })),
		study.OwnRow(name+": mean sojourn of all seeds' jobs, simulated of live", "%",
			"within 3 % of each other", study.Between(97, 103), sim.Part(live)),
		study.Shown(name+": shuffled off-rack, simulated less live", "points",
			by(func(live, sim *outcome) float64 { return sim.offRack() - live.offRack() })),
		study.Shown(name+": difference of a seed's mean sojourn", "%",
			by(func(live, sim *outcome) float64 { return 100 * math.Abs(sim.mean()/live.mean()-1) })),
		study.Shown(name+": difference of a job's sojourn, median", "%",
			by(func(live, sim *outcome) float64 { return apart(live, sim, 0.5) })),
		study.Shown(name+": difference of a job's sojourn, 95th percentile", "%",
			by(func(live, sim *outcome) float64 { return apart(live, sim, 0.95) })),
	}
}

// apart is a quantile of the differences between the jobs' two sojourns, in per cent of the live
// one.
func apart(live, sim *outcome, q float64) float64 {
	list := make([]float64, len(live.sojourns))
	for i, s := range live.sojourns {
		list[i] = 100 * math.Abs(sim.sojourns[i].Seconds()/s.Seconds()-1)
	}
	slices.Sort(list)
	return list[int(q*float64(len(list)-1))]
}

// bySeed is a table of what each seed gave.
func bySeed(name string, seed uint64, lives, sims []*outcome) study.Table {
	t := study.Table{
		Name: name + "-by-seed", Title: name + ", seed by seed", Columns: []string{
			"seed", "mean sojourn live (s)", "simulated (s)", "node-local live (%)",
			"simulated (%)", "a job apart, median (%)", "95th percentile (%)",
		},
	}
	for i, live := range lives {
		sim := sims[i]
		t.Add(fmt.Sprint(seed+uint64(i)), live.mean(), sim.mean(), live.locality(), sim.locality(),
			apart(live, sim, 0.5), apart(live, sim, 0.95))
	}
	return t
}
