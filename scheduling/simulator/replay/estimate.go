package replay

import (
	"cmp"
	"math"
	"sort"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// sure is the number of standard errors that an effect must differ from 0 to count as known.
const sure = 2

// sample holds the count, the sum and the sum of squares of numbers.
type sample struct{ n, sum, squares float64 }

func (s *sample) add(x float64) { s.n++; s.sum += x; s.squares += float64(x * x) }

func (s *sample) mean() float64 { return s.sum / s.n }

// scatter returns the sum of the squared distances from the mean.
func (s sample) scatter() float64 {
	if s.n < 1 {
		return 0
	}
	return max(0, s.squares-float64(s.sum*s.sum)/s.n)
}

// pooledVariance returns the variance within the samples, assumed to be equal in all; infinity if
// no sample has two numbers.
func pooledVariance(list ...sample) float64 {
	scatter, degrees := 0.0, 0.0
	for _, s := range list {
		scatter += s.scatter()
		degrees += max(0, s.n-1)
	}
	if degrees == 0 {
		return math.Inf(1)
	}
	return scatter/degrees + 1e-12
}

// effect is an estimated difference of two means, with the variance of the estimate.
type effect struct{ value, variance float64 }

// known reports whether the effect is significant: `sure` standard errors from 0.
func (e effect) known() bool { return math.Abs(e.value) > sure*math.Sqrt(e.variance) }

// difference returns the mean of b minus that of a, if both have numbers.
func difference(a, b *sample, variance float64) (effect, bool) {
	if a.n == 0 || b.n == 0 {
		return effect{}, false
	}
	return effect{b.mean() - a.mean(), variance * (1/a.n + 1/b.n)}, true
}

// pooled returns the mean of effects, each weighted by 1 / variance; false if no effect is usable.
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

// estimate returns, by job, how long a task would take at another place or time than in the
// recording: the fields Far, Ahead and Hop, computed from the tasks of the recording.
func (r *Recording) estimate() []*simulator.Recorded {
	list := make([]*simulator.Recorded, len(r.jobs))
	for i := range list {
		list[i] = &simulator.Recorded{}
	}
	r.estimateFar(list)
	r.estimateAhead(list)
	r.estimateHops(list)
	return list
}

// estimateFar sets Far: the times of rack-local and off-rack maps, as multiples of node-local
// ones, 1 or more. It compares maps of the same job; a job with few has the ratios of all jobs.
func (r *Recording) estimateFar(to []*simulator.Recorded) {
	jobs := make([][3]sample, len(r.jobs))
	var all []sample
	for i, j := range r.jobs {
		for _, a := range j.won(scheduling.Map) {
			if a.near >= 0 && a.span() > 0 {
				jobs[i][a.near].add(math.Log(a.span().Seconds()))
			}
		}
		all = append(all, jobs[i][:]...)
	}
	common := pooledVariance(all...)
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
		far, own := [3]float64{1, factor(every[1]), factor(every[2])}, &jobs[i]
		for l := 1; l < 3; l++ {
			if d, ok := difference(&own[0], &own[l], pooledVariance(own[:]...)); ok && own[0].n >= 3 && own[l].n >= 3 {
				far[l] = factor(d)
			}
		}
		if every[1].variance == 0 && own[1].n == 0 { // no map was rack-local: halfway
			far[1] = (1 + far[2]) / 2
		} else if every[2].variance == 0 && own[2].n == 0 {
			far[2] = far[1]
		}
		far[2] = max(far[1], far[2])
		to[i].Far = far
	}
}

// factor converts a difference of logarithms to a factor of 1 to 1000; 1 if it is not significant.
func factor(e effect) float64 {
	if !e.known() {
		return 1
	}
	return min(max(1, math.Exp(e.value)), 1000)
}

// lastMap returns when the last of j's maps that ended by the given time ended; 0 if none had.
func (j *job) lastMap(before time.Duration) time.Duration {
	i := sort.Search(len(j.mapsDone), func(i int) bool { return j.mapsDone[i] > before })
	if i == 0 {
		return 0
	}
	return j.mapsDone[i-1]
}

// aroundLastMap returns how long a reduce ran before the job's last map ended, and how long after
// that.
func (j *job) aroundLastMap(a *try) (before, after time.Duration) {
	last := j.lastMap(a.ended)
	if a.launched >= last {
		return 0, a.span()
	}
	after = a.ended - last
	for _, g := range a.gaps {
		after -= max(0, cmp.Or(g.to, a.ended)-max(g.from, last))
	}
	return max(0, a.span()-after), max(0, after)
}

// point is a reduce's time before its job's last map ended, and the time after that, in seconds.
type point struct{ before, after float64 }

// estimateAhead sets Ahead: how much of a reduce's work can be done before the last map ends. It
// uses the job's reduces if they suffice, otherwise those of all jobs.
func (r *Recording) estimateAhead(to []*simulator.Recorded) {
	jobs := make([][]point, len(r.jobs))
	for i, j := range r.jobs {
		for _, a := range j.won(scheduling.Reduce) {
			before, after := j.aroundLastMap(a)
			jobs[i] = append(jobs[i], point{before.Seconds(), after.Seconds()})
		}
	}
	every, _ := ahead(jobs)
	for i := range jobs {
		own, known := ahead(jobs[i : i+1])
		if !known {
			own = every
		}
		to[i].Ahead = time.Duration(own * float64(time.Second))
	}
}

// aheadSteps is the number of steps into which ahead divides each range that it searches.
const aheadSteps = 64

// ahead returns the time x that a reduce can use before the job's last map ends, for set-up and
// fetching; after x it only waits. Then after + min(before, x) is about the same for all reduces of
// a job. ahead returns the x with the least scatter of that sum within the jobs. x is known if that
// scatter is significantly smaller than with x = 0.
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
	for range 3 { // each time in a smaller range around the best value so far
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

// scatterAhead returns the scatter that ahead minimizes: the sum of the squared distances of after
// + min(before, x) from each job's mean.
func scatterAhead(jobs [][]point, x float64) (sum float64) {
	for _, list := range jobs {
		var s sample
		for _, p := range list {
			s.add(p.after + min(p.before, x))
		}
		sum += s.scatter()
	}
	return sum
}

// estimateHops sets Hop: the seconds by which each byte that crosses one more link delays a
// reduce. It fits the times of reduces to their bytes and bytes × links by least squares, relative
// to the means of their job. Reduces launched after the job's last map (late) have their own fit,
// because they shuffle without waiting.
func (r *Recording) estimateHops(to []*simulator.Recorded) {
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
			for _, one := range to {
				one.Hop[late] = hop.value
			}
		}
	}
}

// slope returns the coefficient of y in a fit of t to x and y, from sums of products over n rows.
func slope(xx, xy, yy, xt, yt, tt, n float64) effect {
	rest := yy // the part of y that is not correlated with x
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

// shuffleRows returns a row for each reduce of a job: bytes, bytes × links, and seconds after the
// last map. If `late` is set it takes the reduces launched after the last map, otherwise the rest.
func (r *Recording) shuffleRows(j *job, late bool) (rows [][3]float64) {
	if !j.hasOutput || !j.succeeded() {
		return nil
	}
	for p, a := range j.won(scheduling.Reduce) {
		before, after := j.aroundLastMap(a)
		if (before == 0) != late {
			continue
		}
		in := r.input(j, p, a.node)
		rows = append(rows, [3]float64{float64(in.All()), float64(in.Links()), after.Seconds()})
	}
	return rows
}

// input returns the bytes that reduce p of a job reads if it runs on node `at`.
func (r *Recording) input(j *job, p, at int) (in simulator.ShuffleBytes) {
	if !j.hasOutput {
		return in
	}
	for m := range j.tasks[scheduling.Map] {
		if t := &j.tasks[scheduling.Map][m]; t.output != nil {
			in.Count(r.distance(t.holder, at), t.output[p])
		}
	}
	return in
}

// distance returns the locality between two nodes.
func (r *Recording) distance(a, b int) scheduling.Locality {
	switch {
	case a == b:
		return scheduling.NodeLocal
	case r.nodes[a].Rack == r.nodes[b].Rack:
		return scheduling.RackLocal
	}
	return scheduling.OffRack
}

// recorded sets the ring, task times and outputs of a job in `to`; half is explained at tasks.
func (r *Recording) recorded(j *job, to *simulator.Recorded, half time.Duration) {
	to.Ring = r.ring(j)
	for k := range j.tasks {
		to.Tasks[k] = r.tasks(j, scheduling.TaskKind(k), half)
	}
	if !j.hasOutput || !j.succeeded() {
		return
	}
	for m := range j.tasks[scheduling.Map] {
		parts := j.tasks[scheduling.Map][m].output
		if parts == nil {
			parts = make([]int64, j.Reduces)
		}
		to.Outputs = append(to.Outputs, parts)
	}
}
