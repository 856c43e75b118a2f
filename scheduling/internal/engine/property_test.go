package engine

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// drawPolicy draws a policy: a combination of parts and settings.
func drawPolicy(t *rapid.T) model.Policy {
	p := policyOf(t, rapid.SampledFrom(Presets()).Draw(t, "preset"), nil)
	switch rapid.IntRange(0, 3).Draw(t, "locality") {
	case 0:
		p.Locality = model.LocalityPolicy{}
	case 1:
		p.Locality = model.LocalityPolicy{Rule: model.SkipCount, Skips: rapid.SliceOfN(rapid.IntRange(0, 3), 0, 2).Draw(t, "skips")}
	case 2:
		p.Locality = model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{2 * time.Second, 3 * time.Second}, Capped: rapid.Bool().Draw(t, "capped")}
	case 3:
		p.Locality = model.LocalityPolicy{Rule: model.TimedWait, Auto: true}
	}
	p.Reduce.Rule = rapid.SampledFrom([]model.ReduceRule{model.AnyNode, model.CoGRS, model.LARTS}).Draw(t, "placement")
	if rapid.Bool().Draw(t, "reduce waits") { // otherwise automatic ones
		p.Reduce.Waits = [2]time.Duration{2 * time.Second, 2 * time.Second}
	}
	p.SlowStart = rapid.SampledFrom([]float64{-1, 0, 0.5, 1}).Draw(t, "slowstart")
	p.Spread = rapid.Bool().Draw(t, "spread")
	p.OneTask = rapid.Bool().Draw(t, "onetask")
	p.ReserveLong, p.LongTask = rapid.IntRange(0, 1).Draw(t, "reserve"), 4*time.Second
	if rapid.Bool().Draw(t, "pools") {
		p.Pools.Pools = []model.PoolConfig{
			{Name: "a", Min: [2]int{3, 1}, Weight: 2, MinTimeout: 5 * time.Second},
			{Name: "b", Max: [2]int{3, model.NoLimit}, Mode: model.FIFOMode, MaxJobs: 2},
		}
		p.Pools.FairTimeout = 10 * time.Second
		p.Pools.UserMaxJobs = 3
		p.Pools.SizeBasedWeight = true
		p.Pools.BoostFactor, p.Pools.BoostTime = 3, 20*time.Second
		p.Preemption = model.PreemptionPolicy{Mode: model.PreemptOn, Interval: 4 * time.Second}
	}
	if p.Order == "capacity" && rapid.Bool().Draw(t, "queues") {
		p.Queues = []model.QueueConfig{
			{Name: "top", Capacity: 60},
			{Name: "a", Parent: "top", Capacity: 70, UserLimit: 25, Priorities: true},
			{Name: "b", Parent: "top"},
			{Name: "default", Capacity: 40, Max: 80},
		}
	}
	p.HFSP.Reclaim = rapid.SampledFrom([]model.Reclaim{model.EagerSuspend, model.WaitForSlot, model.KillLarger}).Draw(t, "reclaim")
	p.HFSP.NoTraining = rapid.Bool().Draw(t, "notraining")
	p.HFSP.Sample = rapid.IntRange(1, 3).Draw(t, "sample")
	p.HFSP.Delta = 2 * time.Second
	p.HFSP.Estimator = rapid.SampledFrom([]string{"mean", "fit"}).Draw(t, "estimator")
	p.HFSP.SuspendHigh = rapid.IntRange(0, 4).Draw(t, "high")
	p.HFSP.Weighted = rapid.Bool().Draw(t, "weighted")
	p.Quincy = model.QuincyPolicy{
		Rule:  rapid.SampledFrom([]model.QuincyRule{model.QFP, model.QF, model.QP, model.Q}).Draw(t, "quincy"),
		Rack:  rapid.SampledFrom([]time.Duration{-1, 0, time.Second}).Draw(t, "rack"),
		Floor: rapid.SampledFrom([]float64{-1, 0, 0.5}).Draw(t, "floor"),
		Lost:  rapid.SampledFrom([]float64{-1, 0, 3}).Draw(t, "lost"),
	}
	p.Speculation = model.SpeculationPolicy{
		Rule: rapid.SampledFrom([]model.SpeculationRule{model.NoSpeculation, model.NativeRule, model.LATE}).Draw(t, "speculation"),
		Lag:  time.Second, SlowTask: 0.1, MinCopies: 2,
	}
	p.Avoid = model.Avoidance{JobFailures: 1, Jobs: 1, Forgive: 10 * time.Second}
	p.HFSP.Xi = rapid.SampledFrom([]float64{0, 2, -1}).Draw(t, "xi")
	return p
}

// Random runs under any policy, with parts from outside or without, end, keep all invariants, and
// replay.
func TestRandomRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawPolicy(t)
		switch rapid.IntRange(0, 5).Draw(t, "part") {
		case 0:
			p.Order, p.Queues = "fewest", nil
		case 1:
			p.Locality.Part = "skip"
		case 2:
			p.Reduce.Part = "first"
		}
		w := newWorld(t, p)
		for range rapid.IntRange(10, 60).Draw(t, "steps") {
			w.step(4, 2)
		}
		w.finish()
		w.replay(p)
	})
}

// If nothing makes tasks wait, no slot idles while a task waits. Locality is greedy, reduces run
// anywhere, and there is no Spread or limit.
func TestWorkConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := policyOf(t, rapid.SampledFrom([]string{"fair", "hfs", "hfsp", "srpt"}).Draw(t, "preset"), nil)
		p.Locality, p.Spread, p.SlowStart = model.LocalityPolicy{}, false, 0
		w := newWorld(t, p)
		w.fixed, w.calm = true, true
		for range 40 {
			w.step(4, 1)
			n := rapid.SampledFrom(w.nodes).Draw(t, "node")
			w.beat(n, 3, 1)
			for k := range model.TaskKind(model.Kinds) {
				at := w.c.Nodes[n]
				if !at.Open() {
					continue
				}
				for _, j := range w.c.Active {
					fits := at.Free(k) >= int(j.Slots) && !w.c.Avoids(j, at)
					require.False(t, !j.State.Ended() && fits && j.Work[k].Waiting() > 0 && j.Launchable(k), "%v idles on %v beside %v", k, n, j.ID)
				}
			}
		}
	})
}

// TestSmallWorlds takes random steps in small worlds, in which few things happen, so that they
// happen in many orders. Some walks have no faults. LONG_TESTS=1 takes fifty times as many walks.
func TestSmallWorlds(t *testing.T) {
	rounds := 2
	if os.Getenv("LONG_TESTS") != "" {
		rounds = 100
	}
	for _, spec := range smallWorlds(t) {
		t.Run(spec.name, func(t *testing.T) {
			t.Parallel()
			for range rounds {
				rapid.Check(t, spec.walk)
			}
		})
	}
}

// quantum is the unit of the waits in small worlds.
const quantum = time.Second

// worldSpec describes a small world: policy, nodes and jobs.
type worldSpec struct {
	name   string
	policy model.Policy
	nodes  []model.Node
	jobs   []model.JobSpec
}

// walk takes random steps in a new world until faults stop.
func (spec *worldSpec) walk(t *rapid.T) {
	w := &world{
		t: t, small: true, coming: spec.jobs, pace: 500, rounds: 60,
		cfg: core.Config{HeartbeatInterval: quantum, Expiry: 6 * quantum, MaxAttempts: 2},
	}
	w.begin(spec.policy, spec.nodes)
	fails := rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "fails")
	for range rapid.IntRange(10, 80).Draw(t, "steps") {
		w.step(4, fails)
	}
	w.finish()
	w.replay(spec.policy)
}

// smallWorlds returns the worlds: of each policy, with and without places of input.
func smallWorlds(t testing.TB) (list []worldSpec) {
	two := []model.Node{{Name: "n1", MapSlots: 1, ReduceSlots: 1}, {Name: "n2", MapSlots: 1, ReduceSlots: 1}}
	three := []model.Node{{Name: "n1", Rack: "a", MapSlots: 1, ReduceSlots: 1}, {Name: "n2", Rack: "a", MapSlots: 1, ReduceSlots: 1}, {Name: "n3", Rack: "b", MapSlots: 1, ReduceSlots: 1}}
	wide := []model.Node{{Name: "n1", MapSlots: 2, ReduceSlots: 1}, {Name: "n2", MapSlots: 2, ReduceSlots: 1}}
	both := []model.JobSpec{{Name: "a", User: "u", Pool: "a", Maps: 2, Reduces: 1}, {Name: "b", User: "v", Pool: "b", Maps: 1}}
	large := []model.JobSpec{{Name: "a", User: "u", Pool: "a", Maps: 3, Reduces: 2}, {Name: "b", User: "v", Pool: "b", Maps: 1, Reduces: 1}}
	mine := []model.JobSpec{{Name: "a", User: "u", Maps: 2}, {Name: "b", User: "u", Maps: 1, Reduces: 1}}
	placed := slices.Clone(both)
	placed[0].Places = model.Places{Offsets: []int32{0, 1, 2}, Nodes: []model.NodeID{0, 0}}
	placed[1].Places = model.Places{Offsets: []int32{0, 1}, Nodes: []model.NodeID{1}}
	add := func(name, preset string, nodes []model.Node, jobs []model.JobSpec, change func(*model.Policy)) {
		p := policyOf(t, preset, nil)
		if p.Locality.Rule == model.TimedWait {
			p.Locality.Waits = []time.Duration{quantum, 2 * quantum}
		}
		if change != nil {
			change(&p)
		}
		list = append(list, worldSpec{name, p, nodes, jobs})
	}
	cogrs := func(p *model.Policy) {
		p.Reduce = model.ReducePolicy{Rule: model.CoGRS, Waits: [2]time.Duration{quantum, quantum}}
	}
	add("fifo", "fifo", two, both, nil)
	add("fifo large", "fifo", wide, large, nil)
	add("fair", "fair", two, both, nil)
	add("fair large", "fair", three, large, func(p *model.Policy) { p.SlowStart = 1 })
	add("delay", "delay", two, placed, func(p *model.Policy) { p.Locality.Skips = []int{1} })
	add("delay by maps", "delay", two, placed, nil)
	add("hfs", "hfs", two, placed, nil)
	add("hfs capped", "hfs", three, placed, func(p *model.Policy) { p.Locality.Capped = true })
	add("hfs limited", "hfs", two, mine, func(p *model.Policy) { p.Pools.UserMaxJobs = 1 })
	add("hfs cogrs", "hfs", three, placed, cogrs)
	add("fair cogrs", "fair", two, large, cogrs)
	add("fair larts", "fair", two, large, func(p *model.Policy) { cogrs(p); p.Reduce.Rule = model.LARTS })
	add("preemption", "hfs", wide, placed, func(p *model.Policy) {
		p.Pools.Pools = []model.PoolConfig{{Name: "b", Min: [2]int{1, 0}, MinTimeout: quantum}}
		p.Pools.MinTimeout, p.Pools.FairTimeout = quantum, 2*quantum
		p.Preemption = model.PreemptionPolicy{Mode: model.PreemptOn, Interval: 2 * quantum}
	})
	add("capacity", "capacity", two, both, nil)
	add("capacity queues", "capacity", wide, both, func(p *model.Policy) {
		p.Queues = []model.QueueConfig{{Name: "default", Capacity: 50, UserLimit: 50}, {Name: "other", Capacity: 50}}
	})
	add("hfsp suspends", "hfsp", two, both, func(p *model.Policy) { p.HFSP.Sample = 1; p.HFSP.Delta = quantum })
	add("hfsp kills", "hfsp", two, both, func(p *model.Policy) { p.HFSP.Sample = 1; p.HFSP.Reclaim = model.KillLarger })
	add("srpt", "srpt", two, both, nil)
	add("quincy", "quincy", three, placed, func(p *model.Policy) { p.Quincy.Interval = quantum })
	add("quincy waits", "quincy", two, placed, func(p *model.Policy) { p.Quincy.Rule = model.Q })
	late := model.SpeculationPolicy{Rule: model.LATE, Lag: quantum, MinCopies: 1}
	alone := []model.JobSpec{{Name: "a", User: "u", Maps: 2}, {Name: "b", User: "v", Maps: 1, Reduces: 2}}
	add("late", "fifo", wide, alone, func(p *model.Policy) { p.Speculation = late })
	add("late waits", "hfs", wide, placed, func(p *model.Policy) { p.Speculation = late })
	add("late capacity", "capacity", wide, alone, func(p *model.Policy) { p.Speculation = late })
	add("native hfsp", "hfsp", wide, both, func(p *model.Policy) {
		p.HFSP.Sample = 1
		p.Speculation = model.SpeculationPolicy{Rule: model.NativeRule, Lag: quantum}
	})
	return list
}
