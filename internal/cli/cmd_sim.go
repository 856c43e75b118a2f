package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// newSim is the command `tarry sim` with its sub-commands.
func newSim(p *program) *cobra.Command {
	var f simFlags
	cmd := &cobra.Command{
		Use:   "sim --trace swim:FILE|coflow:FILE | --workload FILE|NAME",
		Short: "Simulate a cluster of any size in virtual time, with the scheduler that runs live",
		Long: `Simulate a workload on a cluster of any size in virtual time. Every decision is made by the
scheduler that also runs live.

  tarry sim --workload facebook-io --nodes 100 --scheduler hfs
  tarry sim --trace swim:FB-2009_samples_24_times_1hr_0.tsv --nodes 600 --racks 15 --original-nodes 600
  tarry sim --workload mine.yaml --nodes 40 --racks 4 --network flows --oversubscription 5 --json

The same flags and seed give the same bytes on standard output; the time it took goes to standard
error. With --repeat N the seeds are --seed, --seed+1 and so on; --json then prints an object a
line.`,
		Args: arguments(0, 0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.begin(p, cmd); err != nil {
				return err
			}
			return f.simulate(cmd, p)
		},
	}
	f.register(cmd)
	f.registerCSV(cmd.Flags())
	cmd.Flags().StringVar(&f.events, "events", "",
		"file for what the scheduler did, a JSON object a line; compressed if named .zst")
	cmd.Flags().StringVar(&f.traceOut, "trace-out", "", "file for a Chrome trace of all attempts")
	cmd.Flags().StringVar(&f.series, "series", "",
		"file for what cluster, pools and jobs hold, wait for and should have over time, as CSV")
	number(cmd.Flags(), &f.seriesEvery, "series-interval", 10*time.Second, span(0.001, 1000*hour), "simulated time between the lines of --series")
	needs(cmd, "series", "series-interval")
	f.registerName(cmd.Flags())
	excludes(cmd, "policy", "scheduler")
	f.complete(cmd)
	cmd.AddCommand(newSimCompare(p), newSimSweep(p))
	return cmd
}

// simulate runs the repetitions one after the other and prints each.
func (f *simFlags) simulate(cmd *cobra.Command, p *program) (err error) {
	policy, err := f.policy(f.scheduler)
	if err == nil {
		err = firstError(f.idleSets(policy), heeded(cmd, &policy), f.check(cmd), f.files.unused(f.scheduler, false))
	}
	if err != nil {
		return err
	}
	p.warnIdle(policy)
	cfg, err := f.config(policy)
	if err == nil {
		err = f.makeCSV()
	}
	if err != nil {
		return err
	}
	_, trace, _ := strings.Cut(f.trace, ":")
	files := []namedFile{{"--events", f.events}, {"--trace-out", f.traceOut}, {"--series", f.series}}
	if err := distinctFiles(files, []string{f.load0, trace, f.allocations, f.queues, f.parameters, f.policyFile, f.clusterFile}); err != nil {
		return err
	}
	if err := f.makeSeries(&cfg); err != nil {
		return err
	}
	rec, err := openRecord(f.events, f.traceOut)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, rec.close()) }()
	if sink := rec.sink(); sink != nil {
		cfg.Core.Events = func(e event.Event) { sink(actors.Event{Event: e}) }
		cfg.Core.Explain = f.events != ""
	}
	for turn := range max(1, f.repeat) {
		cfg.Seed = f.seed + uint64(turn)
		w, err := f.paced(p, cfg, cfg.Seed)
		if err != nil {
			return err
		}
		res, err := f.one(cmd.Context(), p, cfg, w)
		if err != nil {
			return err
		}
		if err := f.print(p, res, w, turn); err != nil {
			return err
		}
	}
	return nil
}

// one runs one simulation with its progress, and says what it took.
func (f *simFlags) one(
	ctx context.Context, p *program, cfg simulator.Config, w *workload.Workload,
) (*simulator.Result, error) {
	began := time.Now()
	stop := func() {}
	if !f.quiet {
		far := progress.NewRuns(1)
		cfg.Progress = func(now time.Duration, done int) { far.Tell(0, now, done, len(w.Jobs)) }
		stop = p.display.Show([]string{"simulated"}, far.State)
	}
	res, err := simulator.Run(ctx, cfg, w)
	stop()
	if err != nil {
		return nil, err
	}
	if !f.quiet {
		p.simTook(res.End.Round(time.Second).String(), time.Since(began), res.Stats)
	}
	return res, nil
}

// simTook says what simulating something took.
func (p *program) simTook(what string, took time.Duration, n simulator.Stats) {
	s := took.Seconds()
	fmt.Fprintf(p.stderr, "simulated %s in %v: %s (%.0f/s), %s (%.0f/s)\n", what, took.Round(time.Millisecond),
		words.Count(n.Events, "event"), float64(n.Events)/s, words.Count(n.Decisions, "decision"), float64(n.Decisions)/s)
}

// print writes the report: JSON, or a table, and the CSV files.
func (f *simFlags) print(p *program, res *simulator.Result, w *workload.Workload, turn int) error {
	dir := f.csv
	if f.repeat > 1 {
		dir = f.seedDir(dir, turn)
	}
	if err := f.writeCSV(dir, res); err != nil {
		return err
	}
	if f.series != "" {
		if err := writeFile(f.series, os.O_TRUNC, res.WriteSeriesCSV); err != nil {
			return err
		}
	}
	if f.json {
		return json.NewEncoder(p.stdout).Encode(res.Report)
	}
	return printSimTable(p.stdout, res, w)
}

// makeSeries makes the file for --series, so that what cannot be made fails before the simulation.
func (f *simFlags) makeSeries(cfg *simulator.Config) error {
	if f.series == "" {
		return nil
	}
	cfg.Sample, cfg.SampleQueues = f.seriesEvery, true
	return writeFile(f.series, os.O_TRUNC, func(io.Writer) error { return nil })
}

// makeCSV makesthe directory for CSV files, so that what cannot be made fails before the
// simulation.
func (f *simFlags) makeCSV() error {
	if f.csv == "" {
		return nil
	}
	f.csv = filepath.Clean(f.csv)
	return outputError(f.csv, os.MkdirAll(f.csv, 0o777))
}

// seedDir is the directory for CSV files of one of several runs.
func (f *simFlags) seedDir(dir string, turn int) string {
	return filepath.Join(dir, fmt.Sprintf("seed-%d", f.seed+uint64(turn)))
}

// writeCSV writes classes.csv and jobs.csv into a directory, if they are asked for.
func (f *simFlags) writeCSV(dir string, res *simulator.Result) error {
	if f.csv == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return firstError(
		writeFile(filepath.Join(dir, "classes.csv"), os.O_TRUNC, res.Report.WriteClassesCSV),
		writeFile(filepath.Join(dir, "jobs.csv"), os.O_TRUNC, res.WriteJobsCSV),
	)
}

// printSimTable prints the report for people.
func printSimTable(out io.Writer, res *simulator.Result, w *workload.Workload) error {
	b := bufio.NewWriter(out)
	maps, reduces := w.Tasks()
	all := &res.Report.Figures
	fmt.Fprintf(b, "%s: %s, %s, %s; %s done in %.1f s\n\n", w.Name, words.Count(len(w.Jobs), "job"),
		words.Count(maps, "map"), words.Count(reduces, "reduce"), words.Count(all.Jobs, "job"), all.MakespanS)
	lines := [][]string{{
		"class", "jobs", "mean s", "median s", "p95 s", "node-local", "rack-local", "off-rack",
		"shuffled", "off-rack", "fairness", "killed", "suspended", "lost s",
	}}
	row := func(name string, f *simulator.Figures) {
		percent := func(x int) string { return fmt.Sprintf("%.1f%%", 100*float64(x)/float64(max(f.Maps.All(), 1))) }
		lines = append(lines, []string{
			name, strconv.Itoa(f.Jobs), tenths(f.Sojourn.Mean), tenths(f.Sojourn.Median), tenths(f.Sojourn.P95),
			percent(f.Maps.NodeLocal), percent(f.Maps.RackLocal), percent(f.Maps.OffRack),
			numbers.Human(f.Shuffle.NodeLocal + f.Shuffle.RackLocal + f.Shuffle.OffRack), numbers.Human(f.Shuffle.OffRack),
			fmt.Sprintf("%.3f", f.FairnessJain), strconv.Itoa(f.Preempted.Killed), strconv.Itoa(f.Preempted.Suspended),
			fmt.Sprintf("%.0f", f.Preempted.LostS),
		})
	}
	for i := range res.Report.ByClass {
		c := &res.Report.ByClass[i]
		row(cmp.Or(c.Class, "(none)"), &c.Figures)
	}
	row("all", all)
	_ = figureTable(b, lines) // Flush tells
	fmt.Fprintf(b, "\nslots used: map %.1f%%, reduce %.1f%%\n\n", 100*all.Utilization.Map, 100*all.Utilization.Reduce)
	if hits := all.InMemory.All(); hits > 0 {
		fmt.Fprintf(b, "maps with their block in memory: %.1f%%\n\n", 100*float64(hits)/float64(all.Maps.All()))
	}
	return b.Flush()
}

func tenths(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
