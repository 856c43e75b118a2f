package simulator

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// phase is the current activity of an attempt.
type phase uint8

// The phases. Without flows a map is in phaseWork from the start; a reduce is once all maps are
// done.
const (
	phaseSetup   phase = iota // with flows: set-up before a read or a shuffle
	phaseRead                 // with flows: a map's input comes over the network or from a shared disk
	phaseShuffle              // a reduce waits for map outputs, or fetches them
	phaseWork                 // of known length; the attempt ends with it
)

// attempt is a running or suspended attempt.
type attempt struct {
	id             scheduling.AttemptID
	job            int32
	node           int32
	gen            int32 // increases when its scheduled event becomes void
	flow           int32 // the flow of a map's read, -1 if none
	phase          phase
	suspended      bool
	fails          bool // it will fail halfway
	copy           bool // it is speculative
	hit            bool // of a map: its block was in memory
	locality       scheduling.Locality
	since          time.Duration // of the launch or the last resume
	worked         time.Duration // before since
	ends           time.Duration // when the phase ends, if an event ends it
	phaseRemaining time.Duration // remaining length of the phase, while suspended
	work           time.Duration // length of phaseWork
	leftBytes      float64       // of a remote read, while suspended
	fetch          fetch         // of a shuffle with flows
}

// newAttempt returns the index of a free record in s.atts. Its generation is a new one, so that
// events of the former attempt are void.
func (s *sim) newAttempt() int32 {
	if k := len(s.free) - 1; k >= 0 {
		ai := s.free[k]
		s.free = s.free[:k]
		s.atts[ai] = attempt{gen: s.atts[ai].gen + 1, fetch: s.atts[ai].fetch.emptied()}
		return ai
	}
	s.atts = append(s.atts, attempt{})
	return int32(len(s.atts) - 1)
}

// launch starts an attempt on a node.
func (s *sim) launch(i int32, o scheduling.Action) {
	ai := s.newAttempt()
	a := &s.atts[ai]
	now := s.q.now
	a.id, a.node, a.job = o.Attempt, i, s.byID[o.Attempt.Task.Job]
	a.locality, a.flow, a.since = o.Locality, -1, now
	n, j, k := &s.nodes[i], &s.jobs[a.job], o.Attempt.Task.Kind
	n.running = append(n.running, ai)
	s.occupy(a, 1)
	if a.copy = o.Reason.Cause == event.CauseSlowTask; a.copy {
		j.Copies.Launched++
	}
	if chance := s.cfg.Failures.TaskFails; chance > 0 {
		a.fails = unit(s.random(a, forFault)) < chance
	}
	if k == scheduling.Map {
		s.startMap(ai, j, n)
	} else {
		s.startReduce(ai, j, n)
	}
}

// occupy updates the counts of running attempts when a takes (sign 1) or returns (-1) its slots.
func (s *sim) occupy(a *attempt, sign int) {
	k := a.id.Task.Kind
	s.running += sign
	s.jobs[a.job].running[k] += sign
}

// random returns a number that depends only on the seed, the purpose (forFault …) and the attempt.
func (s *sim) random(a *attempt, purpose uint64) uint64 {
	t := a.id.Task
	return draw(s.cfg.Seed, purpose, uint64(a.job), uint64(t.Kind)<<32|uint64(t.Index), uint64(a.id.Try))
}

// setup returns the set-up time of an attempt on n; own is the job's Cost.Setup.
func (s *sim) setup(own time.Duration, n *simNode) time.Duration {
	return seconds(max(cmp.Or(own, s.cfg.Cluster.Setup), 0).Seconds() * n.slow)
}

// seconds converts to a Duration, rounded to microseconds to hide floating-point noise.
func seconds(f float64) time.Duration {
	return time.Duration(math.Round(min(f, 1e9)*1e6)) * time.Microsecond
}

// cpu returns the mean time in seconds to compute on bytes, without Cost.Time.
func (s *sim) cpu(cost *workload.Cost, bytes float64) float64 {
	if rate := s.cfg.Cluster.CPURate; rate > 0 && cost.CPU >= 0 {
		return float64(bytes * cmp.Or(cost.CPU, 1) / rate)
	}
	return 0
}

// computing returns how long, in seconds, attempt a computes on bytes of input on node n.
func (s *sim) computing(a *attempt, bytes float64, n *simNode) float64 {
	cost := &s.jobs[a.job].spec.Map
	if a.id.Task.Kind == scheduling.Reduce {
		cost = &s.jobs[a.job].spec.Reduce
	}
	t := cost.Time.Seconds() + s.cpu(cost, bytes)
	if cost.Spread > 0 {
		t *= lognormal(s.random(a, forSpread), cost.Spread)
	}
	if part := s.cfg.Cluster.Stragglers; part > 0 && unit(s.random(a, forStraggler)) < part {
		r := rand.New(rand.NewPCG(s.random(a, forStraggling), 0))
		t *= min(s.cfg.Cluster.StragglerTimes.Sample(r), maxFactor)
	}
	return t * n.slow
}

// startMap schedules a map: set-up, reading by locality, computing, and writing if the job has no
// reduces.
func (s *sim) startMap(ai int32, j *simJob, n *simNode) {
	if j.recorded != nil {
		s.startRecordedMap(ai, j)
		return
	}
	a := &s.atts[ai]
	cl, w := &s.cfg.Cluster, j.spec
	bytes := float64(w.SplitBytes(int(a.id.Task.Index)))
	level, rate := min(max(a.locality, scheduling.NodeLocal), scheduling.OffRack), cl.ReadRate
	if a.hit = s.cache.read(a.node, j.blockOf(a.id.Task.Index)); a.hit {
		level, rate = scheduling.NodeLocal, cl.CacheRate
	}
	work := s.computing(a, bytes, n)
	if w.Reduces == 0 && w.OutputBytes > 0 {
		work += float64(w.OutputBytes) / float64(w.Maps) / cl.ReadRate * n.slow
	}
	setup := s.setup(w.Map.Setup, n)
	if s.net != nil && (level != scheduling.NodeLocal || s.disks && !a.hit) && bytes > 0 {
		a.work, a.phase = seconds(work), phaseSetup
		s.until(ai, s.q.now+setup)
		return
	}
	factor := 1.0
	if s.net == nil && !a.hit {
		factor = s.cfg.Network.ReadFactor[level]
	}
	a.work = seconds(work + bytes/rate*factor*n.slow)
	s.work(ai, setup)
}

// until schedules the end of an attempt's phase at a time; it replaces an earlier schedule.
func (s *sim) until(ai int32, at time.Duration) {
	a := &s.atts[ai]
	a.gen++
	a.ends = at
	s.at(at, evAttempt, ai, a.gen)
}

// phaseOver starts an attempt's next phase, or ends the attempt.
func (s *sim) phaseOver(ai int32) error {
	a := &s.atts[ai]
	switch {
	case a.phase == phaseWork:
		return s.ended(ai)
	case a.phase == phaseSetup && a.id.Task.Kind == scheduling.Map:
		s.startRead(ai)
	case a.phase == phaseSetup:
		s.startFetching(ai)
	}
	return nil
}

// work starts an attempt's last phase, which takes the time before, for set-up or fetching, plus
// a.work. An attempt that fails does so halfway; a recorded one fails at its recorded time.
func (s *sim) work(ai int32, before time.Duration) {
	a := &s.atts[ai]
	a.phase = phaseWork
	span := before + a.work
	if a.fails && s.jobs[a.job].recorded == nil {
		span /= 2
	}
	if a.suspended {
		a.phaseRemaining = span
		return
	}
	s.until(ai, s.q.now+span)
}

// ended removes a finished attempt from its node; the JobTracker learns of it now or at the next
// heartbeat.
func (s *sim) ended(ai int32) error {
	a := &s.atts[ai]
	r := report{*a, scheduling.StateSucceeded}
	r.worked, r.fetch = a.workedBy(s.q.now), fetch{}
	if a.fails {
		r.state = scheduling.StateFailed
	} else if j := &s.jobs[a.job]; r.id.Task.Kind == scheduling.Map {
		s.cache.keep(a.node, j.blockOf(r.id.Task.Index), j.spec.SplitBytes(int(r.id.Task.Index)))
	}
	i := a.node
	s.drop(ai)
	n := &s.nodes[i]
	n.endReports = append(n.endReports, r)
	if s.cfg.Drive != HeartbeatDrive {
		return s.beat(i)
	}
	return nil
}

// workedBy returns how long an attempt has held its slot.
func (a *attempt) workedBy(now time.Duration) time.Duration {
	if a.suspended {
		return a.worked
	}
	return a.worked + now - a.since
}

// drop frees an attempt's record and its slots, and stops its flows.
func (s *sim) drop(ai int32) {
	a := &s.atts[ai]
	j, n := &s.jobs[a.job], &s.nodes[a.node]
	k := a.id.Task.Kind
	s.res.busy[k] += a.workedBy(s.q.now)
	if !a.suspended {
		s.occupy(a, -1)
	}
	if a.flow >= 0 {
		s.net.Stop(a.flow)
	}
	s.stopFetching(a)
	if at := slices.Index(j.reducing, ai); at >= 0 {
		j.reducing = slices.Delete(j.reducing, at, at+1)
	}
	at := slices.Index(n.running, ai)
	last := len(n.running) - 1
	n.running[at] = n.running[last]
	n.running = n.running[:last]
	a.gen++
	s.free = append(s.free, ai)
}

// find returns the record of an attempt on a node, or -1.
func (s *sim) find(i int32, id scheduling.AttemptID) int32 {
	for _, ai := range s.nodes[i].running {
		if s.atts[ai].id == id {
			return ai
		}
	}
	return -1
}
