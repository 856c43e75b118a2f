package simulator

import (
	"math"
	"slices"

	"github.com/tarry-mr/tarry/internal/netmodel"
	"github.com/tarry-mr/tarry/scheduling"
)

// fetch is the state of a reduce's shuffle with flows: what is left to fetch, and current flows.
type fetch struct {
	waiting []portion
	flows   []netmodel.Flow
	bytes   float64 // fetched, being fetched, or found on its own node
	turns   uint64  // fetches started so far
}

// portion is the number of bytes that a reduce still has to fetch from a node.
type portion struct {
	node  int32
	bytes float64
}

// emptied returns an empty fetch that reuses the memory of f's slices.
func (f fetch) emptied() fetch { return fetch{waiting: f.waiting[:0], flows: f.flows[:0]} }

// readFlow starts or continues a remote map's read of these bytes; the disk at the other end limits
// it. If no replica is left, the map works at once, with the time of a disk read.
func (s *sim) readFlow(a *attempt, bytes float64) {
	a.phase = phaseRead
	rate := s.cfg.Cluster.ReadRate
	from := s.nearest(a, a.job.places)
	if from < 0 || from == a.node.index && !s.disks {
		a.work += seconds(bytes / rate)
		s.work(a, 0)
		return
	}
	a.flow = s.net.Read(s.q.now, from, a.node.index, bytes, rate/s.nodes[from].slow, a.index)
}

// startFetching starts a reduce's shuffle with the existing outputs.
func (s *sim) startFetching(a *attempt) {
	a.phase = phaseShuffle
	j := a.job
	for v, n := range j.out.byNode {
		if n > 0 {
			a.fetch.add(int32(v), j.partAt(int32(v), int(a.id.Task.Index)))
		}
	}
	s.pump(a)
}

// partAt returns the bytes of partition p in the map outputs that a node has.
func (j *simJob) partAt(node int32, p int) float64 {
	o := j.out
	if o.parts != nil {
		return float64(o.parts[node][p])
	}
	return float64(part(o.byNode[node], p, j.spec.Reduces, o.cum))
}

// add adds bytes to what the reduce has to fetch from a node.
func (f *fetch) add(node int32, bytes float64) {
	if bytes <= 0 {
		return
	}
	for i := range f.waiting {
		if f.waiting[i].node == node {
			f.waiting[i].bytes += bytes
			return
		}
	}
	f.waiting = append(f.waiting, portion{node, bytes})
}

// feed gives a new map output to the job's shuffling reduces.
func (s *sim) feed(j *simJob, node, index int32) {
	var sizes []int64
	n, r := j.outputOf(int(index)), j.spec.Reduces
	if j.out.parts != nil && len(j.reducing) > 0 {
		sizes = j.partitions(int(index), nil)
	}
	for _, a := range j.reducing {
		if a.phase != phaseShuffle {
			continue
		}
		p := int(a.id.Task.Index)
		bytes := part(n, p, r, j.out.cum)
		if sizes != nil {
			bytes = sizes[p]
		}
		a.fetch.add(node, float64(bytes))
		s.pump(a)
	}
}

// pump starts a reduce's next fetches, at most Network.Copies at once, or after the last its work.
func (s *sim) pump(a *attempt) {
	if a.suspended {
		return
	}
	f, j := &a.fetch, a.job
	for len(f.waiting) > 0 && len(f.flows) < s.cfg.Network.Copies {
		f.turns++
		// random, otherwise all reduces would queue at the same nodes
		k := int(draw(s.random(a, forSource), f.turns) % uint64(len(f.waiting)))
		next := f.waiting[k]
		last := len(f.waiting) - 1
		f.waiting[k] = f.waiting[last]
		f.waiting = f.waiting[:last]
		f.bytes += next.bytes
		if next.node == a.node.index {
			continue
		}
		f.flows = append(f.flows, s.net.Start(s.q.now, next.node, a.node.index, next.bytes, math.Inf(1), a.index))
	}
	if len(f.flows) == 0 && len(f.waiting) == 0 && j.out.present == j.spec.Maps {
		a.work = s.reducing(a, f.bytes)
		s.work(a, 0)
	}
}

// stopFetching stops a reduce's flows; their remaining bytes wait.
func (s *sim) stopFetching(a *attempt) {
	for _, x := range a.fetch.flows {
		left := s.net.Left(x, s.q.now)
		a.fetch.bytes -= left
		a.fetch.add(s.net.Sender(x), left)
		s.net.Stop(x)
	}
	a.fetch.flows = a.fetch.flows[:0]
}

// forget cancels what a reduce has to fetch from a failed node; the maps rerun on other nodes.
func (s *sim) forget(a *attempt, node int32) {
	f := &a.fetch
	f.waiting = slices.DeleteFunc(f.waiting, func(p portion) bool { return p.node == node })
	f.flows = slices.DeleteFunc(f.flows, func(x netmodel.Flow) bool {
		if s.net.Sender(x) != node {
			return false
		}
		f.bytes -= s.net.Left(x, s.q.now)
		s.net.Stop(x)
		return true
	})
}

// redirectReads continues the reads from a failed node at another replica.
func (s *sim) redirectReads(node int32) {
	if s.net == nil {
		return
	}
	for _, f := range s.net.From(node) {
		if a := s.atts[s.net.Owner(f)]; a.phase == phaseRead {
			left := s.net.Left(f, s.q.now)
			s.net.Stop(f)
			a.flow = -1
			s.readFlow(a, left)
		}
	}
}

// awaitFlow schedules the first end of a flow; it replaces an earlier schedule.
func (s *sim) awaitFlow() {
	s.flowGen++
	if _, at, ok := s.net.Next(); ok {
		s.at(max(at, s.q.now), evFlow, 0, s.flowGen)
	}
}

// flowsEnd ends the flows that are due.
func (s *sim) flowsEnd() error {
	for {
		f, at, ok := s.net.Next()
		if !ok || at > s.q.now {
			break
		}
		a := s.atts[s.net.Owner(f)]
		s.net.Stop(f)
		if a.phase == phaseRead {
			a.flow = -1
			s.work(a, 0)
			continue
		}
		a.fetch.flows = slices.DeleteFunc(a.fetch.flows, func(x netmodel.Flow) bool { return x == f })
		s.pump(a)
	}
	if !s.net.Changed() {
		s.awaitFlow()
	}
	return nil
}

// nearest returns the live node with a replica of a map's input that is nearest to the attempt's
// node, a random one among equals; -1 if none.
func (s *sim) nearest(a *attempt, places scheduling.Places) int32 {
	best, at, equals := scheduling.Locality(127), int32(-1), uint64(0)
	m := a.id.Task.Index
	if int(m)+1 >= len(places.Offsets) {
		return -1
	}
	for _, v := range places.Nodes[places.Offsets[m]:places.Offsets[m+1]] {
		d := s.top.distance(int32(v), a.node.index)
		if s.nodes[v].down || d > best {
			continue
		}
		if d < best {
			best, equals = d, 0
		}
		equals++
		if s.random(a, forReplica+equals)%equals == 0 {
			at = int32(v)
		}
	}
	return at
}
