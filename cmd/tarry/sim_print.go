package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// printSimTable prints the report for people.
func printSimTable(out io.Writer, res *simulator.Result, w *workload.Workload) error {
	b := bufio.NewWriter(out)
	maps, reduces := w.Tasks()
	all := &res.Report.Figures
	fmt.Fprintf(b, "%s: %d jobs, %d maps, %d reduces; %d jobs done in %.1f s\n\n", w.Name, len(w.Jobs), maps, reduces, all.Jobs, all.MakespanS)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "class\tjobs\tmean s\tmedian s\tp95 s\tnode-local\track-local\toff-rack\tshuffled\toff-rack\tfairness\tkilled\tsuspended\tlost s\t")
	row := func(name string, f *simulator.Figures) {
		n := max(f.Maps.NodeLocal+f.Maps.RackLocal+f.Maps.OffRack, 1)
		percent := func(x int) string { return fmt.Sprintf("%.1f%%", 100*float64(x)/float64(n)) }
		shuffled := f.Shuffle.NodeLocal + f.Shuffle.RackLocal + f.Shuffle.OffRack
		fmt.Fprintf(t, "%s\t%d\t%.1f\t%.1f\t%.1f\t%s\t%s\t%s\t%s\t%s\t%.3f\t%d\t%d\t%.0f\t\n", name, f.Jobs, f.Sojourn.Mean, f.Sojourn.Median, f.Sojourn.P95,
			percent(f.Maps.NodeLocal), percent(f.Maps.RackLocal), percent(f.Maps.OffRack), humanBytes(shuffled), humanBytes(f.Shuffle.OffRack),
			f.FairnessJain, f.Preempted.Killed, f.Preempted.Suspended, f.Preempted.LostS)
	}
	for i := range res.Report.ByClass {
		c := &res.Report.ByClass[i]
		name := c.Class
		if name == "" {
			name = "(none)"
		}
		row(name, &c.Figures)
	}
	row("all", all)
	_ = t.Flush()
	fmt.Fprintf(b, "\nslots used: map %.1f%%, reduce %.1f%%\n\n", 100*all.Utilization.Map, 100*all.Utilization.Reduce)
	return b.Flush()
}

// simFigure is a figure that a comparison shows.
type simFigure struct {
	name string
	of   func(*simulator.Result) float64
}

// simFigures lists them.
func simFigures() []simFigure {
	figure := func(name string, of func(*simulator.Figures) float64) simFigure {
		return simFigure{name, func(r *simulator.Result) float64 { return of(&r.Report.Figures) }}
	}
	return []simFigure{
		figure("sojourn_mean_s", func(f *simulator.Figures) float64 { return f.Sojourn.Mean }),
		figure("sojourn_median_s", func(f *simulator.Figures) float64 { return f.Sojourn.Median }),
		figure("sojourn_p95_s", func(f *simulator.Figures) float64 { return f.Sojourn.P95 }),
		figure("makespan_s", func(f *simulator.Figures) float64 { return f.MakespanS }),
		figure("node_local_share", func(f *simulator.Figures) float64 { return f.Maps.Share(scheduling.NodeLocal) }),
		figure("rack_local_share", func(f *simulator.Figures) float64 {
			return f.Maps.Share(scheduling.RackLocal) - f.Maps.Share(scheduling.NodeLocal) // those alone, as rack_local of a run
		}),
		figure("off_rack_shuffle_gb", func(f *simulator.Figures) float64 { return float64(f.Shuffle.OffRack) / 1e9 }),
		figure("fairness_jain", func(f *simulator.Figures) float64 { return f.FairnessJain }),
		figure("map_utilisation", func(f *simulator.Figures) float64 { return f.Utilization.Map }),
		figure("reduce_utilisation", func(f *simulator.Figures) float64 { return f.Utilization.Reduce }),
		figure("killed", func(f *simulator.Figures) float64 { return float64(f.Preempted.Killed) }),
		figure("suspended", func(f *simulator.Figures) float64 { return float64(f.Preempted.Suspended) }),
		figure("lost_s", func(f *simulator.Figures) float64 { return f.Preempted.LostS }),
	}
}

// shownEstimate is an estimate as JSON; one run has no confidence interval.
type shownEstimate struct {
	Mean float64  `json:"mean"`
	Half *float64 `json:"ci95"`
}

func showEstimate(e simulator.Estimate, runs int) shownEstimate {
	if runs < 2 {
		return shownEstimate{Mean: e.Mean}
	}
	return shownEstimate{e.Mean, &e.Half}
}

// estimateText is an estimate for people; one run has no confidence interval.
func estimateText(e simulator.Estimate, runs int) string {
	text := e.String()
	if runs < 2 {
		text, _, _ = strings.Cut(text, " ± ")
	}
	return text
}

// printComparison prints the contenders side by side, and each one's paired difference from the first.
func printComparison(out io.Writer, list []simulator.Contest) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	var header strings.Builder
	header.WriteString("figure\t")
	for i, c := range list {
		header.WriteString(c.Name + "\t")
		if i > 0 {
			header.WriteString("- " + list[0].Name + "\t")
		}
	}
	fmt.Fprintln(t, header.String())
	for _, f := range simFigures() {
		var row strings.Builder
		row.WriteString(f.name + "\t")
		for i := range list {
			row.WriteString(estimateText(list[i].Over(f.of), len(list[i].Results)) + "\t")
			if i > 0 {
				row.WriteString(estimateText(list[i].Minus(&list[0], f.of), len(list[i].Results)) + "\t")
			}
		}
		fmt.Fprintln(t, row.String())
	}
	return t.Flush()
}

// printComparisonJSON prints an object a contender and line: its figures, and their paired differences from the first.
func printComparisonJSON(out io.Writer, list []simulator.Contest) error {
	enc := json.NewEncoder(out)
	for i := range list {
		line := struct {
			Scheduler  string                   `json:"scheduler"`
			Repeat     int                      `json:"repeat"`
			Figures    map[string]shownEstimate `json:"figures"`
			Difference map[string]shownEstimate `json:"difference_from_first"`
		}{list[i].Name, len(list[i].Results), map[string]shownEstimate{}, map[string]shownEstimate{}}
		for _, f := range simFigures() {
			line.Figures[f.name] = showEstimate(list[i].Over(f.of), len(list[i].Results))
			line.Difference[f.name] = showEstimate(list[i].Minus(&list[0], f.of), len(list[i].Results))
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
