package simulator

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// outputs holds the locations of a job's map outputs. Without Skew.Cells and keys, partition p is
// the same fraction of every map's output, so that sums by node suffice for all reduces.
type outputs struct {
	byNode  []int64
	byRack  []int64
	mapsAt  []int32   // by node: number of map outputs
	mapsIn  []int32   // by rack
	cum     []float64 // partition p is the fraction cum[p+1]-cum[p]; nil: all equal
	parts   [][]int64 // bytes by node, then partition; nil if sums by node suffice
	holder  []int32   // by map: the node with its output, or -1; only if nodes may fail
	present int       // maps whose output exists
	assign  []int32   // by key, for jobs with keys: its partition; nil until LEEN has divided them
	hosts   []int32   // by partition, once LEEN has divided the keys: its node, or -1 for any
}

// newOutputs returns the empty tables of a job, with the fractions of its partitions.
func (s *sim) newOutputs(j *simJob) *outputs {
	o := &outputs{byNode: make([]int64, len(s.nodes)), byRack: make([]int64, s.top.racks())}
	o.mapsAt, o.mapsIn = make([]int32, len(s.nodes)), make([]int32, s.top.racks())
	seed := draw(s.cfg.Seed, forSizes, uint64(j.index))
	o.cum = shares(seed, j.spec.Reduces, j.spec.Skew)
	if parts := j.spec.Partitions; len(parts) > 0 && j.spec.ShuffleBytes > 0 {
		weight := make([]float64, len(parts))
		for p, b := range parts {
			weight[p] = float64(b)
		}
		o.cum = running(weight)
	}
	j.seed = seed
	leen := j.spec.Keys.Count > 0 && s.cfg.Policy.Reduce.Part == LEEN
	if j.spec.Keys.Count > 0 && !leen {
		o.assign = j.hashKeys()
	}
	if j.spec.Skew.Cells > 0 || j.spec.Keys.Count > 0 || j.recorded != nil && j.recorded.Outputs != nil {
		o.parts = make([][]int64, len(s.nodes))
	}
	if s.cfg.Failures.any() || leen {
		o.holder = slices.Repeat([]int32{-1}, j.spec.Maps)
	}
	return o
}

// shares returns outputs.cum for a skew: the running sums of the partitions' fractions.
func shares(seed uint64, reduces int, skew workload.Skew) []float64 {
	if skew.Zipf == 0 && skew.Shares == 0 {
		return nil
	}
	weight := make([]float64, reduces)
	for p := range weight {
		weight[p] = math.Pow(float64(p+1), -skew.Zipf)
	}
	for p := reduces - 1; p > 0; p-- { // a random order per job
		k := int(draw(seed, 1, uint64(p)) % uint64(p+1))
		weight[p], weight[k] = weight[k], weight[p]
	}
	for p := range weight {
		weight[p] *= lognormal(draw(seed, 2, uint64(p)), skew.Shares)
	}
	return running(weight)
}

// running returns the running sums of weights, scaled to end at 1.
func running(weight []float64) []float64 {
	cum := make([]float64, len(weight)+1)
	for p, x := range weight {
		cum[p+1] = cum[p] + x
	}
	for p := range cum {
		cum[p] /= cum[len(weight)]
	}
	return cum
}

// part returns the bytes of partition p of n bytes in r partitions; the parts add up to n exactly.
func part(n int64, p, r int, cum []float64) int64 {
	if cum != nil {
		to := n // floating-point numbers do not tell the largest sizes apart
		if p+1 < r {
			to = min(n, int64(math.Floor(float64(n)*cum[p+1])))
		}
		return to - min(n, int64(math.Floor(float64(n)*cum[p])))
	}
	return scale(n, int64(p+1), int64(r)) - scale(n, int64(p), int64(r))
}

// scale returns n*a/b rounded down, without overflow; 0 <= a <= b.
func scale(n, a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(a))
	q, _ := bits.Div64(hi, lo, uint64(b))
	return int64(q)
}

// outputOf returns the size of the output of map i: its part of the shuffle, in proportion to its
// input.
func (j *simJob) outputOf(i int) int64 {
	w := j.spec
	if j.recorded != nil && j.recorded.Outputs != nil {
		return j.recorded.output(i)
	}
	if w.InputBytes == 0 {
		return scale(w.ShuffleBytes, int64(i+1), int64(w.Maps)) - scale(w.ShuffleBytes, int64(i), int64(w.Maps))
	}
	size := w.SplitBytes(0)
	from := min(int64(i)*size, w.InputBytes)
	return scale(w.ShuffleBytes, from+w.SplitBytes(i), w.InputBytes) - scale(w.ShuffleBytes, from, w.InputBytes)
}

// partitions appends the sizes of the output of map i, one for each reduce.
func (j *simJob) partitions(i int, to []int64) []int64 {
	n, r := j.outputOf(i), j.spec.Reduces
	if j.recorded != nil && j.recorded.Outputs != nil {
		return append(to, j.recorded.Outputs[i]...)
	}
	cum := j.out.cum
	if j.spec.Keys.Count > 0 {
		cum = running(j.keyParts(i))
	} else if sigma := j.spec.Skew.Cells; sigma > 0 {
		weight := make([]float64, r)
		for p := range weight {
			weight[p] = lognormal(draw(j.seed, 3, uint64(i), uint64(p)), sigma)
			if cum != nil {
				weight[p] *= cum[p+1] - cum[p]
			}
		}
		cum = running(weight)
	}
	for p := range r {
		to = append(to, part(n, p, r, cum))
	}
	return to
}

// mapReported is called when the JobTracker, and therefore the reduces, learn of a map's output.
func (s *sim) mapReported(j *simJob, node, index int32) {
	j.reported[0]++
	o := j.out
	if o == nil {
		return
	}
	if o.holder != nil {
		if o.holder[index] >= 0 {
			s.moveOutput(j, index, -1)
		}
		o.holder[index] = node
	}
	o.present++
	s.addOutput(j, node, index, 1)
	if o.present == j.spec.Maps && j.spec.Keys.Count > 0 && o.assign == nil {
		s.divide(j)
	}
	if s.net != nil {
		s.feed(j, node, index)
	} else if o.present == j.spec.Maps {
		for _, a := range j.reducing {
			s.shuffled(a)
		}
	}
}

// moveOutput removes a map's output from its holder in the tables and sets the new holder, or -1.
func (s *sim) moveOutput(j *simJob, index int32, to int32) {
	o := j.out
	s.addOutput(j, o.holder[index], index, -1)
	o.holder[index] = to
	o.present--
}

// addOutput adds (sign 1) or removes (-1) a map's output on a node in the tables.
func (s *sim) addOutput(j *simJob, node, index int32, sign int64) {
	o := j.out
	n := j.outputOf(int(index)) * sign
	o.byNode[node] += n
	o.byRack[s.top.rackOf[node]] += n
	o.mapsAt[node] += int32(sign)
	o.mapsIn[s.top.rackOf[node]] += int32(sign)
	s.addParts(j, node, index, sign)
}

// addParts adds (1) or removes (-1) each partition of a map's output, if partitions differ by map.
func (s *sim) addParts(j *simJob, node, index int32, sign int64) {
	o := j.out
	if o.parts == nil || j.spec.Keys.Count > 0 && o.assign == nil {
		return
	}
	if o.parts[node] == nil {
		o.parts[node] = make([]int64, j.spec.Reduces)
	}
	for p, bytes := range j.partitions(int(index), nil) {
		o.parts[node][p] += bytes * sign
	}
}

// loseOutputs removes the outputs of a failed node. Reduces that have not fetched everything wait
// for the maps to rerun.
func (s *sim) loseOutputs(i int32) {
	for k := range s.jobs {
		j := &s.jobs[k]
		if j.ended || j.out == nil || j.out.holder == nil {
			continue
		}
		lost := false
		for m, holder := range j.out.holder {
			if holder == i {
				s.moveOutput(j, int32(m), -1)
				j.reported[0]--
				lost = true
			}
		}
		if !lost {
			continue
		}
		for _, a := range j.reducing {
			if s.net == nil && a.phase == phaseWork && s.fetches(a) {
				a.phase = phaseShuffle
				a.gen++
			} else if s.net != nil {
				s.forget(a, i)
			}
		}
	}
}

// fetches reports whether a reduce whose end is scheduled is still fetching now.
func (s *sim) fetches(a *attempt) bool {
	if r := a.job.recorded; r != nil {
		return r.try(a.id).Waits
	}
	return s.leftOf(a) > a.work
}

// leftOf returns the remaining time of an attempt's timed phase.
func (s *sim) leftOf(a *attempt) time.Duration {
	if a.suspended {
		return a.phaseRemaining
	}
	return a.ends - s.q.now
}
