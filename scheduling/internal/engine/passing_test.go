package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// twins are two Cores that get the same calls. The first has Explain, so it checks the plan of each
// job that is offered a slot. The second reuses the jobs' last answers (cogrs/skip.go).
type twins struct {
	t       *testing.T
	rng     *rand.Rand
	cores   [2]*core.Core
	now     time.Duration
	nodes   []model.Node
	running map[model.NodeID][]model.AttemptID
	refused int // offers
	waiting int // jobs that reused their answer, summed over the steps
}

func (w *twins) both(call func(c *core.Core) (any, error)) any {
	first, err := call(w.cores[0])
	require.NoError(w.t, err)
	second, err := call(w.cores[1])
	require.NoError(w.t, err)
	require.Equal(w.t, first, second)
	return first
}

func (w *twins) join(n model.Node) {
	w.both(func(c *core.Core) (any, error) { return c.Join(w.now, n) })
}

func (w *twins) submit() {
	s := model.JobSpec{
		User: fmt.Sprint("u", w.rng.IntN(4)), Priority: model.Priority(w.rng.IntN(5) - 2), Maps: w.rng.IntN(12), Reduces: w.rng.IntN(9),
		MapTime: time.Duration(1+w.rng.IntN(20)) * time.Second, ReduceTime: 5 * time.Second, SlotsPerTask: w.rng.IntN(12) / 10 * 2,
	}
	if w.rng.IntN(10) > 0 {
		s.Places.Offsets = []int32{0}
		for range s.Maps {
			for range 3 - 3*w.rng.IntN(40)/39 {
				s.Places.Nodes = append(s.Places.Nodes, model.NodeID(w.rng.IntN(len(w.nodes))))
			}
			s.Places.Offsets = append(s.Places.Offsets, int32(len(s.Places.Nodes)))
		}
	}
	w.both(func(c *core.Core) (any, error) { return c.Submit(w.now, s) })
}

// outputs draws the output sizes of a map; for many reduces the size is 0.
func (w *twins) outputs(a model.AttemptID) (bytes []int64) {
	if j := w.cores[0].Job(a.Task.Job); a.Task.Kind == model.Map && j != nil {
		for range j.Spec.Reduces {
			bytes = append(bytes, max(0, int64(w.rng.IntN(200)-100)))
		}
	}
	return bytes
}

func (w *twins) beat(id model.NodeID) {
	h := model.Heartbeat{Node: id, Incarnation: w.nodes[id].Incarnation}
	kept := w.running[id][:0]
	for _, a := range w.running[id] {
		switch dice := w.rng.IntN(10); {
		case dice < 4:
			h.Statuses = append(h.Statuses, model.Status{Attempt: a, State: model.StateSucceeded, OutputBytes: w.outputs(a)})
		case dice == 4:
			h.Statuses = append(h.Statuses, model.Status{Attempt: a, State: model.StateFailed, Blameless: true})
		default:
			kept = append(kept, a)
			if dice < 8 {
				h.Statuses = append(h.Statuses, model.Status{Attempt: a, Progress: 0.2 * w.rng.Float64()})
			}
		}
	}
	w.running[id] = kept
	if r, ok := w.cores[0].Placement[model.Reduce].(*cogrs.Placement); ok {
		clear(r.Waiting)
	}
	got := w.both(func(c *core.Core) (any, error) {
		got, err := c.Heartbeat(w.now, h)
		got.Actions = append([]model.Action(nil), got.Actions...)
		return got, err
	}).(model.Answer)
	if got.Reregister {
		w.nodes[id].Incarnation++
		w.join(w.nodes[id])
	}
	for _, s := range w.cores[0].View().Skips() {
		if s.Reason.Cause == model.CauseWaiting {
			w.refused++
		}
	}
	for _, o := range got.Actions {
		switch o.Verb {
		case model.Launch, model.Resume:
			w.running[id] = append(w.running[id], o.Attempt)
		case model.Kill, model.Suspend:
			for i, a := range w.running[id] {
				if a == o.Attempt {
					w.running[id] = append(w.running[id][:i:i], w.running[id][i+1:]...)
					break
				}
			}
		}
	}
}

// step makes a random call on both Cores, mostly a heartbeat.
func (w *twins) step(p model.Policy) {
	w.now += time.Duration(w.rng.IntN(300)) * time.Millisecond
	id := model.NodeID(w.rng.IntN(len(w.nodes)))
	active := w.cores[0].View().Active()
	switch what := w.rng.IntN(300); {
	case what < 12:
		w.submit()
	case what < 14 && len(active) > 0:
		job, to := active[w.rng.IntN(len(active))], model.Priority(w.rng.IntN(5)-2)
		w.both(func(c *core.Core) (any, error) { return nil, c.SetPriority(w.now, job, to) })
	case what == 14 && len(active) > 0:
		job := active[w.rng.IntN(len(active))]
		w.both(func(c *core.Core) (any, error) { return nil, c.Kill(w.now, job) })
	case what < 17: // the node returns, sometimes in another rack
		n := &w.nodes[id]
		n.Incarnation++
		if w.rng.IntN(2) == 0 {
			n.Rack = w.nodes[w.rng.IntN(len(w.nodes))].Rack
		}
		w.running[id] = nil
		w.join(*n)
	case what < 20:
		w.running[id] = nil
		w.both(func(c *core.Core) (any, error) { return nil, c.Leave(w.now, id) })
	case what == 20:
		if p.Locality.Rule == model.TimedWait {
			p.Locality.Waits = []time.Duration{time.Duration(w.rng.IntN(4)) * time.Second, 2 * time.Second}
		}
		w.both(func(c *core.Core) (any, error) { return nil, c.Reconfigure(w.now, p) })
		for n := range w.nodes {
			w.beat(model.NodeID(n)) // suspended attempts are killed
		}
	case what < 25:
		cordoned := w.rng.IntN(2) == 0
		w.both(func(c *core.Core) (any, error) { return nil, c.Cordon(w.now, id, cordoned) })
	case what < 29:
		w.both(func(c *core.Core) (any, error) { return nil, c.Update(w.now) })
	default:
		w.beat(id)
	}
	for _, job := range w.cores[0].View().Active() {
		w.both(func(c *core.Core) (any, error) { return c.View().Locality(job) })
		w.both(func(c *core.Core) (any, error) {
			stands, until := c.Placement[model.Reduce].View(c.Job(job))
			return []any{stands, until}, nil
		})
		c := w.cores[1]
		if r, ok := c.Placement[model.Reduce].(*cogrs.Placement); ok && r.Waiting.Of(c.Job(job)).Period == r.Period {
			w.waiting++
		}
	}
}

func TestReusedAnswersAreCurrent(t *testing.T) {
	waits := model.LocalityPolicy{Rule: model.TimedWait, Waits: []time.Duration{2 * time.Second, time.Second, time.Second}}
	with := func(l model.LocalityPolicy) func(*model.Policy) { return func(p *model.Policy) { p.Locality = l } }
	for name, tc := range map[string]struct {
		preset string
		change func(*model.Policy)
	}{
		"hfs":      {"hfs", with(waits)},
		"auto":     {"hfs", with(model.LocalityPolicy{Rule: model.TimedWait, Auto: true})},
		"capped":   {"hfs", with(model.LocalityPolicy{Rule: model.TimedWait, Waits: waits.Waits, Capped: true})},
		"reserved": {"hfs", func(p *model.Policy) { p.Locality, p.ReserveLong, p.LongTask = waits, 1, 10*time.Second }},
		"urgent": {"hfs", func(p *model.Policy) {
			p.Locality, p.Preemption = waits, model.PreemptionPolicy{Mode: model.PreemptOn, Interval: 2 * time.Second}
			p.Pools.FairTimeout, p.Pools.PoolMaxJobs = 3*time.Second, 5
		}},
		"cogrs": {"hfs", func(p *model.Policy) { p.Locality, p.Reduce.Rule, p.SlowStart = waits, model.CoGRS, 0.5 }},
		"part": {"hfs", func(p *model.Policy) {
			p.Locality, p.Reduce.Rule, p.SlowStart, p.Reduce.SkewCap = waits, model.CoGRS, 0.2, 0.3
		}},
		"urgent reduces": {"hfs", func(p *model.Policy) {
			p.Reduce.Rule, p.Preemption = model.CoGRS, model.PreemptionPolicy{Mode: model.PreemptOn, Interval: 2 * time.Second}
			p.Pools.FairTimeout, p.SlowStart = 3*time.Second, 0.2
		}},
		"larts": {"hfsp", func(p *model.Policy) {
			p.Locality, p.Reduce.Rule, p.HFSP.NoTraining = waits, model.LARTS, true
			p.Reduce.Waits = [2]time.Duration{3 * time.Second, time.Second}
		}},
		"fifo":     {"fifo", with(waits)},
		"capacity": {"capacity", with(waits)},
		"delay":    {"delay", with(model.LocalityPolicy{Rule: model.SkipCount, Skips: []int{8, 3}})},
		"by maps":  {"delay", with(model.LocalityPolicy{Rule: model.SkipCount, Auto: true})},
		"hfsp":     {"hfsp", func(p *model.Policy) { p.Locality, p.HFSP.Sample = waits, 2 }},
		"suspend":  {"hfsp", func(p *model.Policy) { p.Locality, p.HFSP.NoTraining = waits, true }},
		"kill":     {"hfsp", func(p *model.Policy) { p.Locality, p.HFSP.Reclaim, p.HFSP.NoTraining = waits, model.KillLarger, true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused, waiting := 0, 0
			for seed := range uint64(4) {
				p := policyOf(t, tc.preset, tc.change)
				w := &twins{t: t, rng: rand.New(rand.NewPCG(seed, 5)), running: map[model.NodeID][]model.AttemptID{}}
				for i := range w.cores {
					cfg := core.Config{Explain: i == 0, RackDepth: 1 + int(seed)%2}
					if p.Reduce.Rule != model.AnyNode { // reduces wait long enough to be passed over
						cfg.HeartbeatInterval = 4 * time.Second
					}
					c, err := NewCore(cfg, p)
					require.NoError(t, err)
					w.cores[i] = c
				}
				for i := range 34 {
					n := model.Node{Name: fmt.Sprint("n", i), Rack: fmt.Sprint("r", i%6), MapSlots: 1 + i%2, ReduceSlots: 1 + i%3}
					if seed%2 == 1 {
						n.Rack = fmt.Sprint("s", i%2, "/", n.Rack)
					}
					w.nodes = append(w.nodes, n)
					w.join(n)
				}
				for range 70 {
					w.submit()
				}
				for range 300 {
					w.step(p)
				}
				refused += w.refused
				waiting += w.waiting
			}
			require.Greater(t, refused, 500)
			if policyOf(t, tc.preset, tc.change).Reduce.Rule != model.AnyNode {
				require.Greater(t, waiting, 500, "jobs that answered as before")
			}
		})
	}
}
