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
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// gridFlags are the flags of `tarry sim sweep` and `tarry sim compare`, which sweeps the scheduler.
type gridFlags struct {
	simFlags

	sweep            []string
	schedulers       []string
	repeat, parallel int
	output           string
}

// newSimSweep is the command `tarry sim sweep`.
func newSimSweep(p *program) *cobra.Command {
	var f gridFlags
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			grid, err := f.dimensions(cmd)
			if err != nil {
				return err
			}
			return f.run(cmd, p, grid, printSweep)
		},
	}
	f.registerGrid(cmd)
	f.registerName(cmd, cmd.Flags(), "hfs", "")
	cmd.Flags().StringArrayVar(&f.sweep, "sweep", nil, "a setting and its values, NAME=VALUE,VALUE; may be repeated; "+
		"slashes stand between the parts of a value that is a list")
	return cmd
}

// newSimCompare is the command `tarry sim compare`.
func newSimCompare(p *program) *cobra.Command {
	var f gridFlags
	cmd := &cobra.Command{
		Use:   "compare --schedulers fifo,fair,hfs --repeat 10",
		Short: "Simulate several schedulers on the same workloads and seeds, side by side",
		Long: `Simulate several schedulers on the same workloads and seeds, in parallel, and print each figure with
its 95 % confidence interval, and the paired difference from the first scheduler: both met the same
jobs, blocks and task times.

A scheduler may carry its own reduce placement, --schedulers hfs+any,hfs+cogrs, or be a policy file,
--schedulers hfs,mine.yaml (tarry config policy shows all that may stand in one). Every setting in
which the schedulers differ is printed, with a warning if there is more than one: presets differ in
several, --wait and --set set one for all.`,
		Args: arguments(0, 0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			grid := []dimension{{name: "scheduler", values: f.schedulers}}
			if len(f.schedulers) == 0 {
				return usageError("--schedulers needs at least one name")
			}
			if err := grid[0].checkTwice("--schedulers"); err != nil {
				return err
			}
			return f.run(cmd, p, grid, printComparison)
		},
	}
	f.registerGrid(cmd)
	cmd.Flags().StringSliceVar(&f.schedulers, "schedulers", []string{"fifo", "fair", "hfs"},
		"schedulers or policy files, the first is what the others are compared with")
	complete(cmd, "schedulers", scheduling.Presets()...)
	return cmd
}

// registerGrid adds the flags that both have.
func (f *gridFlags) registerGrid(cmd *cobra.Command) {
	f.register(cmd)
	s := cmd.Flags()
	number(s, &f.repeat, "repeat", 1, span(1, 10_000), "number of runs, with seeds from --seed on")
	number(s, &f.parallel, "parallel", 0, span(1, 10_000), "runs at a time (default: one for each processor)")
	s.StringVarP(&f.output, "output", "o", "", "directory for runs.csv, the figures of each run")
	_ = cmd.MarkFlagDirname("output") // an error: no such flag
}

// dimension is what a grid varies, with its values.
type dimension struct {
	name   string
	values []string
	field  *policyfile.Field // of a policy; nil: a flag
}

// checkTwice refuses a value that stands twice.
func (d *dimension) checkTwice(flag string) error {
	for i, v := range d.values {
		if slices.Contains(d.values[:i], v) {
			return usageError("%s: %s twice", flag, words.Shown(v))
		}
	}
	return nil
}

func names(grid []dimension) (list []string) {
	for _, d := range grid {
		list = append(list, d.name)
	}
	return list
}

// mostRuns is how many runs a sweep may have, and fixed are flags that no sweep varies.
const (
	mostRuns = 100_000
	fixed    = "sweep parallel output seed repeat json quiet set help"
)

// dimensions reads --sweep.
func (f *gridFlags) dimensions(cmd *cobra.Command) (grid []dimension, err error) {
	if len(f.sweep) == 0 {
		return nil, usageError("what varies? --sweep NAME=VALUE,VALUE is needed")
	}
	runs := f.repeat
	for _, text := range f.sweep {
		name, values, found := strings.Cut(text, "=")
		d := dimension{name: name, values: strings.Split(values, ",")}
		switch {
		case !found || name == "":
			return nil, usageError("--sweep %s: want NAME=VALUE,VALUE,…", words.Shown(text))
		case slices.Contains(d.values, ""):
			return nil, usageError("--sweep %s: an empty value", words.Shown(text))
		case slices.Contains(names(grid), name):
			return nil, usageError("--sweep: %s twice", words.Shown(name))
		}
		if runs *= len(d.values); runs > mostRuns {
			return nil, usageError("--sweep: more than %d runs", mostRuns)
		}
		field, bad := policyfile.Find(name)
		switch known := cmd.Flag(name) != nil; {
		case bad == nil && (field.Key == name || !known) && field.IsList():
			return nil, usageError("--sweep %s: a list of what has names varies from policy file to policy file: sweep scheduler", name)
		case bad == nil && (field.Key == name || !known):
			d.field = field
		case slices.Contains(strings.Fields(fixed), name):
			return nil, usageError("--sweep %s: no sweep varies it", name)
		case !known:
			return nil, usageError("--sweep %s: %s, and no flag of tarry sim", words.Shown(name), badPolicy(bad))
		}
		if err := d.checkTwice("--sweep " + name); err != nil {
			return nil, err
		}
		grid = append(grid, d)
	}
	return grid, nil
}

// gridPoint is a point of a grid: a command line of its own.
type gridPoint struct {
	values  []string // of the dimensions
	said    string   // NAME=VALUE and so on
	flags   gridFlags
	config  simulator.Config
	loads   []func() (*workload.Workload, error) // by seed; points may share them
	figures [][]float64                          // of each run, in the order of simFigures
}

// changesLoad reports whether a dimension may change the jobs, not only how they are scheduled.
func changesLoad(d dimension) bool { return d.field == nil && d.name != "scheduler" }

// makeLoads has the workload of each seed read or drawn once, when it is needed.
func (at *gridPoint) makeLoads(p *program, repeat int) {
	at.loads = nil
	for turn := range repeat {
		cfg := at.config
		cfg.Seed += uint64(turn)
		at.loads = append(at.loads, sync.OnceValues(func() (*workload.Workload, error) {
			return at.flags.paced(p, cfg, at.flags.quiet || turn > 0)
		}))
	}
}

// fault tells at which point something went wrong.
func (at *gridPoint) fault(err error) error { return fmt.Errorf("at %s: %w", at.said, err) }

// run simulates all points and has print show what came of them.
func (f *gridFlags) run(
	cmd *cobra.Command, p *program, grid []dimension, print func(*gridFlags, *program, []dimension, []*gridPoint) error,
) error {
	points := []*gridPoint{{}}
	for _, d := range grid {
		var longer []*gridPoint
		for _, at := range points { // the last dimension runs fastest
			for _, v := range d.values {
				said := strings.TrimSpace(at.said + " " + d.name + "=" + v)
				longer = append(longer, &gridPoint{values: append(slices.Clone(at.values), v), said: said})
			}
		}
		points = longer
	}
	var policies []scheduling.Policy
	for i, at := range points { // what is wrong with one of them is told before anything runs
		at.flags.quiet = i > 0 // the first one tells of the load
		if err := at.make(cmd, p, grid); err != nil {
			return at.fault(err)
		}
		policies = append(policies, at.config.Policy)
		sameName := func(o *gridPoint) bool { return o.values[0] == at.values[0] && f.schedulers != nil }
		if isPolicyFile(at.values[0]) && f.schedulers != nil {
			at.values[0] = at.config.Policy.Name
		}
		if slices.ContainsFunc(points[:i], sameName) {
			return usageError("--schedulers: two are called %s; key name of a policy file gives another", words.Shown(at.values[0]))
		}
	}
	if err := points[0].flags.unheeded(policies...); err != nil {
		return err
	}
	for i, at := range points {
		if at.loads = points[0].loads; i == 0 || slices.ContainsFunc(grid, changesLoad) {
			at.makeLoads(p, f.repeat)
		}
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
	return print(f, p, grid, points)
}

// make makes the configuration of a point: that of the command line with the values of the point.
func (at *gridPoint) make(cmd *cobra.Command, p *program, grid []dimension) error {
	f := &at.flags
	told := f.quiet
	line := newSimSweep(p)
	line.ResetFlags()
	f.registerGrid(line)
	f.registerName(line, line.Flags(), "hfs", "")
	line.Flags().StringArrayVar(&f.sweep, "sweep", nil, "")
	line.Flags().StringSliceVar(&f.schedulers, "schedulers", nil, "")
	_, rest, err := cmd.Root().Find(p.args)
	if err == nil {
		err = line.ParseFlags(rest)
	}
	if err != nil {
		return err
	}
	for i, d := range grid {
		if d.field != nil {
			continue
		}
		if err := line.Flags().Set(d.name, at.values[i]); err != nil {
			return flagError(line, err, "")
		}
	}
	if err := firstError(p.flagsFromEnv(line), checkFlags(line), f.begin(p, line)); err != nil {
		return err
	}
	for i, d := range grid {
		if d.field != nil {
			f.assigned = append(f.assigned, assignment{"--sweep " + d.name, d.field, at.values[i]})
		}
	}
	at.config, err = f.config(f.scheduler)
	f.quiet = f.quiet || told
	return err
}

// simulate runs each point with each seed, so many at a time.
func (f *gridFlags) simulate(ctx context.Context, p *program, points []*gridPoint) error {
	began := time.Now()
	far := progress.NewRuns(len(points) * f.repeat)
	if !f.quiet {
		defer p.display.Show(far.Line)()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	free := make(chan struct{}, cmp.Or(f.parallel, runtime.GOMAXPROCS(0)))
	for i, at := range points {
		at.figures = make([][]float64, f.repeat)
		for turn := range f.repeat {
			free <- struct{}{}
			all.Go(func() {
				defer func() { <-free }()
				if err := at.one(ctx, p, turn); err != nil {
					cancel(at.fault(err))
				}
				far.Tell(i*f.repeat+turn, 0, 1, 1)
			})
		}
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !f.quiet {
		fmt.Fprintf(p.stderr, "%s at %s in %v\n", words.Count(len(points)*f.repeat, "run"), words.Count(len(points), "point"),
			time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// one simulates the point with one of its seeds.
func (at *gridPoint) one(ctx context.Context, p *program, turn int) error {
	if ctx.Err() != nil {
		return nil
	}
	cfg := at.config
	cfg.Seed += uint64(turn)
	load, err := at.loads[turn]()
	if err != nil {
		return err
	}
	res, err := simulator.Run(ctx, cfg, load)
	if err != nil {
		return err
	}
	for _, f := range simFigures() {
		at.figures[turn] = append(at.figures[turn], f.of(&res.Report.Figures))
	}
	return nil
}

// over estimates a figure over the seeds, or its paired difference from another point.
func (at *gridPoint) over(figure int, from *gridPoint) shownEstimate {
	var values []float64
	for turn, run := range at.figures {
		x := run[figure]
		if from != nil {
			x -= from.figures[turn][figure]
		}
		values = append(values, x)
	}
	e := shownEstimate{Mean: statistics.Mean(values)}
	if half := statistics.Half(values); !math.IsNaN(half) && len(values) > 1 {
		e.Half = &half
	}
	return e
}

// shownEstimate is an estimate as JSON; one run has no confidence interval.
type shownEstimate struct {
	Mean float64  `json:"mean"`
	Half *float64 `json:"ci95"`
}

// String is the estimate for people.
func (e shownEstimate) String() string {
	if e.Half != nil {
		return simulator.Estimate{Mean: e.Mean, Half: *e.Half}.String()
	}
	text, _, _ := strings.Cut(simulator.Estimate{Mean: e.Mean}.String(), " ± ")
	return text
}

// writeRuns writes a line for each run as CSV.
func (f *gridFlags) writeRuns(w io.Writer, grid []dimension, points []*gridPoint) error {
	out := csv.NewWriter(w)
	head := append(names(grid), "seed")
	for _, f := range simFigures() {
		head = append(head, f.name)
	}
	_ = out.Write(head) // Error tells
	for _, at := range points {
		for turn, figures := range at.figures {
			row := append(slices.Clone(at.values), strconv.FormatUint(f.simulated.Seed+uint64(turn), 10))
			for _, x := range figures {
				row = append(row, strconv.FormatFloat(x, 'g', 10, 64))
			}
			_ = out.Write(row)
		}
	}
	out.Flush()
	return out.Error()
}

// gridSummary is a point as --json prints it.
type gridSummary struct {
	Settings   map[string]string        `json:"settings"`
	Runs       int                      `json:"runs"`
	Figures    map[string]shownEstimate `json:"figures"`
	Difference map[string]shownEstimate `json:"difference_from_first"` // paired
}

func summaries(grid []dimension, points []*gridPoint) (list []gridSummary) {
	for _, at := range points {
		s := gridSummary{map[string]string{}, len(at.figures), map[string]shownEstimate{}, map[string]shownEstimate{}}
		for i, d := range grid {
			s.Settings[d.name] = at.values[i]
		}
		for i, f := range simFigures() {
			s.Figures[f.name], s.Difference[f.name] = at.over(i, nil), at.over(i, points[0])
		}
		list = append(list, s)
	}
	return list
}
