package own

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// patient is a placement that lets slots pass for as long as moving what a better one saves takes.
// Better is the center of gravity, or with largest the node that holds most.
type patient struct {
	rate    float64 // of a node's link, bytes a second
	largest bool
}

// Place takes the reduce that has waited long enough and suits the node best.
func (p patient) Place(q scheduling.View, o scheduling.ReduceOffer) int32 {
	best, most := int32(-1), math.Inf(-1)
	for i := range o.Waiting {
		reduce := scheduling.TaskID{Job: o.Job, Kind: scheduling.Reduce, Index: i}
		if left := o.Waited.Seconds() - p.saved(q, reduce, o.Node)/p.rate; left >= 0 && left > most {
			best, most = i, left
		}
	}
	return best
}

// saved is how many bytes less a reduce has to fetch at the better place than on n; a byte between
// racks crosses four links and counts whole, one within half.
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

// patiencePoint is what each placement saves at a point of the grid over any node, in per cent.
type patiencePoint struct {
	label string
	saved []study.Sample // by contender but the first
}

// Patience asks where reduces should wait for a better place: rules with fixed waits against ones
// that wait for as long as there is something to be gained.
func Patience(ctx context.Context, o study.Options) (*study.Result, error) {
	r := &study.Result{Setup: []string{
		"14 nodes in 2 racks, 4 map and 2 reduce slots each, links of 1 Gb/s that flows share " +
			"fairly, uplinks over-subscribed 1:1, 5:1 and 20:1. Heartbeats every 3 s and when a " +
			"task ends.",
		"Jobs one after another, 0.5 or 2 maps a node of 2 s and a block each, 7 reduces, a " +
			"shuffle as large as the input and four times; a lognormal factor of sigma 0, 1 or 2 " +
			"on each (map, partition).",
		"CoGRS and LARTS wait 4.5 s for their node, CoGRS as long again for its rack. The patient " +
			"rules refuse a slot while the job has waited less long than a node's link takes for " +
			"the bytes that the better place saves: the center of gravity, or the node that holds " +
			"most. They are parts from outside (scheduling.Parts).",
		"Reduces start at 5 % of the maps, the default, and at half of them. Saved is mean time " +
			"from arrival to end, over reduces on any node with the same start.",
	}}
	list, parts := patienceContenders()
	for _, start := range []float64{0.05, 0.5} {
		points, err := patienceGrid(ctx, o, list, parts, start)
		if err != nil {
			return nil, err
		}
		addPatience(r, list[1:], points, start)
	}
	r.Notes = []string{
		"Not better everywhere: where few maps feed large shuffles through a narrow uplink, fixed " +
			"waits save more, since a patient job counts neither the other reduces on the uplink " +
			"nor what its own maps have yet to write. The default stays CoGRS as published.",
	}
	return r, nil
}

// patienceContenders are any node, CoGRS, LARTS and the patient rules.
func patienceContenders() ([]simulator.Contender, scheduling.Parts) {
	list := setup.Placements()
	parts := scheduling.Parts{Reduces: map[string]func() scheduling.ReducePlacement{}}
	for _, c := range []struct {
		name    string
		largest bool
	}{{"patient for the center", false}, {"patient for the node", true}} {
		parts.Reduces[c.name] = func() scheduling.ReducePlacement {
			return patient{rate: 125e6, largest: c.largest}
		}
		next := list[0]
		next.Name, next.Policy.Reduce = c.name, scheduling.ReducePolicy{Part: c.name}
		list = append(list, next)
	}
	return list, parts
}

// patienceGrid runs all points with one start.
func patienceGrid(
	ctx context.Context, o study.Options, list []simulator.Contender, parts scheduling.Parts,
	start float64,
) (points []patiencePoint, err error) {
	list = slices.Clone(list)
	for i := range list {
		list[i].Policy.SlowStart = start
	}
	narrow, sigmas, perNode, jobs := []float64{1, 5, 20}, []float64{0, 1, 2}, []float64{0.5, 2}, 6
	if o.Quick {
		narrow, sigmas, perNode, jobs = []float64{1, 20}, []float64{0, 2}, []float64{0.5}, 3
	}
	for _, over := range narrow {
		cfg := simulator.Config{
			Cluster: simulator.Cluster{Nodes: 14, Racks: 2, MapSlots: 4, ReduceSlots: 2},
			Network: simulator.Network{Flows: true, Oversubscription: over},
			Drive:   simulator.HeartbeatDrive, Interval: setup.BeatEvery, OutOfBand: true,
			TellProgress: true, Submission: simulator.Submission{Rule: simulator.Serial},
			Seed: o.Seed, Core: scheduling.Config{Parts: parts},
		}
		for _, ratio := range []float64{1, 4} {
			for _, sigma := range sigmas {
				for _, per := range perNode {
					c, err := setup.Contests(ctx, cfg, list, o.Repeats(1, 10),
						func(*rand.Rand) workload.Workload {
							return patienceJobs(jobs, per, sigma, ratio)
						})
					if err != nil {
						return nil, err
					}
					at := patiencePoint{label: fmt.Sprintf(
						"%g:1, shuffle %g × input, sigma %g, %g maps a node", over, ratio, sigma, per)}
					for k := range c[1:] {
						ours, any := setup.Each(&c[k+1], setup.MeanSojourn), setup.Each(&c[0], setup.MeanSojourn)
						at.saved = append(at.saved, study.Pair(ours, any,
							func(ours, any float64) float64 { return 100 * (1 - ours/any) }))
					}
					points = append(points, at)
				}
			}
		}
	}
	return points, nil
}

// patienceJobs are jobs one after another whose shuffle is so many times their input.
func patienceJobs(jobs int, perNode, sigma, ratio float64) workload.Workload {
	w := setup.ShuffleJobs(jobs, int(14*perNode), 7, sigma)
	for i := range w.Jobs {
		w.Jobs[i].ShuffleBytes = int64(ratio * float64(w.Jobs[i].InputBytes))
	}
	return w
}

// addPatience adds rows, table and finding of one start.
func addPatience(
	r *study.Result, list []simulator.Contender, points []patiencePoint, start float64,
) {
	label := fmt.Sprintf("start at %g %%", 100*start)
	table := study.Table{
		Name: fmt.Sprintf("saved-%g", 100*start), Title: "Time saved over any node (%), " + label,
		Columns: []string{"uplink, shuffle, skew, maps"},
	}
	means := make([]study.Sample, len(list))
	var where []string
	for k, c := range list {
		table.Columns = append(table.Columns, c.Name)
		var all []study.Sample
		gains, losses := 0, 0
		for _, at := range points {
			all = append(all, at.saved[k])
			low, high := at.saved[k].Interval()
			if low > 0 {
				gains++
			} else if high < 0 {
				losses++
			}
		}
		means[k] = study.MeanOf(all)
		least := slices.MinFunc(all,
			func(a, b study.Sample) int { return cmp.Compare(a.Mean(), b.Mean()) })
		r.Add(study.Shown(label+", "+c.Name+": saved, mean over the grid", "%", means[k]),
			study.Shown(label+", "+c.Name+": saved, least", "%", least))
		where = append(where, fmt.Sprintf("%s saves time at %d and costs time at %d", c.Name, gains,
			losses))
	}
	for _, at := range points {
		var line []float64
		for _, s := range at.saved {
			line = append(line, s.Mean())
		}
		table.Add(at.label, line...)
	}
	r.Tables = append(r.Tables, table)
	last := len(list) - 1
	r.Add(
		study.OwnRow(label+": patient for the node, saved over any node", "%", "more than nothing",
			study.More(0), means[last]),
		study.OwnRow(label+": patient for the node less CoGRS", "points", "more than nothing",
			study.More(0), means[last].Minus(means[0])),
		study.OwnRow(label+": patient for the node less LARTS", "points", "more than nothing",
			study.More(0), means[last].Minus(means[1])),
	)
	r.Findings = append(r.Findings, fmt.Sprintf("With a %s of the maps, of %d points: %s.", label,
		len(points), strings.Join(where, "; ")))
}
