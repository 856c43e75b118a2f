package replay

import (
	"cmp"
	"math"
	"sort"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// sure is how many standard errors from nothing an effect must be to be taken for one.
const sure = 2

// sample is the mean of some numbers and how they scatter.
type sample struct{ n, sum, squares float64 }

func (s *sample) add(x float64) { s.n++; s.sum += x; s.squares += float64(x * x) }

func (s *sample) mean() float64 { return s.sum / s.n }

// scatter is the sum of the squared distances from the mean.
func (s *sample) scatter() float64 {
	if s.n < 1 {
		return 0
	}
	return max(0, s.squares-float64(s.sum*s.sum)/s.n)
}

// spread is the common variance of samples within each.
func spread(list ...*sample) float64 {
	scatter, free := 0.0, 0.0
	for _, s := range list {
		scatter += s.scatter()
		free += max(0, s.n-1)
	}
	if free == 0 {
		return math.Inf(1)
	}
	return scatter/free + 1e-12
}

// effect is an estimated difference with its variance.
type effect struct{ value, variance float64 }

// known tells whether the effect is more than chance.
func (e effect) known() bool { return math.Abs(e.value) > sure*math.Sqrt(e.variance) }

// difference is how far b is above a, if both have members.
func difference(a, b *sample, variance float64) (effect, bool) {
	if a.n == 0 || b.n == 0 {
		return effect{}, false
	}
	return effect{b.mean() - a.mean(), variance * (1/a.n + 1/b.n)}, true
}

// pooled weighs effects by how sure they are.
func pooled(list []effect) (effect, bool) {
	sum, weight := 0.0, 0.0
	for _, e := range list {
		if !math.IsInf(e.variance, 0) {
			sum += e.value / e.variance
			weight += 1 / e.variance
		}
	}
	if weight == 0 {
		return effect{}, false
	}
	return effect{sum / weight, 1 / weight}, true
}

// estimates are what other places would have cost, for each job.
type estimates struct {
	far   [][3]float64
	ahead []time.Duration
	hop   [][2]float64
}

// estimate works them out.
func (r *Recording) estimate() *estimates {
	e := &estimates{make([][3]float64, len(r.jobs)), make([]time.Duration, len(r.jobs)), make([][2]float64, len(r.jobs))}
	r.estimateFar(e)
	r.estimateAhead(e)
	r.estimateHops(e)
	return e
}

// estimateFar compares maps of the same job that ran near and far, as ratios: by job where that is
// enough to be sure, else over all jobs. A far map is never taken to be faster.
func (r *Recording) estimateFar(e *estimates) {
	jobs := make([][3]sample, len(r.jobs))
	var all []*sample
	for i, j := range r.jobs {
		for t := range j.tasks[scheduling.Map] {
			if a := j.tasks[scheduling.Map][t].won(); a != nil && a.near >= 0 && a.span() > 0 {
				jobs[i][a.near].add(math.Log(a.span().Seconds()))
			}
		}
		all = append(all, &jobs[i][0], &jobs[i][1], &jobs[i][2])
	}
	common := spread(all...)
	var every [3]effect
	for l := 1; l < 3; l++ {
		var list []effect
		for i := range jobs {
			if d, ok := difference(&jobs[i][0], &jobs[i][l], common); ok {
				list = append(list, d)
			}
		}
		every[l], _ = pooled(list)
	}
	for i := range jobs {
		far := [3]float64{1, factor(every[1]), factor(every[2])}
		own := &jobs[i]
		for l := 1; l < 3; l++ {
			if d, ok := difference(&own[0], &own[l], spread(&own[0], &own[1], &own[2])); ok && own[0].n >= 3 && own[l].n >= 3 {
				far[l] = factor(d)
			}
		}
		switch none := [2]bool{every[1].variance == 0 && own[1].n == 0, every[2].variance == 0 && own[2].n == 0}; {
		case none[0]: // nobody has read within the rack: halfway
			far[1] = (1 + far[2]) / 2
		case none[1]:
			far[2] = far[1]
		}
		far[2] = max(far[1], far[2])
		e.far[i] = far
	}
}

// factor is a difference of logarithms as a factor of 1 or more.
func factor(e effect) float64 {
	if !e.known() {
		return 1
	}
	return min(max(1, math.Exp(e.value)), 1000)
}

// lastMap is when the last of a job's maps had ended before a time.
func (j *job) lastMap(before time.Duration) time.Duration {
	i := sort.Search(len(j.mapsDone), func(i int) bool { return j.mapsDone[i] > before })
	if i == 0 {
		return 0
	}
	return j.mapsDone[i-1]
}

// after is how long a reduce took from its launch or the last map on, whichever was later, and how
// long it had run by then.
func (j *job) after(a *try) (span, head time.Duration) {
	last := j.lastMap(a.ended)
	if a.launched >= last {
		return a.span(), 0
	}
	span = a.ended - last
	for _, g := range a.gaps {
		span -= max(0, cmp.Or(g.to, a.ended)-max(g.from, last))
	}
	return max(0, span), max(0, a.span()-span)
}

// point is a reduce: how long it had run when the last map ended, and how long it took from then on,
// in seconds.
type point struct{ head, after float64 }

// estimateAhead finds how much of a reduce's time can pass before the last map has ended: by job where
// its reduces tell, else over all jobs.
func (r *Recording) estimateAhead(e *estimates) {
	jobs := make([][]point, len(r.jobs))
	for i, j := range r.jobs {
		for t := range j.tasks[scheduling.Reduce] {
			if a := j.tasks[scheduling.Reduce][t].won(); a != nil {
				span, head := j.after(a)
				jobs[i] = append(jobs[i], point{head.Seconds(), span.Seconds()})
			}
		}
	}
	every, _ := ahead(jobs)
	for i := range jobs {
		own, known := ahead(jobs[i : i+1])
		if !known {
			own = every
		}
		e.ahead[i] = time.Duration(own * float64(time.Second))
	}
}

// aheadSteps is how finely ahead looks.
const aheadSteps = 64

// ahead finds the time x such that after + min(head, x) scatters least within each job; it is known
// if that scatters less than after alone by more than chance.
func ahead(jobs [][]point) (best float64, known bool) {
	most, n := 0.0, 0
	for _, list := range jobs {
		for _, p := range list {
			most = max(most, p.after)
		}
		n += max(0, len(list)-1)
	}
	if n < 3 {
		return 0, false
	}
	without := scatterAhead(jobs, 0)
	least := without
	low, high := 0.0, most
	for range 3 { // each time around the best so far
		step := (high - low) / aheadSteps
		at := best
		for k := range aheadSteps + 1 {
			if x := low + float64(step*float64(k)); x > 0 {
				if s := scatterAhead(jobs, x); s < least*(1-1e-9) {
					least, at = s, x
				}
			}
		}
		best, low, high = at, max(0, at-step), at+step
	}
	free := float64(max(1, n-1))
	return best, without-least > sure*sure*(least/free+1e-12)
}

// scatterAhead is the sum of squared distances of after + min(head, x) from each job's mean.
func scatterAhead(jobs [][]point, x float64) (sum float64) {
	for _, list := range jobs {
		var s sample
		for _, p := range list {
			s.add(p.after + min(p.head, x))
		}
		sum += s.scatter()
	}
	return sum
}

// estimateHops is what a byte over a link costs a reduce, by least squares over reduces of the same
// job: time against bytes and bytes × links, both from their means.
func (r *Recording) estimateHops(e *estimates) {
	for late := range 2 {
		var xx, xy, yy, xt, yt, tt, n float64
		for _, j := range r.jobs {
			rows := r.shuffleRows(j, late == 1)
			if len(rows) < 3 {
				continue
			}
			var mean [3]float64
			for _, row := range rows {
				for c := range mean {
					mean[c] += row[c] / float64(len(rows))
				}
			}
			for _, row := range rows {
				x, y, t := row[0]-mean[0], row[1]-mean[1], row[2]-mean[2]
				xx, xy, yy = xx+float64(x*x), xy+float64(x*y), yy+float64(y*y)
				xt, yt, tt = xt+float64(x*t), yt+float64(y*t), tt+float64(t*t)
			}
			n += float64(len(rows) - 1)
		}
		if hop := slope(xx, xy, yy, xt, yt, tt, n); hop.value > 0 && hop.known() {
			for i := range e.hop {
				e.hop[i][late] = hop.value
			}
		}
	}
}

// slope is the coefficient of y where t is explained by x and y.
func slope(xx, xy, yy, xt, yt, tt, n float64) effect {
	rest := yy // what of y is not in step with x
	cross := yt
	if xx > 0 {
		rest -= float64(xy*xy) / xx
		cross -= float64(xy*xt) / xx
	}
	if n < 4 || rest <= 1e-9*yy || rest <= 0 {
		return effect{}
	}
	value := cross / rest
	left := tt - float64(value*cross)
	if xx > 0 {
		left -= float64(xt*xt) / xx
	}
	return effect{value, max(left, 0) / (n - 2) / rest}
}

// shuffleRows has a row for each reduce of a job: bytes, bytes × links, seconds.
func (r *Recording) shuffleRows(j *job, late bool) (rows [][3]float64) {
	if !j.hasOutput || !j.succeeded() {
		return nil
	}
	for t := range j.tasks[scheduling.Reduce] {
		a := j.tasks[scheduling.Reduce][t].won()
		span, head := j.after(a)
		if (head == 0) != late {
			continue
		}
		by := r.input(j, t, a.node)
		rows = append(rows, [3]float64{float64(by[0] + by[1] + by[2]), float64(2*by[1] + 4*by[2]), span.Seconds()})
	}
	return rows
}

// input is what reduce p of a job reads on a node: from that node, its rack, and beyond.
func (r *Recording) input(j *job, p, at int) (by [3]int64) {
	if !j.hasOutput {
		return by
	}
	for m := range j.tasks[scheduling.Map] {
		t := &j.tasks[scheduling.Map][m]
		if t.output != nil {
			by[r.distance(t.holder, at)] += t.output[p]
		}
	}
	return by
}

// distance is 0 on one node, 1 in one rack, 2 beyond.
func (r *Recording) distance(a, b int) int {
	switch {
	case a == b:
		return 0
	case r.nodes[a].inRack == r.nodes[b].inRack:
		return 1
	}
	return 2
}

// weighShuffles adds up where the inputs of reduces came from.
func (r *Recording) weighShuffles() {
	for _, j := range r.jobs {
		for p := range j.tasks[scheduling.Reduce] {
			if a := j.tasks[scheduling.Reduce][p].won(); a != nil {
				for l, bytes := range r.input(j, p, a.node) {
					j.shuffled[l] += bytes
				}
			}
		}
	}
}

// recorded is what the simulator is told of a job.
func (r *Recording) recorded(i int, e *estimates, half time.Duration) *simulator.Recorded {
	j := r.jobs[i]
	out := &simulator.Recorded{Far: e.far[i], Ahead: e.ahead[i], Hop: e.hop[i]}
	for k := range j.tasks {
		out.Tasks[k] = r.tasks(j, scheduling.TaskKind(k), half)
	}
	if j.hasOutput && j.succeeded() {
		for m := range j.tasks[scheduling.Map] {
			parts := j.tasks[scheduling.Map][m].output
			if parts == nil {
				parts = make([]int64, len(j.tasks[scheduling.Reduce]))
			}
			out.Outputs = append(out.Outputs, parts)
		}
	}
	return out
}
