package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// figure is a figure of a run.
type figure struct {
	name  string
	value float64
}

// figuresOf returns the figures of a run, always the same ones in this order.
func figuresOf(f *simulator.Figures) []figure {
	return []figure{
		{"sojourn_mean_s", f.Sojourn.Mean},
		{"sojourn_median_s", f.Sojourn.Median},
		{"sojourn_p95_s", f.Sojourn.P95},
		{"makespan_s", f.MakespanS},
		{"node_local_share", f.Maps.Share(scheduling.NodeLocal)},
		{"rack_local_share", f.Maps.Share(scheduling.RackLocal) - f.Maps.Share(scheduling.NodeLocal)}, // as rack_local of a run
		{"off_rack_shuffle_gb", float64(f.Shuffle.OffRack) / 1e9},
		{"rack_local_shuffle_gb", float64(f.Shuffle.RackLocal) / 1e9},
		{"node_local_shuffle_gb", float64(f.Shuffle.NodeLocal) / 1e9},
		{"fairness_jain", f.FairnessJain},
		{"map_utilisation", f.Utilization.Map},
		{"reduce_utilisation", f.Utilization.Reduce},
		{"killed", float64(f.Preempted.Killed)},
		{"suspended", float64(f.Preempted.Suspended)},
		{"lost_s", f.Preempted.LostS},
		{"copies", float64(f.Copies.Launched)},
		{"copies_won", float64(f.Copies.Won)},
		{"copies_spent_s", f.Copies.SpentS},
	}
}

// gridSummary is a point, as --json prints it.
type gridSummary struct {
	Settings map[string]string       `json:"settings"`
	Figures  map[string]gridEstimate `json:"figures"`
}

func summaries(grid []dimension, points []*gridPoint) (list []gridSummary) {
	for _, at := range points {
		s := gridSummary{map[string]string{}, map[string]gridEstimate{}}
		for i, d := range grid {
			s.Settings[d.name] = at.values[i]
		}
		for i, f := range at.figures[0] {
			s.Figures[f.name] = at.over(i, nil)
		}
		list = append(list, s)
	}
	return list
}

// printSweep prints some of the figures as a table, with a line for each point.
func printSweep(out io.Writer, grid []dimension, points []*gridPoint) {
	shown := []string{"sojourn_mean_s", "sojourn_p95_s", "makespan_s", "node_local_share", "off_rack_shuffle_gb", "fairness_jain"}
	lines := [][]string{append(names(grid), shown...)}
	for _, at := range points {
		line := slices.Clone(at.values)
		for i, f := range at.figures[0] {
			if slices.Contains(shown, f.name) {
				line = append(line, at.over(i, nil).String())
			}
		}
		lines = append(lines, line)
	}
	figureTable(out, lines)
}

// printComparison prints the points side by side, with paired differences from the first one.
func printComparison(out io.Writer, _ []dimension, points []*gridPoint) {
	var policies []scheduling.Policy
	var titles []string
	head := []string{"figure"}
	for i, at := range points {
		titles, policies = append(titles, at.values[0]), append(policies, at.config.Policy)
		if head = append(head, titles[i]); i > 0 {
			head = append(head, "- "+titles[0])
		}
	}
	lines := [][]string{head}
	for k, f := range points[0].figures[0] {
		line := []string{f.name}
		for i, at := range points {
			if line = append(line, at.over(k, nil).String()); i > 0 {
				line = append(line, at.over(k, points[0]).String())
			}
		}
		lines = append(lines, line)
	}
	figureTable(out, lines)
	printSettings(out, titles, policyfile.Differences(policies...))
}

// printSettings prints the settings in which policies differ, since any of them may be the cause of
// a difference in figures.
func printSettings(out io.Writer, names []string, list []policyfile.Difference) {
	if len(list) == 0 {
		fmt.Fprintln(out, "\nThey differ in no setting.")
		return
	}
	fmt.Fprintln(out)
	lines := [][]string{append([]string{"differs in"}, names...)}
	for _, s := range list {
		line := []string{s.Key}
		for _, v := range s.Values {
			line = append(line, cmp.Or(v, "-"))
		}
		lines = append(lines, line)
	}
	table(out, lines)
}
