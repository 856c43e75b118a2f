package engine

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// TestExplore drives the Core through the orders in which events can happen in small worlds. From
// each state found it takes every possible step. It ends when no new state is found or the world
// has its number of states: 200,000 in all, 10 million with LONG_TESTS=1. States with the same
// futures count as one (explore_print_test.go). States after no fault, one fault, two and so on
// take turns, so each group gets its part. After each step the rules of explore_rules_test.go hold.
// Some states are checked in more detail (sample, alike).
func TestExplore(t *testing.T) {
	specs := smallWorlds(t)
	most := 200_000 / len(specs)
	switch {
	case os.Getenv("LONG_TESTS") != "":
		most = 10_200_000 / len(specs)
	case testing.Short():
		most = 10_000 / len(specs)
	}
	for _, spec := range specs {
		t.Run(spec.name, func(t *testing.T) {
			t.Parallel()
			x := explore(spec, most)
			if x.err != nil {
				t.Fatalf("%v\n%s", x.err, spec.story(spec.shrink(x.failing)))
			}
			t.Logf("%d states, %d steps, up to %d after each other; %s; %d looked at closely", len(x.found), x.steps, x.depth, x.through(), x.sampled)
		})
	}
}

// smallWorlds returns the worlds to explore: of each policy, with and without places of input.
func smallWorlds(t testing.TB) (list []*worldSpec) {
	two := []model.Node{{Name: "n1", MapSlots: 1, ReduceSlots: 1}, {Name: "n2", MapSlots: 1, ReduceSlots: 1}}
	three := []model.Node{{Name: "n1", Rack: "a", MapSlots: 1, ReduceSlots: 1}, {Name: "n2", Rack: "a", MapSlots: 1, ReduceSlots: 1}, {Name: "n3", Rack: "b", MapSlots: 1, ReduceSlots: 1}}
	wide := []model.Node{{Name: "n1", MapSlots: 2, ReduceSlots: 1}, {Name: "n2", MapSlots: 2, ReduceSlots: 1}}
	both := []model.JobSpec{{Name: "a", User: "u", Pool: "a", Maps: 2, Reduces: 1}, {Name: "b", User: "v", Pool: "b", Maps: 1}}
	large := []model.JobSpec{{Name: "a", User: "u", Pool: "a", Maps: 3, Reduces: 2}, {Name: "b", User: "v", Pool: "b", Maps: 1, Reduces: 1}}
	placed := slices.Clone(both)
	placed[0].Places = model.Places{Offsets: []int32{0, 1, 2}, Nodes: []model.NodeID{0, 0}}
	placed[1].Places = model.Places{Offsets: []int32{0, 1}, Nodes: []model.NodeID{1}}
	some := faults{fail: 2, blameless: 1, lostOutput: 1, unfetched: 1, crash: 1, leave: 1, kill: 1, mute: 1, double: 1, cordon: 2, preempt: 0, stop: 1, tick: 3}
	add := func(name, preset string, nodes []model.Node, jobs []model.JobSpec, change func(*model.Policy, *faults)) {
		p := policyOf(t, preset, nil)
		f := some
		if p.Locality.Rule == model.TimedWait {
			p.Locality.Waits = []time.Duration{quantum, 2 * quantum}
		}
		if change != nil {
			change(&p, &f)
		}
		own := slices.Clone(jobs) // a Core keeps its arguments, and worlds run in parallel
		for i := range own {
			own[i].Places = model.Places{Offsets: slices.Clone(own[i].Places.Offsets), Nodes: slices.Clone(own[i].Places.Nodes)}
		}
		list = append(list, &worldSpec{name, p, nodes, own, f})
	}
	cogrs := func(p *model.Policy, _ *faults) {
		p.Reduce = model.ReducePolicy{Rule: model.CoGRS, Waits: [2]time.Duration{quantum, quantum}}
	}
	add("fifo", "fifo", two, both, nil)
	add("fifo large", "fifo", wide, large, nil)
	add("fair", "fair", two, both, nil)
	add("fair large", "fair", three, large, func(p *model.Policy, _ *faults) { p.SlowStart = 1 })
	add("delay", "delay", two, placed, func(p *model.Policy, _ *faults) { p.Locality.Skips = []int{1} })
	add("delay by maps", "delay", two, placed, nil)
	add("hfs", "hfs", two, placed, nil)
	add("hfs capped", "hfs", three, placed, func(p *model.Policy, _ *faults) { p.Locality.Capped = true })
	add("hfs cogrs", "hfs", three, placed, cogrs)
	add("fair cogrs", "fair", two, large, cogrs)
	add("fair larts", "fair", two, large, func(p *model.Policy, f *faults) { cogrs(p, f); p.Reduce.Rule = model.LARTS })
	add("preemption", "hfs", wide, placed, func(p *model.Policy, f *faults) {
		p.Pools.Pools = []model.PoolConfig{{Name: "b", Min: [2]int{1, 0}, MinTimeout: quantum}}
		p.Pools.MinTimeout, p.Pools.FairTimeout = quantum, 2*quantum
		p.Preemption = model.PreemptionPolicy{Mode: model.PreemptOn, Interval: 2 * quantum}
		f.preempt = 1
	})
	add("capacity", "capacity", two, both, nil)
	add("capacity queues", "capacity", wide, both, func(p *model.Policy, _ *faults) {
		p.Queues = []model.QueueConfig{{Name: "default", Capacity: 50, UserLimit: 50}, {Name: "other", Capacity: 50}}
	})
	add("hfsp suspends", "hfsp", two, both, func(p *model.Policy, _ *faults) { p.HFSP.Sample = 1; p.HFSP.Delta = quantum })
	add("hfsp kills", "hfsp", two, both, func(p *model.Policy, _ *faults) { p.HFSP.Sample = 1; p.HFSP.Reclaim = model.KillLarger })
	add("srpt", "srpt", two, both, nil)
	add("quincy", "quincy", three, placed, func(p *model.Policy, f *faults) {
		p.Quincy.Interval, f.preempt = quantum, 1
	})
	add("quincy waits", "quincy", two, placed, func(p *model.Policy, _ *faults) { p.Quincy.Rule = model.Q })
	late := model.SpeculationPolicy{Rule: model.LATE, Lag: quantum, MinCopies: 1}
	alone := []model.JobSpec{{Name: "a", User: "u", Maps: 2}, {Name: "b", User: "v", Maps: 1, Reduces: 2}}
	add("late", "fifo", wide, alone, func(p *model.Policy, _ *faults) { p.Speculation = late })
	add("late waits", "hfs", wide, placed, func(p *model.Policy, _ *faults) { p.Speculation = late })
	add("late capacity", "capacity", wide, alone, func(p *model.Policy, _ *faults) { p.Speculation = late })
	add("native hfsp", "hfsp", wide, both, func(p *model.Policy, _ *faults) {
		p.HFSP.Sample = 1
		p.Speculation = model.SpeculationPolicy{Rule: model.NativeRule, Lag: quantum}
	})
	return list
}

// reached is a state, stored as the state before it and the step between them.
type reached struct {
	before int32
	by     step
	faults int8 // so far
}

// exploration is a search through the states of a world.
type exploration struct {
	spec    *worldSpec
	seen    map[uint64]int32 // by fingerprint: index in found
	found   []reached
	queues  [maxFaults + 1][]int32 // by number of faults: states to continue from
	turn    int                    // of the queues
	random  *rand.Rand
	steps   int
	depth   int
	sampled int
	failing []step
	err     error
}

// maxFaults is the maximum number of faults in a path.
const maxFaults = 3

// sampleEvery is the number of steps between two states that sample checks in detail.
const sampleEvery = 200

// explore visits states of a world. It ends when `most` states are found, when none is new, or when
// a step breaks a rule.
func explore(spec *worldSpec, most int) *exploration {
	x := &exploration{spec: spec, seen: map[uint64]int32{}, random: rand.New(rand.NewPCG(1, 2))}
	var p printer
	x.add(p.fingerprint(newWorld(spec)), reached{before: -1})
	for at := x.take(); at >= 0 && len(x.found) < most && x.err == nil; at = x.take() {
		x.expand(&p, at)
	}
	return x
}

func (x *exploration) add(hash uint64, r reached) {
	at := int32(len(x.found))
	x.seen[hash] = at
	x.found = append(x.found, r)
	if r.faults <= maxFaults {
		x.queues[r.faults] = append(x.queues[r.faults], at)
	}
}

// take returns a state to continue from, or -1. It takes the numbers of faults in turn, and of the
// states with that number the first found, the last, or a random one.
func (x *exploration) take() int32 {
	for range x.queues {
		x.turn = (x.turn + 1) % len(x.queues)
		if q := x.queues[x.turn]; len(q) > 0 {
			last := len(q) - 1
			i := [...]int{0, last, last, x.random.IntN(len(q))}[x.random.IntN(4)]
			at := q[i]
			if i == 0 {
				x.queues[x.turn] = q[1:]
			} else {
				q[i], x.queues[x.turn] = q[last], q[:last]
			}
			return at
		}
	}
	return -1
}

// through returns a text about how far the exploration went. For each number of faults it has the
// states from which the exploration has continued, and all states.
func (x *exploration) through() string {
	var all [maxFaults + 2]int
	for _, r := range x.found {
		all[r.faults]++
	}
	text := ""
	for faults, q := range x.queues {
		text += fmt.Sprintf(" %d of %d", all[faults]-len(q), all[faults])
	}
	return "gone on from, without faults, with one, …:" + text
}

// expand takes every step that can follow state `at`.
func (x *exploration) expand(p *printer, at int32) {
	path := x.path(at)
	w, err := x.spec.play(path, nil)
	if err != nil {
		x.failing, x.err = path, fmt.Errorf("taken again, the same steps fail: %w", err)
		return
	}
	x.depth = max(x.depth, len(path)+1)
	before, env := remember(w.c), w.environment
	next := w.steps(nil)
	x.random.Shuffle(len(next), func(a, b int) { next[a], next[b] = next[b], next[a] })
	for _, s := range next {
		x.steps++
		err := w.take(s)
		if err == nil {
			err = x.note(p, w, path, at, s)
		}
		if err != nil {
			x.failing, x.err = append(path, s), err
			return
		}
		before.restore()
		w.environment = env
	}
}

// note records the state of w, which step s has reached from state `at`.
func (x *exploration) note(p *printer, w *world, path []step, at int32, s step) error {
	h := p.fingerprint(w)
	known, old := x.seen[h]
	if !old {
		faults := x.found[at].faults
		if s.what.isFault() {
			faults++
		}
		x.add(h, reached{at, s, faults})
	}
	if x.steps%sampleEvery != 0 {
		return nil
	}
	x.sampled++
	path = append(slices.Clip(path), s)
	if old {
		if err := x.spec.alike(path, x.path(known)); err != nil {
			return err
		}
	}
	return x.spec.sample(path, h)
}

// path returns the steps that lead from the beginning to state `at`.
func (x *exploration) path(at int32) (path []step) {
	for ; x.found[at].before >= 0; at = x.found[at].before {
		path = append(path, x.found[at].by)
	}
	slices.Reverse(path)
	return path
}

// play takes steps from the beginning; its error is that of the first step that breaks a rule.
func (spec *worldSpec) play(path []step, trace func(string, ...any)) (*world, error) {
	w := newWorld(spec)
	w.trace = trace
	for _, s := range path {
		w.says("%s", w.tell(s))
		if err := w.take(s); err != nil {
			return w, err
		}
	}
	return w, nil
}

// collector keeps the first failure of checkInvariants, in place of a *testing.T.
type collector struct{ err error }

func (c *collector) Errorf(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *collector) FailNow() { panic(c.err) }

// sample checks one state in detail. Its steps and its call log lead to the same state, the Core's
// lists agree, and every job ends once faults stop.
func (spec *worldSpec) sample(path []step, want uint64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	w := newWorld(spec)
	var log bytes.Buffer
	calls := calls.NewWriter(&log)
	w.environment = environment{left: spec.faults}
	w.c = w.newCore(calls.Write)
	for i := range spec.nodes {
		w.join(i)
	}
	for _, s := range path {
		if err := w.take(s); err != nil {
			return err
		}
	}
	var p printer
	if p.fingerprint(w) != want {
		return fmt.Errorf("taken again, the same steps lead to another state")
	}
	again := *w
	again.c, err = NewCore(core.Config{HeartbeatInterval: quantum, Expiry: worldExpiry, MaxAttempts: worldAttempts}, spec.policy)
	if err != nil {
		return err
	}
	if err := ReplayFrom(again.c, &log); err != nil {
		return fmt.Errorf("after a restart: %w", err)
	}
	if p.fingerprint(&again) != want {
		return fmt.Errorf("after a restart from the log the Core is in another state")
	}
	checkInvariants(&collector{}, w.c)
	return w.ends()
}

// alike returns an error if the same fingerprint has states after which different states follow.
func (spec *worldSpec) alike(one, other []step) error {
	a, err := spec.after(one)
	if err != nil {
		return err
	}
	b, err := spec.after(other)
	if err != nil {
		return err
	}
	for _, s := range a {
		if !slices.Contains(b, s) {
			return fmt.Errorf("the fingerprint joins states that are not alike: %q leads to another after\n%s", stepNames[s.what], spec.story(other))
		}
	}
	return nil
}

// next is a kind of step and the fingerprint of the state that it leads to.
type next struct {
	what stepKind
	hash uint64
}

func (spec *worldSpec) after(path []step) (list []next, err error) {
	w, err := spec.play(path, nil)
	if err != nil {
		return nil, err
	}
	var p printer
	before, env := remember(w.c), w.environment
	for _, s := range w.steps(nil) {
		if err := w.take(s); err != nil {
			return nil, err
		}
		list = append(list, next{s.what, p.fingerprint(w)})
		before.restore()
		w.environment = env
	}
	return list, nil
}

// shrink removes steps from a failing path as long as the rest of it fails.
func (spec *worldSpec) shrink(path []step) []step {
	for i := len(path) - 1; i >= 0; i-- {
		shorter := slices.Delete(slices.Clone(path), i, i+1)
		if spec.fails(shorter) {
			path = shorter
			i = min(i, len(path))
		}
	}
	return path
}

// fails reports whether all steps may happen in turn, and the last one breaks a rule.
func (spec *worldSpec) fails(path []step) bool {
	w := newWorld(spec)
	for i, s := range path {
		if !w.may(s) {
			return false
		}
		if err := w.take(s); err != nil {
			return i == len(path)-1
		}
	}
	return w.ends() != nil
}

// story returns a path as text: its steps, their events, and the rule that breaks.
func (spec *worldSpec) story(path []step) string {
	var lines []string
	w, err := spec.play(path, func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) })
	if err == nil {
		lines = append(lines, "then no more faults:")
		err = w.ends()
	}
	return strings.Join(append(lines, fmt.Sprint("=> ", err)), "\n")
}
