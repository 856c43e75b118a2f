package own

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/report"
	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// validationName is the experiment's name: a live run, so that its figures differ a little from run
// to run.
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
	validationUpdate    = 500 * time.Millisecond // the live JobTracker's, in real time
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

// time is how long a task takes, of the mean given, before the live run's times are scaled.
func (j validationJob) time(t *mapreduce.Task, mean time.Duration) time.Duration {
	if j.even {
		return mean
	}
	id := t.ID()
	r := rand.New(rand.NewPCG(j.seed, uint64(id.Kind)<<32|uint64(id.Index)))
	return time.Duration(math.Exp(validationSpread*r.NormFloat64()-
		validationSpread*validationSpread/2) * float64(mean))
}

// validationPolicies are the schedulers that are compared.
func validationPolicies() []scheduling.Policy {
	hfs := setup.Preset("hfs", func(p *scheduling.Policy) { p.Reduce.Rule, p.SlowStart = scheduling.CoGRS, 0.5 })
	fifo := setup.Preset("fifo", nil)
	return []scheduling.Policy{hfs, fifo}
}

// simulated runs the jobs in the simulator, with the blocks where the live run had them and the
// bytes that it shuffled. update is the time between calls of Core.Update.
func simulated(
	ctx context.Context, jobs []validationJob, p scheduling.Policy, live *outcome,
	update time.Duration, seed uint64,
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
		Drive: simulator.EventDrive, Interval: validationHeartbeat, Update: update, Policy: p,
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

// Validation runs the same jobs live, time scaled, and simulated.
func Validation(ctx context.Context, o report.Options) (*report.Result, error) {
	scale, n := 20, 80
	if o.Quick {
		scale, n = 40, 20
	}
	policies := validationPolicies()
	r := &report.Result{Measured: true, Setup: []string{
		fmt.Sprintf("%d nodes in %d racks, %d map slots and 1 reduce slot each, 3 replicas; node "+
			"links of %d bytes/s, over-subscribed %d to 1; blocks of %d bytes.",
			validationNodes, validationRacks, validationMapSlots, validationLink, validationOver,
			validationBlock),
		fmt.Sprintf("%d jobs of 1 to 60 maps that sleep 6 to 14 s and emit %d bytes each, "+
			"exponential gaps of 4 s; jobs of 5 maps and more have reduces that sleep 4 to 12 s.",
			n, validationOutput),
		fmt.Sprintf("Live: package actors with its emulated network, all times divided by %d. "+
			"Simulated: event drive, flows, one copy at a time, no set-up or disk time.", scale),
		"In both, slots are offered to the racks' nodes in turn when a job comes and heartbeats " +
			"tell attempts' progress; each task's time has a lognormal factor of sigma 0.2, " +
			"drawn apart.",
		"The simulator is given where the live run's blocks lay and how many bytes it shuffled; " +
			"the Core is the same in both.",
	}}
	for _, p := range policies {
		lives, sims, err := bothWays(ctx, o.Seed, o.Repeats(4, 10), n, p, scale)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		r.Add(comparison(p.Name, lives, sims)...)
	}
	r.Notes = []string{
		"Real time on a busy machine is late by up to " +
			"milliseconds, each of them times the scale; the same comparison on a fake clock is " +
			"a test of this package.",
	}
	return r, nil
}

// bothWays runs the jobs of several seeds, all at once, live and simulated.
func bothWays(
	ctx context.Context, seed uint64, repeat, n int, p scheduling.Policy, scale int,
) (lives, sims []*outcome, err error) {
	lives, sims = make([]*outcome, repeat), make([]*outcome, repeat)
	errs := make([]error, repeat)
	var g sync.WaitGroup
	for i := range repeat {
		g.Go(func() {
			own := seed + uint64(i)
			jobs := validationJobs(own, n)
			if lives[i], errs[i] = runLive(ctx, jobs, p, scale, own); errs[i] == nil {
				sims[i], errs[i] = simulated(ctx, jobs, p, lives[i],
					time.Duration(scale)*validationUpdate, own)
			}
		})
	}
	g.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	return lives, sims, nil
}

// comparison puts simulated runs beside the live ones.
func comparison(name string, lives, sims []*outcome) []report.Row {
	by := func(figure func(live, sim *outcome) float64) report.Sample {
		values := make([]float64, len(lives))
		for i := range lives {
			values[i] = figure(lives[i], sims[i])
		}
		return report.BySeed(values)
	}
	return []report.Row{
		report.OwnRow(name+": node-local maps, simulated less live", "points", "within 2",
			report.Between(-2, 2),
			by(func(live, sim *outcome) float64 { return sim.locality() - live.locality() })),
		report.OwnRow(name+": mean sojourn, simulated over live", "×", "within 5 %",
			report.Between(0.95, 1.05),
			by(func(live, sim *outcome) float64 { return sim.mean() / live.mean() })),
		report.Shown(name+": shuffled off-rack, simulated less live", "points",
			by(func(live, sim *outcome) float64 { return sim.offRack() - live.offRack() })),
		report.Shown(name+": largest difference of one job's sojourn", "s", by(furthest)),
	}
}

// furthest is the largest difference between a job's two sojourn times, in seconds.
func furthest(a, b *outcome) float64 {
	var most float64
	for i := range a.sojourns {
		most = max(most, math.Abs((a.sojourns[i] - b.sojourns[i]).Seconds()))
	}
	return most
}
