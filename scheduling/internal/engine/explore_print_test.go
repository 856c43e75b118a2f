package engine

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// The fingerprint of a world: equal for states from which the same can happen. Times count from
// now. Nodes of the same kind are told apart by what runs there only, unless the policy goes by
// their numbers. Tasks are not joined: the Core launches them by their numbers, so that it matters
// which of them has failed, say, and is to run again.
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

func (h *mix) int(x int)              { h.add(uint64(x)) }
func (h *mix) length(x time.Duration) { h.add(uint64(x)) }
func (h *mix) number(x float64)       { h.add(math.Float64bits(x)) }
func (h *mix) pair(x [kinds]int)      { h.int(x[0]); h.int(x[1]) }
func mixed(seed uint64, x uint64) uint64 {
	h := mix(seed)
	h.add(x)
	return uint64(h)
}

// link is something between a task and a node, of a kind told by hash.
type link struct {
	task, node int
	hash       uint64
}

// printer works out fingerprints; what it holds is scratch.
type printer struct {
	w     *world
	tasks [mostJobs * kinds * mostTasks]uint64
	nodes [mostMachines]uint64
	links []link
	sort  []uint64
}

func taskAt(id TaskID) int { return (int(id.Job-1)*kinds+int(id.Kind))*mostTasks + int(id.Index) }

// fingerprint is that of a world.
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

// refine lets each task and node take in what it is linked with.
func (p *printer) refine() {
	tasks, nodes := p.tasks, p.nodes
	for _, l := range p.links {
		p.tasks[l.task] += mixed(l.hash, nodes[l.node])
		p.nodes[l.node] += mixed(l.hash+1, tasks[l.task])
	}
}

// unordered is a hash of a set.
func (p *printer) unordered(set []uint64) uint64 {
	p.sort = append(p.sort[:0], set...)
	slices.Sort(p.sort)
	h := mix(23)
	for _, x := range p.sort {
		h.add(x)
	}
	return uint64(h)
}

// job adds a job and makes the hashes of its tasks.
func (p *printer) job(h *mix, i int) {
	for k := range kinds {
		first := (i*kinds + k) * mostTasks
		clear(p.tasks[first : first+mostTasks])
	}
	j := p.w.c.job(JobID(i + 1))
	if j == nil {
		for _, at := range p.w.spec.jobs[i].Places.Nodes {
			p.nodes[at] += mixed(47, uint64(i))
		}
		return
	}
	h.int(int(j.state))
	h.flag(p.w.killed[i])
	h.flag(p.w.opened[i])
	if j.state.Ended() {
		return
	}
	h.flag(j.runnable)
	p.fetches(h, j)
	h.flag(j.trouble != nil)
	if j.trouble != nil {
		for n, times := range j.trouble.failures {
			p.nodes[n] += mixed(107+uint64(i), uint64(times))
		}
	}
	for k := range TaskKind(kinds) {
		h.flag(j.w[k].open)
		p.pace(h, j, k)
		for m := range j.w[k].tasks {
			p.task(j, TaskID{j.id, k, int32(m)})
		}
	}
}

// task makes the hash of a task.
func (p *printer) task(j *job, id TaskID) {
	t, f := &j.w[id.Kind].tasks[id.Index], p.w.facts(id)
	h := mix(31)
	h.int(taskAt(id))
	h.int(int(t.state))
	h.int(int(t.fails))
	h.int(int(f.failed))
	h.flag(t.tries > 0)
	h.flag(f.granted > 0 && p.w.isLive(AttemptID{id, int32(f.granted) - 1}))
	p.tasks[taskAt(id)] = uint64(h)
	if id.Kind == Reduce {
		return
	}
	if t.state == taskDone {
		n := mix(43)
		n.int(int(t.tries - t.won))
		p.link(id, int(t.node), n)
	}
	if j.hasPlace(id.Index) {
		o := j.spec.Places
		for _, at := range o.Nodes[o.Offsets[id.Index]:o.Offsets[id.Index+1]] {
			p.link(id, int(at), mix(47))
		}
	}
}

// fetches adds what reduces have said of outputs that they could not fetch.
func (p *printer) fetches(h *mix, j *job) {
	for i := range j.w[Map].tasks {
		if u := j.unfetched[int32(i)]; u != nil {
			h.flag(u.try == j.w[Map].tasks[i].won)
			h.int(u.times)
			h.int(u.reruns)
			h.int(len(u.reduces))
		}
	}
}

// pace adds which tasks are to be copied, and by what that is found out.
func (p *printer) pace(h *mix, j *job, k TaskKind) {
	for _, i := range j.w[k].toCopy() {
		h.int(int(i) + 1)
	}
	rate := func(s sample) {
		h.int(s.n)
		h.number(s.sum)
		h.number(s.squares)
	}
	if j.w[Map].slow != nil || j.w[Reduce].slow != nil {
		rate(p.w.c.slowest.rates[k][j.index])
	}
	if j.pace[k] == nil {
		return
	}
	rate(j.pace[k].rates)
	for n, s := range j.pace[k].nodes {
		x := mix(103)
		x.int(int(j.id))
		x.int(s.n)
		x.number(s.sum)
		p.nodes[n] += uint64(x)
	}
}

func (p *printer) link(id TaskID, node int, h mix) {
	p.links = append(p.links, link{taskAt(id), node, uint64(h)})
}

// attempt links an attempt with a node. An attempt is known by how many came after it.
func (p *printer) attempt(id AttemptID, node int, kind uint64, more uint64) {
	j := p.w.c.job(id.Task.Job)
	h := mix(kind)
	h.add(more)
	if !j.state.Ended() {
		h.int(int(j.w[id.Task.Kind].tasks[id.Task.Index].tries - id.Try))
	}
	p.link(id.Task, node, h)
}

// node makes the hash of a node, of the Core's and the machine's side.
func (p *printer) node(i int) {
	w, n, m := p.w, p.w.c.nodes[i], &p.w.machines[i]
	h := mix(53)
	h.add(p.hashString(n.rack))
	h.pair(n.slots)
	if _, ok := w.c.placement[Reduce].(*cogrs); ok {
		h.int(i) // of centers equally good it takes the first
	}
	if o, ok := w.c.order.(*quincy); ok {
		h.int(i) // of nodes equally cheap it takes the first
		if i < len(o.held) && o.held[i] > 0 {
			h.length(w.now - o.held[i])
		}
	}
	h.flag(n.live)
	h.int(int(n.barred))
	h.int(n.faults)
	h.flag(m.up)
	h.flag(n.live && n.incarnation == m.life)
	if n.live {
		h.length(min(w.now-n.seen, worldExpiry))
	}
	for _, ai := range n.atts {
		a := &w.c.atts[ai]
		x := mix(59)
		x.flag(a.suspended)
		x.flag(a.progress > 0)
		if p.timed() {
			x.length(w.now - a.start)
			x.length(a.worked(w.now))
			p.lesson(&x, ai, a)
		}
		p.attempt(a.id, i, 61, uint64(x))
	}
	for _, o := range n.pending {
		p.attempt(o.Attempt, i, 67, uint64(o.Verb))
	}
	if m.sent.used && n.live && m.sent.life == n.incarnation && m.sent.seq == n.seq { // it may be asked for again
		for k, o := range n.last {
			same := func(b Action) bool { return b.Verb == o.Verb && b.Attempt == o.Attempt } // killed for two reasons
			if !slices.ContainsFunc(n.last[:k], same) {
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

// letter adds a heartbeat under way, if the Core would take it in.
func (p *printer) letter(h *mix, i int, l *letter, n *node, kind uint64) {
	h.flag(l.used)
	if !l.used {
		return
	}
	known := n.live && l.life == n.incarnation
	h.flag(known)
	if known {
		h.int(cmp.Compare(l.seq, n.seq))
	}
	if known && l.seq > n.seq {
		for k := range l.told[:l.n] {
			p.held(i, k, kind, &l.told[k])
		}
	}
}

// held links what a node holds with its task; the order is that in which it tells of it.
func (p *printer) held(i, order int, kind uint64, a *onMachine) {
	x := mix(83)
	x.int(order)
	x.int(int(a.state))
	x.flag(a.granted)
	x.flag(a.half)
	x.flag(a.lost > 0)
	if j := p.w.c.job(a.id.Task.Job); a.lost > 0 && !j.state.Ended() {
		m := TaskID{j.id, Map, int32(a.lost) - 1}
		t := &j.w[Map].tasks[m.Index]
		h := mix(kind + 100)
		h.flag(t.state == taskDone && t.won == a.lostTry)
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

// timed tells whether the order knows how long attempts run.
func (p *printer) timed() bool {
	switch p.w.c.order.(type) {
	case *hfsp, *quincy:
		return true
	}
	return p.w.spec.policy.Speculation.Rule != NoSpeculation
}

func (p *printer) lesson(h *mix, ai int32, a *attempt) {
	if o, ok := p.w.c.order.(*hfsp); ok && int(ai) < len(o.learned) && o.learned[ai].attempt == a.id {
		h.length(o.learned[ai].shuffled)
		h.flag(o.learned[ai].sampled)
		h.number(a.reduced)
	}
}
