package own

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// patient is a placement of reduces that waits for a better node: the center of gravity or, if
// largest, the node with most of the input. It waits as long as that node would save in transfers.
type patient struct {
	rate    float64 // of a node's link, bytes a second
	largest bool
}

// Place returns the reduce that has waited longest beyond what waiting saves, or -1 if none has.
func (p patient) Place(q scheduling.View, o scheduling.Offer) int32 {
	best, most := int32(-1), math.Inf(-1)
	for i := range o.Waiting {
		reduce := scheduling.TaskID{Job: o.Job, Kind: scheduling.Reduce, Index: i}
		if left := o.Waited.Seconds() - p.saved(q, reduce, o.Node)/p.rate; left >= 0 && left > most {
			best, most = i, left
		}
	}
	return best
}

// saved returns how many bytes less a reduce fetches at the better place than on n. A byte between
// racks crosses four links and counts fully, a byte within a rack counts half.
func (p patient) saved(q scheduling.View, reduce scheduling.TaskID, n scheduling.NodeID) float64 {
	if !p.largest {
		center, ok, err := q.Gravity(reduce)
		if !ok || err != nil {
			return 0
		}
		here, _ := q.WTND(reduce, n)
		there, _ := q.WTND(reduce, center)
		return float64(here-there) / 4
	}
	most := int64(0)
	for _, node := range q.Nodes() {
		held, _ := q.Held(reduce, node.ID)
		most = max(most, held)
	}
	here, _ := q.Held(reduce, n)
	return float64(most - here)
}

// patience compares fixed waits of reduces for a better node with waits that last only as long as
// the better node saves time.
func patience(s *study.Study) {
	for _, start := range []float64{0.05, 0.5} {
		list := setup.Placements(start) // any node, CoGRS, LARTS, then two patient ones
		parts := scheduling.Parts{Reduces: map[string]func() scheduling.ReducePlacement{}}
		for i, name := range []string{"patient for the center", "patient for the node"} {
			parts.Reduces[name] = func() scheduling.ReducePlacement {
				return patient{rate: 125e6, largest: i == 1}
			}
			next := list[0]
			next.Name, next.Policy.Reduce = name, scheduling.ReducePolicy{Part: name}
			list = append(list, next)
		}
		saved := patienceGrid(s, list, parts, s.Table(fmt.Sprintf("saved-%g", 100*start)))
		patienceRows(s, fmt.Sprintf("start at %g %%", 100*start), list, saved)
	}
}

// patienceGrid returns, for each policy but the first, the percentage of the mean sojourn time that
// it saves over the first at each point of the grid. It adds a line to t for each point.
func patienceGrid(
	s *study.Study, list study.Contenders, parts scheduling.Parts, t *study.Table,
) [][]study.Sample {
	saved := make([][]study.Sample, len(list)-1)
	for _, at := range study.Grid(
		study.Pick(s, []float64{1, 20}, []float64{1, 5, 20}), []float64{1, 4},
		study.Pick(s, []float64{0, 2}, []float64{0, 1, 2}), study.Pick(s, []float64{0.5}, []float64{0.5, 2}),
	) {
		over, ratio, sigma, per := at[0], at[1], at[2], at[3]
		cfg := setup.NarrowCluster(over)
		cfg.Core.Parts = parts
		all := s.Compare(cfg, list, s.Repeats(1, 10), setup.ShuffleJobs(setup.Shuffles{
			Jobs: study.Pick(s, 3, 6), Maps: int(14 * per), Reduces: 7, Sigma: sigma, Ratio: ratio,
		}))
		var line []float64
		for k := range saved {
			x := all.Saved(k+1, 0, study.MeanSojourn)
			saved[k], line = append(saved[k], x), append(line, x.Mean())
		}
		t.Add(fmt.Sprintf("%g:1, shuffle %g × input, sigma %g, %g maps a node", over, ratio, sigma, per),
			line...)
	}
	return saved
}

// patienceRows adds the rows and the finding for one slow start of the reduces, which label names.
func patienceRows(s *study.Study, label string, list study.Contenders, saved [][]study.Sample) {
	var means []study.Sample
	var where []string
	for k, all := range saved {
		name, gains, losses := list[k+1].Name, 0, 0
		for _, x := range all {
			low, high := x.Interval()
			if low > 0 {
				gains++
			} else if high < 0 {
				losses++
			}
		}
		means = append(means, study.MeanOf(all))
		s.Row(label+", "+name+": saved, mean over the grid", means[k])
		s.Row(label+", "+name+": saved, least", slices.MinFunc(all, study.ByMean))
		where = append(where, fmt.Sprintf("%s saves time at %d and costs time at %d", name, gains, losses))
	}
	const cogrs, larts, node = 0, 1, 3
	s.Row(label+": patient for the node, saved over any node", means[node])
	s.Row(label+": patient for the node less CoGRS", means[node].Minus(means[cogrs]))
	s.Row(label+": patient for the node less LARTS", means[node].Minus(means[larts]))
	s.Findings = append(s.Findings, fmt.Sprintf("With a %s of the maps, of %d points: %s.", label,
		len(saved[0]), strings.Join(where, "; ")))
}
