package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/sweep"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// sweepFlags are the flags of `tarry sim sweep`.
type sweepFlags struct {
	simFlags
	grid     []string
	parallel int
	output   string
}

// newSimSweep is the command `tarry sim sweep`.
func newSimSweep(p *program) *cobra.Command {
	var f sweepFlags
	cmd := &cobra.Command{
		Use:   "sweep --sweep NAME=VALUE,VALUE,...",
		Short: "Simulate every point of a grid of settings, with several seeds",
		Long: `Simulate every point of a grid of settings, with several seeds, as many runs at a time as there are
processors. A setting is one of tarry config policy, such as theta, or a flag of tarry sim, such as
nodes; several --sweep give their grid.

  tarry sim sweep --workload hfsp-fb --racks 5 --sweep theta=0,.05,.1 --sweep nodes=50,100 --repeat 5
  tarry sim sweep --workload facebook-io --sweep scheduler=fifo,fair,hfs --repeat 10 -o out/schedulers

Standard output has a line for each point: means with their 95 % intervals over the seeds. With
-o DIR runs.csv has a line for each run with its settings, seed and every figure, summary.csv a line
for each figure at each point. DIR/runs keeps each run as soon as it is done: the same command,
started again, simulates only what is missing there. What is there is used only if all settings that
matter, the files that are read, and this program are the same. The bytes do not depend on
--parallel.`,
		Args: arguments(0, 0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, p) },
	}
	f.simFlags.register(cmd)
	f.registerName(cmd.Flags())
	s := cmd.Flags()
	s.StringArrayVar(&f.grid, "sweep", nil, "a setting and its values, NAME=VALUE,VALUE; may be repeated; "+
		"slashes stand between the parts of a value that is a list")
	number(s, &f.parallel, "parallel", 0, span(1, 10_000), "runs at a time (default: one for each processor)")
	s.StringVarP(&f.output, "output", "o", "", "directory for the figures of each run, runs.csv, summary.csv and report.html")
	_ = cmd.MarkFlagDirname("output") // an error: no such flag
	f.complete(cmd)
	return cmd
}

// mostRuns is how many runs a sweep may have.
const mostRuns = 100_000

// run simulates what is missing and writes all.
func (f *sweepFlags) run(cmd *cobra.Command, p *program) error {
	dimensions, err := f.dimensions()
	if err != nil {
		return err
	}
	points, err := p.sweepPoints(cmd, dimensions)
	if err != nil {
		return err
	}
	table := &sweep.Table{}
	for _, d := range dimensions {
		table.Dimensions = append(table.Dimensions, d.Name)
	}
	figures := sweepFigures()
	for _, one := range figures {
		table.Figures = append(table.Figures, one.name)
	}
	w := &sweepWork{program: p, points: points, figures: figures, table: table}
	for i := range points {
		for turn := range max(1, f.repeat) {
			w.table.Runs = append(w.table.Runs, sweep.Run{Point: points[i].values, Seed: f.seed + uint64(turn)})
			w.of = append(w.of, i)
		}
	}
	if f.output != "" {
		f.output = filepath.Clean(f.output)
		if w.store, err = sweep.Open(f.output); err != nil {
			return outputError(f.output, err)
		}
	}
	if err := f.simulate(cmd.Context(), w); err != nil {
		return err
	}
	return f.write(p, cmd, table)
}

// dimensions reads --sweep.
func (f *sweepFlags) dimensions() (list []sweep.Dimension, err error) {
	if len(f.grid) == 0 {
		return nil, usageError("what varies? --sweep NAME=VALUE,VALUE is needed")
	}
	for _, text := range f.grid {
		d, err := sweep.Parse(text)
		if err != nil {
			return nil, usageError("--sweep %s: %w", words.Shown(text), err)
		}
		same := func(o sweep.Dimension) bool { return o.Name == d.Name }
		if slices.ContainsFunc(list, same) {
			return nil, usageError("--sweep: %s twice", words.Shown(d.Name))
		}
		list = append(list, d)
	}
	if n := sweep.Size(list, mostRuns) * max(1, f.repeat); n > mostRuns {
		return nil, usageError("--sweep: more than %d runs", mostRuns)
	}
	return list, nil
}

// simulate runs what is not there yet.
func (f *sweepFlags) simulate(ctx context.Context, w *sweepWork) error {
	began := time.Now()
	if !f.quiet {
		stop := w.program.display.Show([]string{"runs"}, w.progress)
		defer stop()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var all sync.WaitGroup
	for range min(cmp.Or(f.parallel, runtime.GOMAXPROCS(0)), len(w.of)) {
		all.Go(func() {
			for i := range next {
				if err := w.one(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := range w.of {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !f.quiet {
		fmt.Fprintf(w.program.stderr, "%s at %s in %v, %d of them were there\n",
			words.Count(len(w.of), "run"), words.Count(len(w.points), "point"), time.Since(began).Round(time.Millisecond), w.there.Load())
	}
	return nil
}

// sweepWork is a sweep at work.
type sweepWork struct {
	program     *program
	points      []*sweepPoint
	of          []int // the point of each run
	figures     []simFigure
	table       *sweep.Table
	store       *sweep.Store // nil if nothing is kept
	done, there atomic.Int64 // runs
}

// one simulates a run, unless its figures are there.
func (w *sweepWork) one(ctx context.Context, i int) error {
	if ctx.Err() != nil {
		return nil
	}
	run, at := &w.table.Runs[i], w.points[w.of[i]]
	load, err := at.flags.paced(w.program, at.config, run.Seed)
	if err != nil {
		return at.fault(err)
	}
	cfg := at.config
	cfg.Seed = run.Seed
	key := ""
	if w.store != nil {
		key = runKey(cfg, load)
		if figures, there := w.store.Load(key, w.table.Figures); there {
			run.Figures = figures
			w.there.Add(1)
			w.done.Add(1)
			return nil
		}
	}
	res, err := simulator.Run(ctx, cfg, load)
	if err != nil {
		return at.fault(err)
	}
	for _, f := range w.figures {
		run.Figures = append(run.Figures, f.of(res))
	}
	w.done.Add(1)
	if w.store == nil {
		return nil
	}
	return outputError(w.store.Dir, w.store.Save(key, w.table.Dimensions, w.table.Figures, *run))
}

// progress is how many runs are done.
func (w *sweepWork) progress() progress.State {
	n, all := w.done.Load(), len(w.of)
	bar := progress.Bar{Part: float64(n) / float64(all), Text: fmt.Sprintf("%d of %d runs", n, all)}
	return progress.State{Line: " " + bar.Text, Bars: []progress.Bar{bar}}
}

// write writes the files and prints the table.
func (f *sweepFlags) write(p *program, cmd *cobra.Command, t *sweep.Table) error {
	if f.output != "" {
		for name, fill := range map[string]func(io.Writer) error{
			"runs.csv": t.WriteRuns, "summary.csv": t.WriteSummary, "report.html": sweepPage(t, sweepLine(cmd)),
		} {
			if err := sweep.WriteFile(filepath.Join(f.output, name), fill); err != nil {
				return outputError(f.output, err)
			}
		}
	}
	if f.json {
		return printJSON(p, t.Summaries())
	}
	shown := []string{"sojourn_mean_s", "sojourn_p95_s", "makespan_s", "node_local_share", "off_rack_shuffle_gb", "fairness_jain"}
	return t.Print(p.stdout, shown, func(mean, half float64) string {
		if math.IsNaN(half) {
			return estimateText(simulator.Estimate{Mean: mean}, 1)
		}
		return estimateText(simulator.Estimate{Mean: mean, Half: half}, 2)
	})
}

// sweepLine is the command line that gives the same figures again: without the flags that only say
// where and how.
func sweepLine(cmd *cobra.Command) string {
	line := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"output", "parallel", "quiet", "json"}, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			line = append(line, "--"+f.Name, words.Shown(v))
		}
	})
	return strings.Join(line, " ")
}

// sweepFigures lists every figure of a run.
func sweepFigures() []simFigure {
	figure := func(name string, of func(*simulator.Figures) float64) simFigure {
		return simFigure{name, func(r *simulator.Result) float64 { return of(&r.Report.Figures) }}
	}
	type figures = *simulator.Figures
	return append(simFigures(),
		figure("jobs", func(f figures) float64 { return float64(f.Jobs) }),
		figure("node_local_shuffle_gb", func(f figures) float64 { return float64(f.Shuffle.NodeLocal) / 1e9 }),
		figure("rack_local_shuffle_gb", func(f figures) float64 { return float64(f.Shuffle.RackLocal) / 1e9 }),
		figure("copies_spent_s", func(f figures) float64 { return f.Copies.SpentS }),
	)
}

// fault tells at which point something went wrong.
func (at *sweepPoint) fault(err error) error {
	return fmt.Errorf("at %s: %w", strings.Join(at.said, " "), err)
}
