package cli

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/internal/statistics"
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
func newSimSweep(p *program) *cobra.Command { return new(sweepFlags).command(p) }

// command makes the command that these are the flags of.
func (f *sweepFlags) command(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sweep --sweep NAME=VALUE,VALUE,...",
		Short: "Simulate every point of a grid of settings, with several seeds",
		Long: `Simulate every point of a grid of settings, with several seeds, as many runs at a time as there are
processors. A setting is one of tarry config policy, such as theta, or a flag of tarry sim, such as
nodes; several --sweep give their grid.

  tarry sim sweep --workload hfsp-fb --racks 5 --sweep theta=0,.05,.1 --sweep nodes=50,100 --repeat 5
  tarry sim sweep --workload facebook-io --sweep scheduler=fifo,fair,hfs --repeat 10 -o out/schedulers

Standard output has a line for each point: means with their 95 % intervals over the seeds. With
-o DIR the file runs.csv there has a line for each run with its settings, seed and every figure. The
bytes do not depend on --parallel.`,
		Args: arguments(0, 0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, p) },
	}
	f.simFlags.register(cmd)
	f.registerName(cmd.Flags())
	s := cmd.Flags()
	s.StringArrayVar(&f.grid, "sweep", nil, "a setting and its values, NAME=VALUE,VALUE; may be repeated; "+
		"slashes stand between the parts of a value that is a list")
	number(s, &f.parallel, "parallel", 0, span(1, 10_000), "runs at a time (default: one for each processor)")
	s.StringVarP(&f.output, "output", "o", "", "directory for runs.csv, the figures of each run")
	_ = cmd.MarkFlagDirname("output") // an error: no such flag
	f.complete(cmd)
	return cmd
}

// run simulates all points and prints what came of them.
func (f *sweepFlags) run(cmd *cobra.Command, p *program) error {
	grid, err := f.dimensions(cmd)
	if err != nil {
		return err
	}
	points, err := p.sweepPoints(cmd, grid)
	if err != nil {
		return err
	}
	if f.output != "" {
		if err := os.MkdirAll(f.output, 0o777); err != nil {
			return outputError(filepath.Clean(f.output), err)
		}
	}
	if err := f.simulate(cmd.Context(), p, points); err != nil {
		return err
	}
	if f.output != "" {
		name := filepath.Join(f.output, "runs.csv")
		if err := writeFile(name, os.O_TRUNC, func(w io.Writer) error { return f.writeRuns(w, grid, points) }); err != nil {
			return err
		}
	}
	if f.json {
		return printJSON(p, summaries(grid, points))
	}
	return printSweep(p, grid, points)
}

// mostRuns is how many runs a sweep may have.
const mostRuns = 100_000

// dimensions reads --sweep.
func (f *sweepFlags) dimensions(cmd *cobra.Command) (grid []dimension, err error) {
	if len(f.grid) == 0 {
		return nil, usageError("what varies? --sweep NAME=VALUE,VALUE is needed")
	}
	runs := max(1, f.repeat)
	for _, text := range f.grid {
		name, values, found := strings.Cut(text, "=")
		d := dimension{name: name, values: strings.Split(values, ",")}
		switch twice := slices.Compact(slices.Sorted(slices.Values(d.values))); {
		case !found || name == "":
			return nil, usageError("--sweep %s: want NAME=VALUE,VALUE,…", words.Shown(text))
		case slices.Contains(d.values, ""):
			return nil, usageError("--sweep %s: an empty value", words.Shown(text))
		case len(twice) < len(d.values):
			return nil, usageError("--sweep %s: a value twice", words.Shown(text))
		case slices.ContainsFunc(grid, func(o dimension) bool { return o.name == name }):
			return nil, usageError("--sweep: %s twice", words.Shown(name))
		}
		if runs *= len(d.values); runs > mostRuns {
			return nil, usageError("--sweep: more than %d runs", mostRuns)
		}
		if d.field, err = sweptSetting(cmd, name); err != nil {
			return nil, err
		}
		grid = append(grid, d)
	}
	return grid, nil
}

// simulate runs each point with each seed, so many at a time.
func (f *sweepFlags) simulate(ctx context.Context, p *program, points []*sweepPoint) error {
	began, repeat := time.Now(), max(1, f.repeat)
	far := progress.NewRuns(len(points) * repeat)
	if !f.quiet {
		defer p.display.Show([]string{"runs"}, far.State)()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	free := make(chan struct{}, cmp.Or(f.parallel, runtime.GOMAXPROCS(0)))
	for i, at := range points {
		at.figures = make([][]float64, repeat)
		for turn := range repeat {
			free <- struct{}{}
			all.Go(func() {
				defer func() { <-free }()
				if err := at.one(ctx, p, turn); err != nil {
					cancel(at.fault(err))
				}
				far.End(i*repeat + turn)
			})
		}
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !f.quiet {
		fmt.Fprintf(p.stderr, "%s at %s in %v\n", words.Count(len(points)*repeat, "run"), words.Count(len(points), "point"),
			time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// one simulates the point with one of its seeds.
func (at *sweepPoint) one(ctx context.Context, p *program, turn int) error {
	if ctx.Err() != nil {
		return nil
	}
	cfg := at.config
	cfg.Seed += uint64(turn)
	load, err := at.flags.paced(p, cfg, cfg.Seed)
	if err != nil {
		return err
	}
	res, err := simulator.Run(ctx, cfg, load)
	if err != nil {
		return err
	}
	for _, f := range sweepFigures() {
		at.figures[turn] = append(at.figures[turn], f.of(res))
	}
	return nil
}

// over estimates a figure over the seeds.
func (at *sweepPoint) over(figure int) simulator.Estimate {
	var values []float64
	for _, run := range at.figures {
		values = append(values, run[figure])
	}
	half := statistics.Half(values)
	if math.IsNaN(half) { // of one run
		half = 0
	}
	return simulator.Estimate{Mean: statistics.Mean(values), Half: half}
}

// writeRuns writes a line for each run as CSV.
func (f *sweepFlags) writeRuns(w io.Writer, grid []dimension, points []*sweepPoint) error {
	out := csv.NewWriter(w)
	head := append(names(grid), "seed")
	for _, f := range sweepFigures() {
		head = append(head, f.name)
	}
	_ = out.Write(head) // Error tells
	for _, at := range points {
		for turn, figures := range at.figures {
			row := append(slices.Clone(at.values), strconv.FormatUint(f.seed+uint64(turn), 10))
			for _, x := range figures {
				row = append(row, strconv.FormatFloat(x, 'g', 10, 64))
			}
			_ = out.Write(row)
		}
	}
	out.Flush()
	return out.Error()
}

// sweepSummary is a line of `tarry sim sweep --json`.
type sweepSummary struct {
	Settings map[string]string        `json:"settings"`
	Runs     int                      `json:"runs"`
	Figures  map[string]shownEstimate `json:"figures"`
}

// summaries are the points as JSON.
func summaries(grid []dimension, points []*sweepPoint) (list []sweepSummary) {
	for _, at := range points {
		s := sweepSummary{map[string]string{}, len(at.figures), map[string]shownEstimate{}}
		for i, d := range grid {
			s.Settings[d.name] = at.values[i]
		}
		for i, f := range sweepFigures() {
			s.Figures[f.name] = showEstimate(at.over(i), s.Runs)
		}
		list = append(list, s)
	}
	return list
}

// printSweep prints some of the figures for people, a line for each point.
func printSweep(p *program, grid []dimension, points []*sweepPoint) error {
	shown := []string{"sojourn_mean_s", "sojourn_p95_s", "makespan_s", "node_local_share", "off_rack_shuffle_gb", "fairness_jain"}
	lines := [][]string{append(names(grid), shown...)}
	for _, at := range points {
		line := slices.Clone(at.values)
		for i, f := range sweepFigures() {
			if slices.Contains(shown, f.name) {
				line = append(line, estimateText(at.over(i), len(at.figures)))
			}
		}
		lines = append(lines, line)
	}
	return figureTable(p.stdout, lines)
}

// sweepFigures lists every figure of a run.
func sweepFigures() []simFigure {
	type figures = *simulator.Figures
	return append(simFigures(),
		figure("jobs", func(f figures) float64 { return float64(f.Jobs) }),
		figure("node_local_shuffle_gb", func(f figures) float64 { return float64(f.Shuffle.NodeLocal) / 1e9 }),
		figure("rack_local_shuffle_gb", func(f figures) float64 { return float64(f.Shuffle.RackLocal) / 1e9 }),
		figure("copies_spent_s", func(f figures) float64 { return f.Copies.SpentS }),
	)
}
