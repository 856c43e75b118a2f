package simulator

import (
	"math"
	"time"
)

// rejoin registers a node that the JobTracker had declared lost.
func (s *sim) rejoin(n *simNode) error {
	s.empty(n)
	n.incarnation++
	return s.join(n)
}

// empty removes all attempts from a node, and the ends that it has not reported.
func (s *sim) empty(n *simNode) {
	for len(n.running) > 0 {
		s.drop(n.running[0])
	}
	n.endReports = n.endReports[:0]
}

// planFailures schedules Config.Failures: its outages, and the first random failure of each node.
func (s *sim) planFailures() {
	f := &s.cfg.Failures
	for _, o := range f.Outages {
		s.at(o.At, evFail, int32(o.Node), int32(min(o.For/time.Second, math.MaxInt32)))
	}
	for i := range s.nodes {
		s.planFailure(&s.nodes[i])
	}
	if f.any() {
		s.tick()
	}
}

// planFailure schedules a node's next random failure.
func (s *sim) planFailure(n *simNode) {
	f := &s.cfg.Failures
	if f.MTBF == 0 {
		return
	}
	n.fails++
	span := -math.Log(1-unit(draw(s.cfg.Seed, forFailure, uint64(n.index), n.fails))) * f.MTBF.Seconds()
	s.at(s.q.now+time.Duration(min(span, 1e9)*float64(time.Second)), evFail, n.index, int32(f.Repair/time.Second))
}

// fail takes a node down: its attempts and map outputs are lost.
func (s *sim) fail(n *simNode, span time.Duration) {
	if n.down {
		return
	}
	s.empty(n)
	n.down, n.ticking = true, false
	n.gen++
	s.cache.empty(n.index)
	s.loseOutputs(n.index)
	s.redirectReads(n.index)
	if span > 0 {
		s.at(s.q.now+span, evRepair, n.index, 0)
	}
}

// repair brings a node back with a new incarnation.
func (s *sim) repair(n *simNode) error {
	n.down = false
	n.incarnation++
	if err := s.join(n); err != nil {
		return err
	}
	s.planFailure(n)
	s.tick()
	return nil
}
