package cli

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// gridFlags are the flags of `tarry sim sweep` and `tarry sim compare`. compare sweeps schedulers.
type gridFlags struct {
	simFlags

	sweep  []string
	repeat int
}

func (f *gridFlags) registerRepeat(c *command) {
	number(c.Flags(), &f.repeat, "repeat", 1, span(1, 10_000), "run each point `N` times, with seeds from --seed upward")
}

func simSweepCommand(c *command) {
	c.Use, c.Short = "sweep --sweep NAME=VALUE,VALUE,...", "Simulate every point of a grid of settings, with several seeds"
	c.Long = `Simulate every point of a grid of settings, with several seeds, in parallel on all processors. A
setting is one of tarry config policy, such as theta, or a flag of tarry sim, such as nodes. Several
--sweep span a grid.

  tarry sim sweep --workload hfsp-fb --sweep theta=0,.05,.1 --sweep nodes=50,100 --repeat 5
  tarry sim sweep --workload facebook-io --sweep scheduler=fifo,fair,hfs --repeat 10 --json

Standard output gets a line for each point: means with their 95 % intervals over the seeds. --json
prints every figure, also of each run.`
	var f gridFlags
	c.RunE = func(*cobra.Command, []string) error {
		grid, err := f.dimensions(c.Command)
		if err != nil {
			return err
		}
		return f.run(c, grid, printSweep)
	}
	f.register(c.Command)
	f.registerName(c.Command, c.Flags(), "hfs", "")
	f.registerRepeat(c)
	c.Flags().StringArrayVar(&f.sweep, "sweep", nil, "vary a setting: `NAME=VALUE,VALUE`; may be repeated; "+
		"slashes separate the parts of a value that is a list")
}

func simCompareCommand(c *command) {
	c.Use, c.Short = "compare --schedulers fifo,fair,hfs --repeat 10", "Simulate several schedulers on the same workloads and seeds, side by side"
	c.Long = `Simulate several schedulers on the same workloads and seeds, in parallel. Print each figure with its
95 % confidence interval, and the paired difference from the first scheduler: both had the same
jobs, blocks and task times. Print every setting in which the schedulers differ, too.

A scheduler may have its own placement of reduces, --schedulers hfs+any,hfs+cogrs, or be a policy
file, --schedulers hfs,mine.yaml; tarry config policy shows the settings of such a file. --wait and
--set apply to all schedulers.`
	var f gridFlags
	var schedulers []string
	c.RunE = func(*cobra.Command, []string) error {
		if len(schedulers) == 0 {
			return usageError("--schedulers needs at least one name")
		}
		return f.run(c, []dimension{{name: "scheduler", values: schedulers}}, printComparison)
	}
	f.register(c.Command)
	f.registerRepeat(c)
	c.Flags().StringSliceVar(&schedulers, "schedulers", []string{"fifo", "fair", "hfs"},
		"simulate these schedulers or policy files, and compare all with the first")
	complete(c.Command, "schedulers", scheduling.Presets()...)
}

// dimension is one setting that a grid varies, with all values that it takes.
type dimension struct {
	name   string
	values []string
	field  *policyfile.Field // the setting of a policy; nil if name is a flag
}

func names(grid []dimension) (list []string) {
	for _, d := range grid {
		list = append(list, d.name)
	}
	return list
}

// maxRuns limits the runs of a sweep; fixed lists the flags that no sweep can vary.
const (
	maxRuns = 100_000
	fixed   = "sweep seed repeat json quiet set help"
)

// dimensions parses --sweep. It rejects names that no sweep can vary, and grids of too many runs.
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
		if runs *= len(d.values); runs > maxRuns {
			return nil, usageError("--sweep: more than %d runs", maxRuns)
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
		grid = append(grid, d)
	}
	return grid, nil
}

// gridPoint is a point of a grid: one value for each dimension.
type gridPoint struct {
	values  []string // of the dimensions
	said    string   // values as text: NAME=VALUE NAME=VALUE
	flags   gridFlags
	config  simulator.Config
	loads   []func() (*workload.Workload, error) // by seed, drawn once; points may share them
	figures [][]figure                           // of each run, by seed
}

// fault returns an error that names the point.
func (at *gridPoint) fault(err error) error { return fmt.Errorf("at %s: %w", at.said, err) }

// run simulates all points of the grid and prints them by print, or as JSON. If any point has wrong
// settings, run returns the error before the first simulation.
func (f *gridFlags) run(c *command, grid []dimension, print func(io.Writer, []dimension, []*gridPoint)) error {
	points := []*gridPoint{{}}
	for _, d := range grid {
		var longer []*gridPoint
		for _, at := range points { // the last dimension varies fastest
			for i, v := range d.values {
				if slices.Contains(d.values[:i], v) {
					return usageError("%s: %s twice", d.name, words.Shown(v))
				}
				said := strings.TrimSpace(at.said + " " + d.name + "=" + v)
				longer = append(longer, &gridPoint{values: append(slices.Clone(at.values), v), said: said})
			}
		}
		points = longer
	}
	var policies []scheduling.Policy
	for i, at := range points {
		if err := at.make(c, f, grid); err != nil {
			return at.fault(err)
		}
		policies = append(policies, at.config.Policy)
		at.flags.quiet = f.quiet || i > 0 // the first point reports the load
		changesLoad := func(d dimension) bool { return d.field == nil && d.name != "scheduler" }
		if at.loads = points[0].loads; i == 0 || slices.ContainsFunc(grid, changesLoad) {
			at.makeLoads(c.program)
		}
	}
	if err := points[0].flags.unheeded(policies...); err != nil {
		return err
	}
	if err := f.simulate(c.Context(), c.program, points); err != nil {
		return err
	}
	return show(c.program, f.json, summaries(grid, points), func(out io.Writer) { print(out, grid, points) })
}

// make sets the flags of a point to its values, and derives the configuration of the simulation.
func (at *gridPoint) make(c *command, f *gridFlags, grid []dimension) error {
	for i, d := range grid {
		if d.field == nil && c.Flag(d.name) != nil {
			if err := c.Flags().Set(d.name, at.values[i]); err != nil {
				return flagError(c.Command, err, "")
			}
		}
	}
	if err := firstError(checkFlags(c.Command), f.begin(c)); err != nil {
		return err
	}
	for i, d := range grid {
		if d.name == "scheduler" {
			f.scheduler = at.values[i]
		} else if d.field != nil {
			f.assigned = append(f.assigned, assignment{"--sweep " + d.name, d.field, at.values[i]})
		}
	}
	at.flags = *f
	var err error
	at.config, err = f.config(f.scheduler)
	return err
}

// makeLoads sets loads: one function per seed, which reads or draws the workload at its first call.
func (at *gridPoint) makeLoads(p *program) {
	at.loads = nil
	for turn := range at.flags.repeat {
		cfg := at.config
		cfg.Seed += uint64(turn)
		at.loads = append(at.loads, sync.OnceValues(func() (*workload.Workload, error) {
			return at.flags.paced(p, cfg, at.flags.quiet || turn > 0)
		}))
	}
}

// simulate runs each point once per seed, in parallel on all processors, and sets the figures.
func (f *gridFlags) simulate(ctx context.Context, p *program, points []*gridPoint) error {
	began, runs, ended := time.Now(), len(points)*f.repeat, atomic.Int64{}
	if !f.quiet {
		defer p.display.Show(func() string {
			n := ended.Load()
			return progress.Part("simulated", float64(n)/float64(runs), fmt.Sprintf("%d of %s", n, words.Count(runs, "run")))
		})()
	}
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	for _, at := range points {
		at.figures = make([][]figure, f.repeat)
		for turn := range f.repeat {
			all.Go(func() error {
				defer ended.Add(1)
				cfg, err := at.config, context.Cause(ctx)
				cfg.Seed += uint64(turn)
				var load *workload.Workload
				if err == nil {
					load, err = at.loads[turn]()
				}
				var res *simulator.Result
				if err == nil {
					res, err = simulator.Run(ctx, cfg, load)
				}
				if err != nil {
					return at.fault(err)
				}
				at.figures[turn] = figuresOf(&res.Report.Figures)
				return nil
			})
		}
	}
	if err := all.Wait(); err != nil {
		return err
	}
	if !f.quiet {
		fmt.Fprintf(p.stderr, "%s at %s in %v\n", words.Count(runs, "run"), words.Count(len(points), "point"),
			time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// over returns a figure's mean over the seeds, or the mean of its differences from the point from.
func (at *gridPoint) over(figure int, from *gridPoint) gridEstimate {
	var runs []float64
	for turn, run := range at.figures {
		x := run[figure].value
		if from != nil {
			x -= from.figures[turn][figure].value
		}
		runs = append(runs, x)
	}
	return gridEstimate{simulator.EstimateOf(runs), runs}
}

// gridEstimate is a figure's mean and interval over the seeds, with the value of each run.
type gridEstimate struct {
	simulator.Estimate
	Runs []float64 `json:"runs"`
}
