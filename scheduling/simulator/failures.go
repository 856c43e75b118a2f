package simulator

import (
	"math"
	"time"
)

// rejoin registers a node that the JobTracker had declared lost.
func (s *sim) rejoin(i int32) error {
	s.empty(i)
	s.nodes[i].incarnation++
	return s.join(i)
}

// empty removes all attempts from a node, and the ends that it has not reported.
func (s *sim) empty(i int32) {
	n := &s.nodes[i]
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
		s.planFailure(int32(i))
	}
	if f.any() {
		s.tick()
	}
}

// planFailure schedules a node's next random failure.
func (s *sim) planFailure(i int32) {
	f := &s.cfg.Failures
	if f.MTBF == 0 {
		return
	}
	n := &s.nodes[i]
	n.fails++
	span := -math.Log(1-unit(draw(s.cfg.Seed, forFailure, uint64(i), n.fails))) * f.MTBF.Seconds()
	s.at(s.q.now+time.Duration(min(span, 1e9)*float64(time.Second)), evFail, i, int32(f.Repair/time.Second))
}

// fail takes a node down: its attempts and map outputs are lost.
func (s *sim) fail(i int32, span time.Duration) {
	n := &s.nodes[i]
	if n.down {
		return
	}
	s.empty(i)
	n.down, n.ticking = true, false
	n.gen++
	s.cache.empty(i)
	s.loseOutputs(i)
	s.redirectReads(i)
	if span > 0 {
		s.at(s.q.now+span, evRepair, i, 0)
	}
}

// repair brings a node back with a new incarnation.
func (s *sim) repair(i int32) error {
	n := &s.nodes[i]
	n.down = false
	n.incarnation++
	if err := s.join(i); err != nil {
		return err
	}
	s.planFailure(i)
	s.tick()
	return nil
}
