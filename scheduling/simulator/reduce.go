package simulator

import (
	"time"
)

// inputs returns the bytes that reduce p, on node, reads of the existing map outputs: from its own
// node, from the rest of its rack and from other racks.
func (s *sim) inputs(j *simJob, node int32, p int) (local, rack, off int64) {
	o := j.out
	r := s.top.rackOf[node]
	if o.parts != nil {
		for v, parts := range o.parts {
			switch {
			case parts == nil:
			case int32(v) == node:
				local += parts[p]
			case s.top.rackOf[v] == r:
				rack += parts[p]
			default:
				off += parts[p]
			}
		}
		return local, rack, off
	}
	var all int64
	for _, n := range o.byRack {
		all += n
	}
	reduces := j.spec.Reduces
	local = part(o.byNode[node], p, reduces, o.cum)
	inRack := max(part(o.byRack[r], p, reduces, o.cum), local)
	total := max(part(all, p, reduces, o.cum), inRack)
	return local, inRack - local, total - inRack
}

// countShuffle adds the distances of a finished reduce's input to its job's figures.
func (s *sim) countShuffle(j *simJob, node, index int32) {
	local, rack, off := s.inputs(j, node, int(index))
	j.figures.largest = max(j.figures.largest, local+rack+off)
	j.figures.shuffle[0] += local
	j.figures.shuffle[1] += rack
	j.figures.shuffle[2] += off
	if local+rack+off > 0 {
		o, in := j.out, s.top.rackOf[node]
		near, all := int64(o.mapsIn[in]), int64(0)
		for _, n := range o.mapsIn {
			all += int64(n)
		}
		j.figures.tnd += 2*(near-int64(o.mapsAt[node])) + 4*(all-near)
	}
}

// startReduce starts a reduce. With flows it begins with its set-up. Without flows its end is
// scheduled once all maps are done.
func (s *sim) startReduce(ai int32, j *simJob, n *simNode) {
	a := &s.atts[ai]
	j.reducing = append(j.reducing, ai)
	if s.net != nil {
		a.phase = phaseSetup
		s.until(ai, s.q.now+s.setup(j.spec.Reduce.Setup, n))
		return
	}
	a.phase = phaseShuffle
	if j.out.present == j.spec.Maps {
		s.shuffled(ai, j)
	}
}

// shuffled schedules the end of a reduce when all map outputs are available. It has fetched at a
// constant rate since its launch; after the last map, at least the output of one map remains.
func (s *sim) shuffled(ai int32, j *simJob) {
	a := &s.atts[ai]
	if a.phase != phaseShuffle {
		return
	}
	if j.recorded != nil {
		s.shuffledRecorded(ai, j)
		return
	}
	n, nw := &s.nodes[a.node], &s.cfg.Network
	local, rack, off := s.inputs(j, a.node, int(a.id.Task.Index))
	cost := (float64(local)*nw.ShuffleFactor[0] + float64(rack)*nw.ShuffleFactor[1] + float64(off)*nw.ShuffleFactor[2]) / nw.ShuffleRate
	fetching := (a.workedBy(s.q.now) - s.setup(j.spec.Reduce.Setup, n)).Seconds() // negative: still setting up
	span := max(cost-fetching, cost/float64(j.spec.Maps))
	a.work = s.reducing(a, j, float64(local+rack+off))
	a.phase = phaseWork
	left := seconds(span) + a.work
	if a.fails {
		left /= 2
	}
	if a.suspended {
		a.phaseRemaining = left
		return
	}
	s.until(ai, s.q.now+left)
}

// reducing returns how long a reduce works on its fetched input: merging, computing, writing.
func (s *sim) reducing(a *attempt, j *simJob, bytes float64) time.Duration {
	cl, n := &s.cfg.Cluster, &s.nodes[a.node]
	t := s.computing(a, bytes, n)
	if cl.MergeRate > 0 {
		t += bytes / cl.MergeRate * n.slow
	}
	share := 1 / float64(j.spec.Reduces)
	if j.spec.ShuffleBytes > 0 {
		share = bytes / float64(j.spec.ShuffleBytes)
	}
	return seconds(t + float64(j.spec.OutputBytes)*share/cl.WriteRate*n.slow)
}
