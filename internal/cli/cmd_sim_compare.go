package cli

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// newSimCompare is the command `tarry sim compare`.
func newSimCompare(p *program) *cobra.Command {
	var f simFlags
	var schedulers []string
	cmd := &cobra.Command{
		Use:   "compare --schedulers fifo,fair,hfs --repeat 10",
		Short: "Simulate several schedulers on the same workloads and seeds, side by side",
		Long: `Simulate several schedulers on the same workloads and seeds, in parallel, and print each figure with
its 95 % confidence interval, and the paired difference from the first scheduler: both met the same
jobs, blocks and task times.

A scheduler may carry its own reduce placement, --schedulers hfs+any,hfs+cogrs, or be a policy file,
--schedulers hfs,mine.yaml (tarry config policy shows all that may stand in one). Every setting in
which the schedulers differ is printed, with a warning if there is more than one: presets differ in
several, --wait, --skips, --slow-start and the like set one for all.`,
		Args: arguments(0, 0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.begin(p, cmd); err != nil {
				return err
			}
			return f.compare(cmd, p, schedulers)
		},
	}
	f.register(cmd)
	f.registerCSV(cmd.Flags())
	cmd.Flags().StringSliceVar(&schedulers, "schedulers", []string{"fifo", "fair", "hfs"},
		"schedulers or policy files, the first is what the others are compared with")
	f.complete(cmd)
	return cmd
}

// compare runs the contenders side by side.
func (f *simFlags) compare(cmd *cobra.Command, p *program, names []string) error {
	list, err := f.contenders(names)
	if err != nil {
		return err
	}
	var policies []scheduling.Policy
	for _, c := range list {
		policies = append(policies, c.Policy)
	}
	p.warnIdle(policies...)
	cfg, err := f.config(policies[0])
	if err == nil {
		err = firstError(f.idleSets(policies...), f.files.unused(strings.Join(names, ", "), false))
	}
	if err == nil {
		err = f.makeCSV()
	}
	if err != nil {
		return err
	}
	began := time.Now()
	out, err := f.contest(cmd.Context(), p, cfg, list)
	if err != nil {
		return err
	}
	took := time.Since(began)
	differ := differing(policies)
	if !f.quiet {
		p.warnSettings(differ)
	}
	var sum simulator.Stats
	for _, c := range out {
		for turn, res := range c.Results {
			sum.Events, sum.Decisions = sum.Events+res.Stats.Events, sum.Decisions+res.Stats.Decisions
			if err := f.writeCSV(f.seedDir(filepath.Join(f.csv, c.Name), turn), res); err != nil {
				return err
			}
		}
	}
	if !f.quiet {
		p.simTook(words.Count(len(out)*max(1, f.repeat), "run"), took, sum)
	}
	if f.json {
		return printComparisonJSON(p, out, differ)
	}
	return firstError(printComparison(p.stdout, out), printSettings(p.stdout, names, differ))
}

// contenders are the schedulers of these names.
func (f *simFlags) contenders(names []string) ([]simulator.Contender, error) {
	if len(names) == 0 {
		return nil, usageError("--schedulers needs at least one name")
	}
	var list []simulator.Contender
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, usageError("--schedulers names %s twice", words.Shown(name))
		}
		policy, err := f.policy(name)
		if err != nil {
			return nil, err
		}
		if isPolicyFile(name) {
			name = policy.Name
			if slices.ContainsFunc(list, func(c simulator.Contender) bool { return c.Name == name }) {
				return nil, usageError("--schedulers: two are called %s; key name of a policy file gives another", words.Shown(name))
			}
		}
		list = append(list, simulator.Contender{Name: name, Policy: policy})
	}
	return list, nil
}

// contest runs the comparison with its progress.
func (f *simFlags) contest(
	ctx context.Context, p *program, cfg simulator.Config, list []simulator.Contender,
) ([]simulator.Contest, error) {
	repeat := max(1, f.repeat)
	far, jobs := progress.NewRuns(len(list)*repeat), make([]int, repeat)
	for i := range list {
		list[i].Progress = func(turn int, now time.Duration, done int) { far.Tell(i*repeat+turn, now, done, jobs[turn]) }
	}
	if !f.quiet {
		defer p.display.Show([]string{"simulated"}, far.State)()
	}
	return simulator.Compare(ctx, cfg, list, f.repeat, func(seed uint64) (*workload.Workload, error) {
		w, err := f.paced(p, cfg, seed)
		if err == nil {
			jobs[seed-f.seed] = len(w.Jobs) // before its runs begin
		}
		return w, err
	})
}

// simFigure is a figure that a comparison shows.
type simFigure struct {
	name string
	of   func(*simulator.Result) float64
}

func figure(name string, of func(*simulator.Figures) float64) simFigure {
	return simFigure{name, func(r *simulator.Result) float64 { return of(&r.Report.Figures) }}
}

// simFigures lists those of a comparison.
func simFigures() []simFigure {
	type figures = *simulator.Figures
	return []simFigure{
		figure("sojourn_mean_s", func(f figures) float64 { return f.Sojourn.Mean }),
		figure("sojourn_median_s", func(f figures) float64 { return f.Sojourn.Median }),
		figure("sojourn_p95_s", func(f figures) float64 { return f.Sojourn.P95 }),
		figure("makespan_s", func(f figures) float64 { return f.MakespanS }),
		figure("node_local_share", func(f figures) float64 { return f.Maps.Share(scheduling.NodeLocal) }),
		figure("rack_local_share", func(f figures) float64 {
			// those alone, as rack_local of a run
			return f.Maps.Share(scheduling.RackLocal) - f.Maps.Share(scheduling.NodeLocal)
		}),
		figure("off_rack_shuffle_gb", func(f figures) float64 { return float64(f.Shuffle.OffRack) / 1e9 }),
		figure("fairness_jain", func(f figures) float64 { return f.FairnessJain }),
		figure("map_utilisation", func(f figures) float64 { return f.Utilization.Map }),
		figure("reduce_utilisation", func(f figures) float64 { return f.Utilization.Reduce }),
		figure("killed", func(f figures) float64 { return float64(f.Preempted.Killed) }),
		figure("suspended", func(f figures) float64 { return float64(f.Preempted.Suspended) }),
		figure("lost_s", func(f figures) float64 { return f.Preempted.LostS }),
		figure("copies", func(f figures) float64 { return float64(f.Copies.Launched) }),
		figure("copies_won", func(f figures) float64 { return float64(f.Copies.Won) }),
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

// printComparison prints the contenders side by side, and each one's paired difference from the
// first.
func printComparison(out io.Writer, list []simulator.Contest) error {
	head := []string{"figure", list[0].Name}
	for _, c := range list[1:] {
		head = append(head, c.Name, "- "+list[0].Name)
	}
	lines := [][]string{head}
	for _, f := range simFigures() {
		line := []string{f.name}
		for i := range list {
			runs := len(list[i].Results)
			line = append(line, estimateText(list[i].Over(f.of), runs))
			if i > 0 {
				line = append(line, estimateText(list[i].Minus(&list[0], f.of), runs))
			}
		}
		lines = append(lines, line)
	}
	return figureTable(out, lines)
}

// comparedJSON is a line of `tarry sim compare --json`: a contender's figures, and their paired
// differences from the first.
type comparedJSON struct {
	Scheduler  string                   `json:"scheduler"`
	Repeat     int                      `json:"repeat"`
	Figures    map[string]shownEstimate `json:"figures"`
	Difference map[string]shownEstimate `json:"difference_from_first"`
	// Settings are those in which the contenders differ, as far as this one heeds them.
	Settings map[string]string `json:"settings"`
}

func printComparisonJSON(p *program, list []simulator.Contest, differ []setting) error {
	var lines []comparedJSON
	for i := range list {
		runs := len(list[i].Results)
		line := comparedJSON{
			list[i].Name, runs, map[string]shownEstimate{}, map[string]shownEstimate{}, map[string]string{},
		}
		for _, s := range differ {
			if s.values[i] != "" {
				line.Settings[s.name] = s.values[i]
			}
		}
		for _, f := range simFigures() {
			line.Figures[f.name] = showEstimate(list[i].Over(f.of), runs)
			line.Difference[f.name] = showEstimate(list[i].Minus(&list[0], f.of), runs)
		}
		lines = append(lines, line)
	}
	return printJSON(p, lines)
}
