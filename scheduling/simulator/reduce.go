package simulator

import (
	"time"
)

// inputs returns the bytes that reduce p, on node, reads of the existing map outputs.
func (s *sim) inputs(j *simJob, node int32, p int) (in ShuffleBytes) {
	o := j.out
	if o.parts != nil {
		for v, parts := range o.parts {
			if parts != nil {
				in.Count(s.top.distance(int32(v), node), parts[p])
			}
		}
		return in
	}
	var all int64
	for _, n := range o.byRack {
		all += n
	}
	reduces := j.spec.Reduces
	local := part(o.byNode[node], p, reduces, o.cum)
	inRack := max(part(o.byRack[s.top.rackOf[node]], p, reduces, o.cum), local)
	total := max(part(all, p, reduces, o.cum), inRack)
	return ShuffleBytes{local, inRack - local, total - inRack}
}

// countShuffle adds the distances of a finished reduce's input to its job's result.
func (s *sim) countShuffle(j *simJob, node, index int32) {
	in := s.inputs(j, node, int(index))
	j.Largest = max(j.Largest, in.All())
	j.Shuffle.Add(in)
	if o := j.out; in.All() > 0 {
		near := o.mapsIn[s.top.rackOf[node]]
		j.TND += ByDistance[int64]{0, int64(near - o.mapsAt[node]), int64(o.present) - int64(near)}.Links()
	}
}

// startReduce starts a reduce. With flows it begins with its set-up. Without flows its end is
// scheduled once all maps are done.
func (s *sim) startReduce(a *attempt) {
	j := a.job
	j.reducing = append(j.reducing, a)
	if s.net != nil {
		a.phase = phaseSetup
		s.until(a, s.q.now+s.setup(j.spec.Reduce.Setup, a.node))
		return
	}
	a.phase = phaseShuffle
	if j.out.present == j.spec.Maps {
		s.shuffled(a)
	}
}

// shuffled schedules the end of a reduce when all map outputs are available. It has fetched at a
// constant rate since its launch; after the last map, at least the output of one map remains.
func (s *sim) shuffled(a *attempt) {
	j, n := a.job, a.node
	if a.phase != phaseShuffle {
		return
	}
	if j.recorded != nil {
		s.shuffledRecorded(a)
		return
	}
	in := s.inputs(j, n.index, int(a.id.Task.Index))
	cost := (float64(in.NodeLocal) + float64(in.RackLocal) + float64(in.OffRack)*2) / s.cfg.Network.ShuffleRate
	fetching := (a.workedBy(s.q.now) - s.setup(j.spec.Reduce.Setup, n)).Seconds() // negative: still setting up
	span := max(cost-fetching, cost/float64(j.spec.Maps))
	a.work = s.reducing(a, float64(in.All()))
	s.work(a, seconds(span))
}

// reducing returns how long a reduce works on its fetched input: merging, computing, writing.
func (s *sim) reducing(a *attempt, bytes float64) time.Duration {
	cl, j, n := &s.cfg.Cluster, a.job, a.node
	t := s.computing(a, bytes)
	if cl.MergeRate > 0 {
		t += bytes / cl.MergeRate * n.slow
	}
	share := 1 / float64(j.spec.Reduces)
	if j.spec.ShuffleBytes > 0 {
		share = bytes / float64(j.spec.ShuffleBytes)
	}
	return seconds(t + float64(j.spec.OutputBytes)*share/cl.ReadRate*n.slow)
}
