package engine

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// TestSmallWorlds takes random steps in small worlds, with up to maxFaults faults. After each step
// the rules of world_rules_test.go hold. At the end, the call log leads a new Core to the same
// state, and every job ends once faults stop. LONG_TESTS=1 takes fifty times as many walks.
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

// maxFaults is the maximum number of faults in a walk.
const maxFaults = 3

// walk takes random steps in a new world until faults stop.
func (spec *worldSpec) walk(t *rapid.T) {
	var log bytes.Buffer
	record := calls.NewWriter(&log)
	w := newWorld(t, spec, record.Write)
	faults := 0
	for range rapid.IntRange(10, 80).Draw(t, "steps") {
		fault := faults < maxFaults && rapid.IntRange(0, 9).Draw(t, "fault") == 9
		if list := w.steps(fault); len(list) > 0 {
			w.take(rapid.SampledFrom(list).Draw(t, "step"))
			if fault {
				faults++
			}
		}
	}
	require.NoError(t, record.Err())
	again := newCore(t, spec, nil, nil)
	require.NoError(t, ReplayFrom(again, &log))
	require.Equal(t, w.c.View().DurableState(), again.View().DurableState(), "after a restart from the log")
	w.ends()
}

// smallWorlds returns the worlds: of each policy, with and without places of input.
func smallWorlds(t testing.TB) (list []*worldSpec) {
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
		list = append(list, &worldSpec{name, p, nodes, jobs})
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
