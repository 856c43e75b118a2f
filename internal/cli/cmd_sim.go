package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// oneSim are the flags of `tarry sim`.
type oneSim struct {
	simFlags

	events, series, csv string
	every               time.Duration // interval of the lines of --series
}

func simCommand(c *command) {
	c.Use, c.Short = "sim --trace FORM:FILE | --workload FILE|NAME", "Simulate a cluster of any size in virtual time, with the live scheduler"
	c.Long = `Simulate a workload on a cluster of any size in virtual time. The scheduler that runs live makes
every decision.

  tarry sim --workload facebook-io --nodes 100 --scheduler hfs
  tarry sim --trace swim:FB-2009_samples_24_times_1hr_0.tsv --nodes 600 --original-nodes 600
  tarry sim --workload mine.yaml --nodes 40 --racks 4 --network flows --oversubscription 5 --json

The same flags and seed print the same bytes to standard output; standard error reports the time
taken.`
	var f oneSim
	c.RunE = func(*cobra.Command, []string) error { return f.run(c) }
	f.register(c.Command)
	s := c.Flags()
	f.registerName(c.Command, s, "hfs", "")
	s.StringVar(&f.csv, "csv", "", "write classes.csv and jobs.csv to `DIR`")
	s.StringVar(&f.events, "events", "", "write the scheduler's events to `FILE`, one JSON object per line; compressed if its name ends in .zst")
	s.StringVar(&f.series, "series", "",
		"write slots held, demand and fair shares of cluster, pools and jobs over time to `FILE`, as CSV")
	number(s, &f.every, "series-interval", 10*time.Second, span(milli, 1000*hour), "with --series, simulated time between lines")
	needs(c.Command, "series", "series-interval")
	c.AddCommand(c.command(simCompareCommand), c.command(simSweepCommand))
}

// run simulates once and prints the result.
func (f *oneSim) run(c *command) (err error) {
	if err := f.begin(c); err != nil {
		return err
	}
	cfg, err := f.config(f.scheduler)
	if err := firstError(err, f.unheeded(cfg.Policy)); err != nil {
		return err
	}
	_, trace, _ := strings.Cut(f.trace, ":")
	files := []namedFile{{"--events", f.events}, {"--series", f.series}}
	if err := distinctFiles(files, append(f.files.Names, f.named, trace, f.cluster)); err != nil {
		return err
	}
	if f.series != "" {
		cfg.Sample, cfg.SampleQueues = f.every, true
		if err := writeFile(f.series, os.O_TRUNC, func(io.Writer) error { return nil }); err != nil { // an early error
			return err
		}
	}
	if f.csv != "" {
		f.csv = filepath.Clean(f.csv)
		if err := os.MkdirAll(f.csv, 0o777); err != nil {
			return outputError(f.csv, err)
		}
	}
	rec, err := openRecord(f.events)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, rec.Close()) }()
	if write := sink(rec); write != nil {
		cfg.Core.Events, cfg.Core.Explain = func(e event.Event) { write(actors.Event{Event: e}) }, true
	}
	w, err := f.paced(c.program, cfg, f.quiet)
	if err != nil {
		return err
	}
	res, err := f.simulate(c, cfg, w)
	if err != nil {
		return err
	}
	return f.report(c.program, res, w)
}

// simulate runs the simulation, shows its progress and prints the time taken.
func (f *oneSim) simulate(c *command, cfg simulator.Config, w *workload.Workload) (*simulator.Result, error) {
	if f.quiet {
		return simulator.Run(c.Context(), cfg, w)
	}
	began := time.Now()
	update, stop := c.display.ShowLatest()
	cfg.Progress = func(now time.Duration, done int) {
		update(progress.Part("simulated", float64(done)/float64(max(len(w.Jobs), 1)),
			fmt.Sprintf("%d of %s, %v simulated", done, words.Count(len(w.Jobs), "job"), now.Round(time.Second))))
	}
	res, err := simulator.Run(c.Context(), cfg, w)
	stop()
	if err == nil {
		took, n := time.Since(began), res.Stats
		s := took.Seconds()
		fmt.Fprintf(c.stderr, "simulated %v in %v: %s (%.0f/s), %s (%.0f/s)\n", res.End.Round(time.Second), took.Round(time.Millisecond),
			words.Count(n.Events, "event"), float64(n.Events)/s, words.Count(n.Decisions, "decision"), float64(n.Decisions)/s)
	}
	return res, err
}

// report writes the requested files and prints the figures.
func (f *oneSim) report(p *program, res *simulator.Result, w *workload.Workload) error {
	var err error
	if f.csv != "" {
		err = firstError(
			writeFile(filepath.Join(f.csv, "classes.csv"), os.O_TRUNC, res.Report.WriteClassesCSV),
			writeFile(filepath.Join(f.csv, "jobs.csv"), os.O_TRUNC, res.WriteJobsCSV),
		)
	}
	if err == nil && f.series != "" {
		err = writeFile(f.series, os.O_TRUNC, res.WriteSeriesCSV)
	}
	if err != nil {
		return err
	}
	return show(p, f.json, []simulator.Report{res.Report}, func(out io.Writer) { printSimTable(out, res, w) })
}

// printSimTable prints the report as a table.
func printSimTable(out io.Writer, res *simulator.Result, w *workload.Workload) {
	maps, reduces := w.Tasks()
	all := &res.Report.Figures
	fmt.Fprintf(out, "%s: %s, %s, %s; %s done in %.1f s\n\n", w.Name, words.Count(len(w.Jobs), "job"),
		words.Count(maps, "map"), words.Count(reduces, "reduce"), words.Count(all.Jobs, "job"), all.MakespanS)
	lines := [][]string{{
		"class", "jobs", "mean s", "median s", "p95 s", "node-local", "rack-local", "off-rack",
		"node bytes", "rack bytes", "off-rack bytes", "fairness", "killed", "suspended", "lost s",
	}}
	row := func(name string, f *simulator.Figures) {
		percent := func(x int) string { return fmt.Sprintf("%.1f%%", 100*float64(x)/float64(max(f.Maps.All(), 1))) }
		tenths := func(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
		lines = append(lines, []string{
			name, strconv.Itoa(f.Jobs), tenths(f.Sojourn.Mean), tenths(f.Sojourn.Median), tenths(f.Sojourn.P95),
			percent(f.Maps.NodeLocal), percent(f.Maps.RackLocal), percent(f.Maps.OffRack),
			amount(f.Shuffle.NodeLocal), amount(f.Shuffle.RackLocal), amount(f.Shuffle.OffRack),
			fmt.Sprintf("%.3f", f.FairnessJain), strconv.Itoa(f.Preempted.Killed), strconv.Itoa(f.Preempted.Suspended),
			fmt.Sprintf("%.0f", f.Preempted.LostS),
		})
	}
	for i := range res.Report.ByClass {
		c := &res.Report.ByClass[i]
		row(cmp.Or(c.Class, "(none)"), &c.Figures)
	}
	row("all", all)
	figureTable(out, lines)
	fmt.Fprintf(out, "\nslots used: map %.1f%%, reduce %.1f%%\n\n", 100*all.Utilization.Map, 100*all.Utilization.Reduce)
	if hits := all.InMemory.All(); hits > 0 {
		fmt.Fprintf(out, "maps with their block in memory: %.1f%%\n\n", 100*float64(hits)/float64(all.Maps.All()))
	}
}

// figure is one result of a run.
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
		{"rack_local_share", f.Maps.Share(scheduling.RackLocal) - f.Maps.Share(scheduling.NodeLocal)}, // Share adds nearer ones
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

// gridSummary is a point of the grid in the JSON output: its settings and the figures of its runs.
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

// printSweep prints a table with a line for each point of the grid: its settings and some figures.
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

// printComparison prints a column of figures per scheduler, with paired differences from the first.
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
