package simulator

import (
	"cmp"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// simNode is the simulator's record of a node.
type simNode struct {
	index       int32
	slow        float64    // factor on everything it does
	running     []*attempt // on the node, including suspended ones
	endReports  []report
	phase       time.Duration // time of its first heartbeat, below the interval
	incarnation uint64
	gen         int32  // increases when its scheduled heartbeat becomes void
	ticking     bool   // its next heartbeat is scheduled
	down        bool   // it has failed and has not returned
	fails       uint64 // random failures planned so far
}

// report is an attempt that has ended, which the JobTracker does not know yet.
type report struct {
	attempt
	state scheduling.AttemptState
}

// newNode returns node i, with its speed and the time of its first heartbeat.
func (s *sim) newNode(i int32) simNode {
	cl, m := &s.cfg.Cluster, &s.cfg.Cluster.Machines[i]
	n := simNode{index: i, slow: cmp.Or(m.Slow, 1)}
	if unit(draw(s.cfg.Seed, forSlowness, uint64(i))) < cl.SlowNodes {
		n.slow *= cl.SlowFactor
	}
	phase := unit(draw(s.cfg.Seed, forPhase, uint64(i))) * float64(s.cfg.Interval)
	n.phase = cmp.Or(m.Beat%s.cfg.Interval, time.Duration(phase))
	return n
}

// join adds a node to the cluster, or brings it back.
func (s *sim) join(n *simNode) error {
	i := n.index
	m := &s.cfg.Cluster.Machines[i]
	id, err := s.core.Join(s.q.now, scheduling.Node{
		Name: cmp.Or(m.Name, fmt.Sprintf("n%05d", i)), Rack: cmp.Or(m.RackName, fmt.Sprintf("r%03d", s.top.rackOf[i])),
		MapSlots: m.MapSlots, ReduceSlots: m.ReduceSlots, Incarnation: n.incarnation,
	})
	if err != nil {
		return err
	}
	if int32(id) != i {
		return fmt.Errorf("simulator: node %d became %d", i, id)
	}
	return nil
}

// tick schedules the next heartbeat of each node, and the next update, where none is scheduled.
func (s *sim) tick() {
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.ticking || n.down {
			continue
		}
		n.ticking = true
		n.gen++
		s.at(s.nextBeat(n), evHeartbeat, int32(i), n.gen)
	}
	if !s.updating {
		s.updating = true
		s.at((s.q.now/s.cfg.Update+1)*s.cfg.Update, evUpdate, 0, 0)
	}
}

// nextBeat returns the time of a node's next heartbeat.
func (s *sim) nextBeat(n *simNode) time.Duration {
	if s.q.now < n.phase {
		return n.phase
	}
	return n.phase + ((s.q.now-n.phase)/s.cfg.Interval+1)*s.cfg.Interval
}

// followingBeat returns the time of a node's heartbeat after the current one.
func (s *sim) followingBeat(n *simNode) time.Duration {
	if s.cfg.Jitter == 0 {
		return s.q.now + s.cfg.Interval
	}
	k := (s.q.now-n.phase)/s.cfg.Interval + 1
	late := unit(draw(s.cfg.Seed, forJitter, uint64(n.index), uint64(k))) * float64(min(s.cfg.Jitter, s.cfg.Interval-1))
	return n.phase + k*s.cfg.Interval + time.Duration(late)
}

// timer sends the regular heartbeat of a node and schedules the next one. With EventDrive it skips
// a heartbeat that would report nothing and bring no task.
func (s *sim) timer(n *simNode, gen int32) error {
	if gen != n.gen || n.down {
		return nil
	}
	if s.openJobs == 0 && len(n.endReports) == 0 && !s.cfg.Failures.any() {
		n.ticking = false
		return nil
	}
	s.at(s.followingBeat(n), evHeartbeat, n.index, gen)
	says := s.cfg.Failures.any() || len(n.endReports) > 0 || s.tells(n)
	if s.cfg.Drive == EventDrive && !says && !s.core.View().Useful(scheduling.NodeID(n.index)) {
		return nil
	}
	return s.beat(n)
}

// beat sends a node's heartbeat and performs the actions of the answer.
func (s *sim) beat(n *simNode) error {
	if n.down {
		return nil
	}
	h := scheduling.Heartbeat{Node: scheduling.NodeID(n.index), Incarnation: n.incarnation, Statuses: s.statuses[:0]}
	for k := range n.endReports {
		h.Statuses = append(h.Statuses, s.status(&n.endReports[k]))
	}
	h.Statuses = s.progress(n, h.Statuses)
	s.statuses = h.Statuses
	s.res.Stats.Heartbeats++
	got, err := s.core.Heartbeat(s.q.now, h)
	if err != nil {
		return err
	}
	if got.Reregister {
		return s.rejoin(n)
	}
	for _, o := range got.Actions {
		s.perform(n, o)
	}
	for k := range n.endReports {
		s.reported(&n.endReports[k])
	}
	n.endReports = n.endReports[:0]
	return nil
}

// status returns what the node's heartbeat reports of an attempt that has ended.
func (s *sim) status(r *report) scheduling.Status {
	st := scheduling.Status{Attempt: r.id, State: r.state, Progress: 1, ReduceProgress: 1}
	if r.state == scheduling.StateFailed {
		st.Err, st.Progress, st.ReduceProgress = "failed by chance", 0.5, 0.5
	}
	if j := r.job; r.state == scheduling.StateSucceeded && r.id.Task.Kind == scheduling.Map && j.reportsSizes && !j.ended {
		st.OutputBytes = j.partitions(int(r.id.Task.Index), make([]int64, 0, j.spec.Reduces)) // the Core keeps it
	}
	return st
}

// tells reports whether the node has an attempt whose progress its heartbeats report.
func (s *sim) tells(n *simNode) bool {
	if s.needProgress == [2]bool{} {
		return false
	}
	for _, a := range n.running {
		if s.needProgress[a.id.Task.Kind] {
			return true
		}
	}
	return false
}

// progress appends the progress of the node's attempts, if it must be reported.
func (s *sim) progress(n *simNode, list []scheduling.Status) []scheduling.Status {
	if s.needProgress == [2]bool{} {
		return list
	}
	for _, a := range n.running {
		if !s.needProgress[a.id.Task.Kind] {
			continue
		}
		state := scheduling.StateRunning
		if a.suspended {
			state = scheduling.StateSuspended
		}
		part, reduced := s.progressOf(a)
		list = append(list, scheduling.Status{Attempt: a.id, State: state, Progress: part, ReduceProgress: reduced})
	}
	return list
}

// perform carries out an action of the JobTracker on a node.
func (s *sim) perform(n *simNode, o scheduling.Action) {
	s.res.Stats.Decisions++
	switch o.Verb {
	case scheduling.Launch:
		s.launch(n, o)
	case scheduling.Kill:
		s.killed(n, o)
	case scheduling.Suspend:
		s.suspend(n.find(o.Attempt))
	case scheduling.Resume:
		s.resume(n.find(o.Attempt))
	}
}

// reported counts an end that the JobTracker has received, unless a kill has made it void.
func (s *sim) reported(r *report) {
	j := r.job
	if r.copy && r.state == scheduling.StateSucceeded && !j.ended {
		j.Copies.Won++
	}
	switch {
	case r.state != scheduling.StateSucceeded || j.ended:
	case r.id.Task.Kind == scheduling.Map:
		j.Maps.Count(r.locality, 1)
		if r.hit {
			j.InMemory.Count(r.locality, 1)
		}
		j.Busy[0] += r.worked
		s.mapReported(j, r.node.index, r.id.Task.Index)
	default:
		j.Busy[1] += r.worked
		j.reported[1]++
		s.countShuffle(j, r.node.index, r.id.Task.Index)
	}
	if !j.ended && s.over(j) {
		s.coreEnded(j)
	}
}

// askDue makes the nodes returned by Core.Due send heartbeats, as a live JobTracker does. With
// HeartbeatDrive, as in Hadoop, the JobTracker never asks.
func (s *sim) askDue() error {
	if s.cfg.Drive != EventDrive {
		return nil
	}
	for {
		called, open := s.core.Due()
		if len(called)+len(open) == 0 {
			return nil
		}
		s.called = append(s.called[:0], called...)
		if err := s.offer(open); err != nil {
			return err
		}
		for _, n := range s.called {
			if err := s.beat(&s.nodes[n]); err != nil {
				return err
			}
		}
	}
}

// offer makes nodes send heartbeats as long as any task can be launched. It goes around s.ring from
// where it last stopped.
func (s *sim) offer(open []scheduling.NodeID) error {
	for _, n := range open {
		s.due[n] = true
	}
	for k := range s.ring {
		if !s.core.View().Useful(scheduling.NoNode) {
			if !s.cfg.InTurn {
				s.turn = (s.turn + k) % len(s.ring)
			}
			break
		}
		i := s.ring[(s.turn+k)%len(s.ring)]
		if !s.due[i] || !s.core.View().Useful(scheduling.NodeID(i)) {
			continue
		}
		if err := s.beat(&s.nodes[i]); err != nil {
			return err
		}
	}
	clear(s.due)
	return nil
}
