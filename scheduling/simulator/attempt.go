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
	index          int32 // in sim.atts
	id             scheduling.AttemptID
	job            *simJob
	node           *simNode
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

// newAttempt returns a free record. Its generation is a new one, so that events of the former
// attempt are void.
func (s *sim) newAttempt() *attempt {
	if k := len(s.free) - 1; k >= 0 {
		a := s.free[k]
		s.free = s.free[:k]
		*a = attempt{index: a.index, gen: a.gen + 1, fetch: a.fetch.emptied()}
		return a
	}
	a := &attempt{index: int32(len(s.atts))}
	s.atts = append(s.atts, a)
	return a
}

// launch starts an attempt on a node.
func (s *sim) launch(n *simNode, o scheduling.Action) {
	a := s.newAttempt()
	a.id, a.node, a.job = o.Attempt, n, s.byID[o.Attempt.Task.Job]
	a.locality, a.flow, a.since = o.Locality, -1, s.q.now
	n.running = append(n.running, a)
	s.occupy(a, 1)
	if a.copy = o.Reason.Cause == event.CauseSlowTask; a.copy {
		a.job.Copies.Launched++
	}
	if chance := s.cfg.Failures.TaskFails; chance > 0 {
		a.fails = unit(s.random(a, forFault)) < chance
	}
	if a.id.Task.Kind == scheduling.Map {
		s.startMap(a)
	} else {
		s.startReduce(a)
	}
}

// occupy updates the counts of running attempts when a takes (sign 1) or returns (-1) its slots.
func (s *sim) occupy(a *attempt, sign int) {
	k := a.id.Task.Kind
	s.running += sign
	a.job.running[k] += sign
}

// random returns a number that depends only on the seed, the purpose (forFault …) and the attempt.
func (s *sim) random(a *attempt, purpose uint64) uint64 {
	t := a.id.Task
	return draw(s.cfg.Seed, purpose, uint64(a.job.index), uint64(t.Kind)<<32|uint64(t.Index), uint64(a.id.Try))
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

// computing returns how long, in seconds, an attempt computes on bytes of input.
func (s *sim) computing(a *attempt, bytes float64) float64 {
	cost := &a.job.spec.Map
	if a.id.Task.Kind == scheduling.Reduce {
		cost = &a.job.spec.Reduce
	}
	t := cost.Time.Seconds() + s.cpu(cost, bytes)
	if cost.Spread > 0 {
		t *= lognormal(s.random(a, forSpread), cost.Spread)
	}
	if part := s.cfg.Cluster.Stragglers; part > 0 && unit(s.random(a, forStraggler)) < part {
		r := rand.New(rand.NewPCG(s.random(a, forStraggling), 0))
		t *= min(s.cfg.Cluster.StragglerTimes.Sample(r), maxFactor)
	}
	return t * a.node.slow
}

// startMap schedules a map: set-up, reading by locality, computing, and writing if the job has no
// reduces.
func (s *sim) startMap(a *attempt) {
	j, n := a.job, a.node
	if j.recorded != nil {
		s.startRecordedMap(a)
		return
	}
	cl, w := &s.cfg.Cluster, j.spec
	bytes := float64(w.SplitBytes(int(a.id.Task.Index)))
	level, rate := min(max(a.locality, scheduling.NodeLocal), scheduling.OffRack), cl.ReadRate
	if a.hit = s.cache.read(n.index, j.blockOf(a.id.Task.Index)); a.hit {
		level, rate = scheduling.NodeLocal, cl.CacheRate
	}
	work := s.computing(a, bytes)
	if w.Reduces == 0 && w.OutputBytes > 0 {
		work += float64(w.OutputBytes) / float64(w.Maps) / cl.ReadRate * n.slow
	}
	setup := s.setup(w.Map.Setup, n)
	if s.net != nil && (level != scheduling.NodeLocal || s.disks && !a.hit) && bytes > 0 {
		a.work, a.phase = seconds(work), phaseSetup
		s.until(a, s.q.now+setup)
		return
	}
	factor := 1.0
	if s.net == nil && !a.hit {
		factor = s.cfg.Network.ReadFactor[level]
	}
	a.work = seconds(work + bytes/rate*factor*n.slow)
	s.work(a, setup)
}

// until schedules the end of an attempt's phase at a time; it replaces an earlier schedule.
func (s *sim) until(a *attempt, at time.Duration) {
	a.gen++
	a.ends = at
	s.at(at, evAttempt, a.index, a.gen)
}

// phaseOver starts an attempt's next phase, or ends the attempt.
func (s *sim) phaseOver(a *attempt) error {
	switch {
	case a.phase == phaseWork:
		return s.ended(a)
	case a.phase == phaseSetup && a.id.Task.Kind == scheduling.Map:
		s.readFlow(a, float64(a.job.spec.SplitBytes(int(a.id.Task.Index))))
	case a.phase == phaseSetup:
		s.startFetching(a)
	}
	return nil
}

// work starts an attempt's last phase, which takes the time before, for set-up or fetching, plus
// a.work. An attempt that fails does so halfway; a recorded one fails at its recorded time.
func (s *sim) work(a *attempt, before time.Duration) {
	a.phase = phaseWork
	span := before + a.work
	if a.fails && a.job.recorded == nil {
		span /= 2
	}
	if a.suspended {
		a.phaseRemaining = span
		return
	}
	s.until(a, s.q.now+span)
}

// ended removes a finished attempt from its node; the JobTracker learns of it now or at the next
// heartbeat.
func (s *sim) ended(a *attempt) error {
	r := report{*a, scheduling.StateSucceeded}
	r.worked, r.fetch = a.workedBy(s.q.now), fetch{}
	if a.fails {
		r.state = scheduling.StateFailed
	} else if j := a.job; r.id.Task.Kind == scheduling.Map {
		s.cache.keep(a.node.index, j.blockOf(r.id.Task.Index), j.spec.SplitBytes(int(r.id.Task.Index)))
	}
	n := a.node
	s.drop(a)
	n.endReports = append(n.endReports, r)
	if s.cfg.Drive != HeartbeatDrive {
		return s.beat(n)
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
func (s *sim) drop(a *attempt) {
	j, n := a.job, a.node
	k := a.id.Task.Kind
	s.res.busy[k] += a.workedBy(s.q.now)
	if !a.suspended {
		s.occupy(a, -1)
	}
	if a.flow >= 0 {
		s.net.Stop(a.flow)
	}
	s.stopFetching(a)
	if at := slices.Index(j.reducing, a); at >= 0 {
		j.reducing = slices.Delete(j.reducing, at, at+1)
	}
	at := slices.Index(n.running, a)
	last := len(n.running) - 1
	n.running[at] = n.running[last]
	n.running = n.running[:last]
	a.gen++
	s.free = append(s.free, a)
}

// find returns the record of an attempt on the node, or nil.
func (n *simNode) find(id scheduling.AttemptID) *attempt {
	for _, a := range n.running {
		if a.id == id {
			return a
		}
	}
	return nil
}
