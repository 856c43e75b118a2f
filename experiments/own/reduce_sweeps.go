package own

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// sweepPoint is what one setting of reduce placement gives.
type sweepPoint struct {
	// saved over any-node placement with the same start, in per cent
	distance, offRack study.Sample
	held              study.Sample // by reduces, slot-seconds a job
	sojourn           study.Sample // mean, in seconds
}

// show adds the rows of a point.
func (at sweepPoint) show(s *study.Study, label string) {
	s.Shown(label+": distance saved", "%", at.distance)
	s.Shown(label+": off-rack bytes saved", "%", at.offRack)
	s.Shown(label+": mean sojourn", "s", at.sojourn)
}

// sweepWaits is how long reduces wait in the sweeps, for the center and for its rack.
const sweepWaits = 4500 * time.Millisecond

// reduceSweeps changes one setting of reduce placement at a time: when reduces start, how long they
// wait, and what the rule looks at.
func reduceSweeps(s *study.Study) {
	sweepStart(s)
	sweepWait(s)
	reduceRun(s, 1, func(p *scheduling.Policy) { p.Reduce.NoProjection = true }).
		show(s, "without projection")
	reduceRun(s, 1, func(p *scheduling.Policy) { p.Reduce.SkewCap = -1 }).show(s, "without cap")
	reduceRun(s, 1, func(p *scheduling.Policy) { p.Reduce.Rule = scheduling.LARTS }).show(s, "LARTS")
}

// sweepStart looks for the sweet spot: an early start holds slots and knows little, a late one
// shuffles late.
func sweepStart(s *study.Study) {
	place := s.Plot("slow-start", "When reduces start: the place", "part of the maps done",
		"distance saved (%)").Lines("with projection", "known sizes only")
	waste := s.Plot("slow-start-slots", "When reduces start: the price", "part of the maps done",
		"seconds a job").Lines("slot-seconds wasted", "mean sojourn")
	starts := []float64{0.05, 0.2, 0.35, 0.5, 0.75, 1}
	for i, line := range place.Series {
		blind := i == 1
		var points []sweepPoint
		for _, f := range starts {
			points = append(points, reduceRun(s, 1,
				func(p *scheduling.Policy) { p.SlowStart, p.Reduce.NoProjection = f, blind }))
		}
		last := points[len(points)-1]
		for k, at := range points {
			line.AddSample(starts[k], at.distance)
			label := fmt.Sprintf("start at %g of the maps", starts[k])
			if blind {
				s.Shown(label+", "+line.Name+": distance saved", "%", at.distance)
				continue
			}
			wasted := at.held.Minus(last.held)
			waste.Series[0].AddSample(starts[k], wasted)
			waste.Series[1].AddSample(starts[k], at.sojourn)
			at.show(s, label)
			s.Shown(label+": reduce slots wasted", "s a job", wasted)
		}
	}
}

// sweepWait changes how long reduces wait.
func sweepWait(s *study.Study) {
	fig := s.Plot("reduce-wait", "How long reduces wait, four jobs at a time", "wait (s)", "saved (%)").
		Lines("distance", "off-rack bytes")
	var few, most study.Sample
	for _, seconds := range []float64{0, 1, 3, 6, 15, 30, 60} {
		d := time.Duration(seconds * float64(time.Second))
		if seconds == 0 {
			d = -1
		}
		at := reduceRun(s, 4, func(p *scheduling.Policy) { p.Reduce.Waits = [2]time.Duration{d, d} })
		fig.Series[0].AddSample(seconds, at.distance)
		fig.Series[1].AddSample(seconds, at.offRack)
		if seconds == 0 || at.distance.Mean() > most.Mean() {
			most = at.distance
		}
		if seconds <= 6 {
			few = most
		}
		at.show(s, fmt.Sprintf("waits of %g s", seconds))
	}
	s.Own("part of the saving that waits of at most two heartbeats give", "%",
		"nearly all of it (a guess)", study.More(80), few.Part(most))
}

// reduceRun compares CoGRS with a changed policy with any-node placement, with active jobs at a
// time.
func reduceRun(s *study.Study, active int, change study.Change) sweepPoint {
	list := setup.Placements(0.5, func(p *scheduling.Policy) {
		p.Reduce.Waits = [2]time.Duration{sweepWaits, sweepWaits}
		change(p)
	})[:2]
	list[0].Policy.Reduce = scheduling.ReducePolicy{}
	cfg := setup.ShuffleCluster(14, 2)
	cfg.Submission = simulator.Submission{Rule: simulator.Closed, Active: active}
	jobs := setup.ShuffleJobs(setup.Shuffles{Jobs: 4 * active, Maps: 28, Reduces: 10, Sigma: 1, Ratio: 1})
	all := s.Compare(cfg, list, s.Repeats(2, 20), study.Changed(jobs, func(j *workload.Job) {
		j.Map.Time, j.Map.Spread = 10*time.Second, 0.5
	}))
	return sweepPoint{
		all.Saved(1, 0, study.WTND), all.Saved(1, 0, study.OffRack), all[1].By(reduceSeconds),
		all[1].By(study.MeanSojourn),
	}
}

// reduceSeconds is the time that a result's reduces held slots, by job, in seconds.
func reduceSeconds(r *simulator.Result) float64 {
	sum := time.Duration(0)
	for i := range r.Jobs {
		sum += r.Jobs[i].Busy[1]
	}
	return sum.Seconds() / float64(len(r.Jobs))
}
