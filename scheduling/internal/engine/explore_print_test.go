package engine

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/hfsp"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/quincy"
	"github.com/tarry-mr/tarry/scheduling/internal/speculate"
)

// The fingerprint of a world is equal for states with the same futures. Times count from the
// present. Nodes of one kind differ only by the tasks that run there, unless the policy uses node
// numbers. Tasks stay distinct, since the Core launches them by number: it matters, for example,
// which of them has failed and must rerun.
//
// mix is a hash of 64 bits.
type mix uint64

func (h *mix) add(x uint64) {
	z := uint64(*h) ^ x
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	*h = mix(z ^ z>>31 + 0x9e3779b97f4a7c15)
}

func (h *mix) flag(x bool) {
	if x {
		h.add(1)
	} else {
		h.add(2)
	}
}

func (h *mix) int(x int)               { h.add(uint64(x)) }
func (h *mix) length(x time.Duration)  { h.add(uint64(x)) }
func (h *mix) number(x float64)        { h.add(math.Float64bits(x)) }
func (h *mix) pair(x [model.Kinds]int) { h.int(x[0]); h.int(x[1]) }
func mixed(seed uint64, x uint64) uint64 {
	h := mix(seed)
	h.add(x)
	return uint64(h)
}

// link says that a task and a node are related; the hash says how.
type link struct {
	task, node int
	hash       uint64
}

// printer computes fingerprints. Its fields are memory for one computation.
type printer struct {
	w     *world
	tasks [maxJobs * model.Kinds * maxTasks]uint64
	nodes [maxMachines]uint64
	links []link
	sort  []uint64
}

func taskAt(id model.TaskID) int {
	return (int(id.Job-1)*model.Kinds+int(id.Kind))*maxTasks + int(id.Index)
}

// fingerprint returns the fingerprint of a world.
func (p *printer) fingerprint(w *world) uint64 {
	p.w, p.links = w, p.links[:0]
	h := mix(17)
	h.int(int(w.submitted))
	p.addFaults(&h, &w.left)
	for i := range w.spec.nodes {
		p.nodes[i] = 0
	}
	for i := range w.spec.jobs {
		p.job(&h, i)
	}
	for i := range w.spec.nodes {
		p.node(i)
	}
	p.policy(&h)
	p.refine()
	p.refine()
	for _, t := range p.tasks {
		h.add(t)
	}
	h.add(p.unordered(p.nodes[:len(w.spec.nodes)]))
	return uint64(h)
}

func (p *printer) addFaults(h *mix, f *faults) {
	for _, n := range [...]int8{f.fail, f.blameless, f.lostOutput, f.unfetched, f.crash, f.leave, f.kill, f.mute, f.double, f.cordon, f.preempt, f.stop, f.tick} {
		h.int(int(n))
	}
}

// refine adds to the hash of each task and node the hashes of those that it is linked with.
func (p *printer) refine() {
	tasks, nodes := p.tasks, p.nodes
	for _, l := range p.links {
		p.tasks[l.task] += mixed(l.hash, nodes[l.node])
		p.nodes[l.node] += mixed(l.hash+1, tasks[l.task])
	}
}

// unordered returns a hash of a set, equal for any order of its elements.
func (p *printer) unordered(set []uint64) uint64 {
	p.sort = append(p.sort[:0], set...)
	slices.Sort(p.sort)
	h := mix(23)
	for _, x := range p.sort {
		h.add(x)
	}
	return uint64(h)
}

// job adds job i to h, and computes the hashes of its tasks.
func (p *printer) job(h *mix, i int) {
	for k := range model.Kinds {
		first := (i*model.Kinds + k) * maxTasks
		clear(p.tasks[first : first+maxTasks])
	}
	j := p.w.c.Job(model.JobID(i + 1))
	if j == nil {
		for _, at := range p.w.spec.jobs[i].Places.Nodes {
			p.nodes[at] += mixed(47, uint64(i))
		}
		return
	}
	h.int(int(j.State))
	h.flag(p.w.killed[i])
	h.flag(p.w.opened[i])
	if j.State.Ended() {
		return
	}
	h.flag(j.Runnable)
	p.fetches(h, j)
	h.flag(j.Failures != nil)
	for n, times := range j.Failures {
		p.nodes[n] += mixed(107+uint64(i), uint64(times))
	}
	for k := range model.TaskKind(model.Kinds) {
		h.flag(j.Work[k].Open)
		p.pace(h, j, k)
		for m := range j.Work[k].Tasks {
			p.task(j, model.TaskID{Job: j.ID, Kind: k, Index: int32(m)})
		}
	}
}

// task sets the hash of a task from its state and from what has happened to it.
func (p *printer) task(j *core.Job, id model.TaskID) {
	t, f := &j.Work[id.Kind].Tasks[id.Index], p.w.facts(id)
	h := mix(31)
	h.int(taskAt(id))
	h.int(int(t.State))
	h.int(int(t.Fails))
	h.int(int(f.failed))
	h.flag(t.Tries > 0)
	h.flag(f.granted > 0 && p.w.isLive(model.AttemptID{Task: id, Try: int32(f.granted) - 1}))
	p.tasks[taskAt(id)] = uint64(h)
	if id.Kind == model.Reduce {
		return
	}
	if t.State == core.TaskDone {
		n := mix(43)
		n.int(int(t.Tries - t.Won))
		p.link(id, int(t.Node), n)
	}
	if j.HasPlace(id.Index) {
		o := j.Spec.Places
		for _, at := range o.Nodes[o.Offsets[id.Index]:o.Offsets[id.Index+1]] {
			p.link(id, int(at), mix(47))
		}
	}
}

// fetches adds the reports of reduces about outputs that they could not fetch.
func (p *printer) fetches(h *mix, j *core.Job) {
	for i := range j.Work[model.Map].Tasks {
		if u := j.Unfetched[int32(i)]; u != nil {
			h.flag(u.Try == j.Work[model.Map].Tasks[i].Won)
			h.int(u.Times)
			h.int(u.Reruns)
			h.int(len(u.Reduces))
		}
	}
}

// pace adds the tasks that may get a speculative attempt, and the speeds by which the Core chooses
// them.
func (p *printer) pace(h *mix, j *core.Job, k model.TaskKind) {
	for _, i := range j.Work[k].Slow {
		h.int(int(i) + 1)
	}
	rule := p.w.c.Speculation.(*speculate.Rule)
	rate := func(s speculate.Sample) {
		h.int(s.N)
		h.number(s.Sum)
		h.number(s.Squares)
	}
	if len(j.Work[model.Map].Slow)+len(j.Work[model.Reduce].Slow) > 0 {
		rate(rule.Slowest.Rates[k][j.Index])
	}
	if rule.Paces.Of(j)[k] == nil {
		return
	}
	rate(rule.Paces.Of(j)[k].Rates)
	for n, s := range rule.Paces.Of(j)[k].Nodes {
		x := mix(103)
		x.int(int(j.ID))
		x.int(s.N)
		x.number(s.Sum)
		p.nodes[n] += uint64(x)
	}
}

func (p *printer) link(id model.TaskID, node int, h mix) {
	p.links = append(p.links, link{taskAt(id), node, uint64(h)})
}

// attempt links an attempt with a node. The number of later attempts of the same task stands for
// the attempt.
func (p *printer) attempt(id model.AttemptID, node int, kind uint64, more uint64) {
	j := p.w.c.Job(id.Task.Job)
	h := mix(kind)
	h.add(more)
	if !j.State.Ended() {
		h.int(int(j.Work[id.Task.Kind].Tasks[id.Task.Index].Tries - id.Try))
	}
	p.link(id.Task, node, h)
}

// node returns a hash of node i, of its state in the Core and on the machine.
func (p *printer) node(i int) {
	w, n, m := p.w, p.w.c.Nodes[i], &p.w.machines[i]
	h := mix(53)
	h.add(p.hashString(n.Rack))
	h.pair(n.Slots)
	if _, ok := w.c.Placement[model.Reduce].(*cogrs.Placement); ok {
		h.int(i) // of equally good centers, the first wins
	}
	if o, ok := w.c.Order.(*quincy.Order); ok {
		h.int(i) // of equally cheap nodes, the first wins
		if i < len(o.PlannedAt) && o.PlannedAt[i] > 0 {
			h.length(w.now - o.PlannedAt[i])
		}
	}
	h.flag(n.Live)
	h.flag(n.Cordoned)
	h.flag(n.Avoided)
	h.int(n.Faults)
	h.flag(m.up)
	h.flag(n.Live && n.Incarnation == m.life)
	if n.Live {
		h.length(min(w.now-n.Seen, worldExpiry))
	}
	for _, ai := range n.Atts {
		a := &w.c.Attempts[ai]
		x := mix(59)
		x.flag(a.Suspended)
		x.flag(a.Progress > 0)
		if p.timed() {
			x.length(w.now - a.Start)
			x.length(a.Worked(w.now))
			p.trainingSample(&x, ai, a)
		}
		p.attempt(a.ID, i, 61, uint64(x))
	}
	for _, o := range n.Pending {
		p.attempt(o.Attempt, i, 67, uint64(o.Verb))
	}
	if m.sent.used && n.Live && m.sent.life == n.Incarnation && m.sent.seq == n.Seq { // it may be resent
		for k, o := range n.Last {
			same := func(b model.Action) bool { return b.Verb == o.Verb && b.Attempt == o.Attempt } // killed for two reasons
			if !slices.ContainsFunc(n.Last[:k], same) {
				p.attempt(o.Attempt, i, 71, uint64(o.Verb))
			}
		}
	}
	for k := range m.held[:m.n] {
		p.held(i, k, 73, &m.held[k])
	}
	for k, l := range [...]*letter{&m.sent, &m.late} {
		p.letter(&h, i, l, n, uint64(79+k))
	}
	p.nodes[i] += uint64(h)
}

// letter adds a heartbeat in flight, if the Core would accept it.
func (p *printer) letter(h *mix, i int, l *letter, n *core.NodeState, kind uint64) {
	h.flag(l.used)
	if !l.used {
		return
	}
	known := n.Live && l.life == n.Incarnation
	h.flag(known)
	if known {
		h.int(cmp.Compare(l.seq, n.Seq))
	}
	if known && l.seq > n.Seq {
		for k := range l.told[:l.n] {
			p.held(i, k, kind, &l.told[k])
		}
	}
}

// held links an attempt that machine i holds with its task; order is its position in reports.
func (p *printer) held(i, order int, kind uint64, a *onMachine) {
	x := mix(83)
	x.int(order)
	x.int(int(a.state))
	x.flag(a.granted)
	x.flag(a.half)
	x.flag(a.lost > 0)
	if j := p.w.c.Job(a.id.Task.Job); a.lost > 0 && !j.State.Ended() {
		m := model.TaskID{Job: j.ID, Kind: model.Map, Index: int32(a.lost) - 1}
		t := &j.Work[model.Map].Tasks[m.Index]
		h := mix(kind + 100)
		h.flag(t.State == core.TaskDone && t.Won == a.lostTry)
		h.flag(a.cut)
		p.link(m, i, h)
	}
	p.attempt(a.id, i, kind, uint64(x))
}

func (p *printer) hashString(s string) uint64 {
	h := mix(89)
	for _, b := range []byte(s) {
		h.int(int(b))
	}
	return uint64(h)
}

// timed reports whether the policy uses the run times of attempts.
func (p *printer) timed() bool {
	switch p.w.c.Order.(type) {
	case *hfsp.Order, *quincy.Order:
		return true
	}
	return p.w.spec.policy.Speculation.Rule != model.NoSpeculation
}

func (p *printer) trainingSample(h *mix, ai int32, a *core.Attempt) {
	if o, ok := p.w.c.Order.(*hfsp.Order); ok && int(ai) < len(o.Learned) && o.Learned[ai].Attempt == a.ID {
		h.length(o.Learned[ai].Shuffled)
		h.flag(o.Learned[ai].Sampled)
		h.number(a.Reduced)
	}
}
