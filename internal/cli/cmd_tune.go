package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/replay"
	"github.com/tarry-mr/tarry/scheduling/simulator/tune"
)

// tuneFlags are the flags of `tarry tune`.
type tuneFlags struct {
	simFlags
	goal   string
	fresh  int
	within numbers.Part
	output string
}

// newTune is the command `tarry tune`.
func newTune(p *program) *cobra.Command {
	var f tuneFlags
	cmd := &cobra.Command{
		Use:   "tune EVENTS | --workload FILE|NAME --goal mean-sojourn|p95|locality|off-rack",
		Short: "Look for settings of a scheduler that serve a goal better",
		Long: `Look for settings that serve a goal better than the scheduler's, on workloads like a recorded run
(EVENTS, as of --events) or on those of --workload or --trace: how long maps wait for locality,
where reduces go and from what threshold on, slow start, copies of slow tasks, weights of pools.

  tarry tune run.jsonl --goal mean-sojourn
  tarry tune --workload facebook-mixed --nodes 40 --racks 4 --goal p95 --policy-out better.yaml

Knob after knob, all choices are simulated with the same --repeat seeds as the settings so far, and
the best is taken if the 95 % interval of the paired differences says that it is better. Then
--fresh other seeds judge what was found: each change is undone alone, and one whose worth is not
sure is left out. If the interval of the whole gain holds 0, nothing is to be changed.
docs/whatif.md has more.`,
		Args:              arguments(0, 1, "one file of events, or --workload or --trace"),
		ValidArgsFunction: filesNamed("jsonl", "zst"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.begin(p, cmd); err != nil {
				return err
			}
			return f.run(cmd, p, args)
		},
	}
	f.register(cmd)
	f.registerName(cmd.Flags())
	s := cmd.Flags()
	f.within = 0.05
	s.StringVar(&f.goal, "goal", string(tune.MeanSojourn), "what is to be less: "+goalNames())
	s.IntVar(&f.fresh, "fresh", 10, "seeds that judge what the search has found, behind those of --repeat")
	s.Var(&f.within, "within", "by what part the mean sojourn may rise for another goal")
	s.StringVar(&f.output, "policy-out", "", "policy file (YAML) to write with the settings found")
	repeat := s.Lookup("repeat")
	f.repeat, repeat.DefValue, repeat.Usage = 5, "5", "seeds that the search compares choices with, from --seed on"
	s.Lookup("json").Usage = "print one JSON object"
	f.complete(cmd)
	return cmd
}

func goalNames() string {
	var names []string
	for _, g := range tune.Goals() {
		names = append(names, string(g))
	}
	return strings.Join(names, ", ")
}

// run tunes and prints.
func (f *tuneFlags) run(cmd *cobra.Command, p *program, args []string) error {
	goal := tune.Goal(f.goal)
	if !slices.Contains(tune.Goals(), goal) {
		return usageError("--goal %s: want %s", words.Shown(f.goal), goalNames())
	}
	if f.repeat < 2 || f.repeat > 1000 || f.fresh < 2 || f.fresh > 1000 {
		return usageError("--repeat %d --fresh %d: an interval needs 2 seeds at least, and 1000 are enough", f.repeat, f.fresh)
	}
	problem, err := f.problem(cmd, p, args)
	if err != nil {
		return err
	}
	problem.Goal, problem.Seeds, problem.Fresh, problem.Seed, problem.Within = goal, f.repeat, f.fresh, f.seed, float64(f.within)
	if !f.quiet {
		problem.Told = func(text string) { fmt.Fprintln(p.stderr, text) }
	}
	if f.output != "" {
		if err := distinctFiles([]namedFile{{"--policy-out", f.output}}, append(slices.Clone(args), f.load0, f.policyFile)); err != nil {
			return err
		}
	}
	found, err := tune.Search(cmd.Context(), problem)
	if err != nil {
		return err
	}
	if f.output != "" {
		if err := writePolicy(f.output, cmp.Or(presetOf(&found.Policy), f.scheduler), &found.Policy); err != nil {
			return err
		}
	}
	if f.json {
		return json.NewEncoder(p.stdout).Encode(found)
	}
	return printTuned(p, found, &problem.Start)
}

// problem is what is tuned: a recording, or a workload.
func (f *tuneFlags) problem(cmd *cobra.Command, p *program, args []string) (tune.Problem, error) {
	if len(args) == 0 {
		return f.workloadProblem(cmd, p)
	}
	if err := f.onlyRecorded(cmd); err != nil {
		return tune.Problem{}, err
	}
	rec, err := p.readRecording(args[0])
	if err != nil {
		return tune.Problem{}, err
	}
	if !f.quiet {
		for _, text := range rec.Warnings {
			fmt.Fprintf(p.stderr, "tarry: warning: %s: %s\n", args[0], text)
		}
	}
	start, err := f.start(cmd, rec)
	if err != nil {
		return tune.Problem{}, err
	}
	nodes, _ := rec.Cluster()
	return tune.Problem{
		Start: start, Knobs: tune.Knobs(&start, rec.UsualMap(), nodes, mostPools(rec.Pools())),
		Run: func(ctx context.Context, policy scheduling.Policy, seed uint64) (tune.Figures, error) {
			got, err := rec.RunLike(ctx, policy, seed)
			if err != nil {
				return tune.Figures{}, err
			}
			return tunedFigures(&got.Again), nil
		},
	}, nil
}

// mostPools keeps the number of knobs in hand.
func mostPools(names []string) []string { return names[:min(len(names), 4)] }

func tunedFigures(f *replay.Figures) tune.Figures {
	return tune.Figures{Mean: f.Mean, P95: f.P95, NotLocal: 1 - f.NodeLocal, OffRackGB: f.OffRackGB}
}

// start is the policy that a recording is tuned from.
func (f *tuneFlags) start(cmd *cobra.Command, rec *replay.Recording) (policy scheduling.Policy, err error) {
	if f.given("scheduler") || f.files.policy != nil {
		policy, err = f.policy(f.scheduler)
	} else {
		policy, err = f.changed(rec.Policy)
	}
	if err != nil {
		return policy, err
	}
	if err := policy.Validate(); err != nil {
		return policy, configError("%w", err)
	}
	return policy, firstError(f.idleSets(policy), combine(cmd, cmd, policy).check(), f.files.unused(policy.Name, false))
}

// onlyRecorded refuses flags that say what a recording says.
func (f *tuneFlags) onlyRecorded(cmd *cobra.Command) (err error) {
	heeded := pflag.NewFlagSet("", pflag.ContinueOnError)
	var own schedulerFlags
	own.register(heeded, "")
	own.registerName(heeded)
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		known := heeded.Lookup(flag.Name) != nil || strings.Contains(" goal fresh within policy-out repeat seed json quiet ", " "+flag.Name+" ")
		if !known && err == nil && !isFromEnv(flag) {
			err = usageError("--%s has no effect with a file of events", flag.Name)
		}
	})
	return err
}

// workloadProblem is a workload as tarry sim has it, drawn anew with each seed.
func (f *tuneFlags) workloadProblem(cmd *cobra.Command, p *program) (tune.Problem, error) {
	policy, err := f.policy(f.scheduler)
	if err == nil {
		err = firstError(f.idleSets(policy), combine(cmd, cmd, policy).check(), f.files.unused(f.scheduler, false))
	}
	if err != nil {
		return tune.Problem{}, err
	}
	cfg, err := f.config(policy)
	if err != nil {
		return tune.Problem{}, err
	}
	first, err := f.paced(p, cfg, f.seed)
	if err != nil {
		return tune.Problem{}, err
	}
	var pools []string
	usual := simulator.UsualMap(cfg, first)
	for i := range first.Jobs {
		if name := first.Jobs[i].Pool; name != "" && !slices.Contains(pools, name) {
			pools = append(pools, name)
		}
	}
	return tune.Problem{
		Start: policy, Knobs: tune.Knobs(&policy, usual, f.nodes, mostPools(pools)),
		Run: func(ctx context.Context, policy scheduling.Policy, seed uint64) (tune.Figures, error) {
			one := cfg
			one.Policy, one.Seed = policy, seed
			w, err := f.paced(p, one, seed)
			if err != nil {
				return tune.Figures{}, err
			}
			res, err := simulator.Run(ctx, one, w)
			if err != nil {
				return tune.Figures{}, err
			}
			r := &res.Report
			return tune.Figures{
				Mean: r.Sojourn.Mean, P95: r.Sojourn.P95, NotLocal: 1 - r.Maps.Share(scheduling.NodeLocal), OffRackGB: float64(r.Shuffle.OffRack) / 1e9,
			}, nil
		},
	}, nil
}

// presetOf is the preset that a policy is nearest to: one of its order.
func presetOf(p *scheduling.Policy) string {
	for _, name := range scheduling.Presets() {
		if name == p.Name {
			return name
		}
	}
	for _, name := range scheduling.Presets() {
		if preset, err := scheduling.Preset(name); err == nil && preset.Order == p.Order {
			return name
		}
	}
	return ""
}

// writePolicy writes a policy file.
func writePolicy(name, preset string, p *scheduling.Policy) error {
	file, err := os.Create(name)
	if err != nil {
		return outputError(name, err)
	}
	return outputError(name, firstError(policyfile.Write(file, preset, p), file.Close()))
}

// printTuned says what to change, what it gains, and what is not sure.
func printTuned(p *program, found *tune.Found, start *scheduling.Policy) error {
	out := bufio.NewWriter(p.stdout)
	unit := map[tune.Goal]string{tune.Locality: " of the maps", tune.OffRack: " GB"}
	in := func(e tune.Estimate) string {
		if found.Goal == tune.Locality {
			return fmt.Sprintf("%+.2f ± %.2f points%s", 100*e.Mean, 100*e.Half, unit[found.Goal])
		}
		return fmt.Sprintf("%+.4g ± %.2g%s", e.Mean, e.Half, cmp.Or(unit[found.Goal], " s"))
	}
	fmt.Fprintf(out, "goal %s from %s, judged by %d fresh seeds, %d simulations in all\n\n", found.Goal, start.Name, found.Seeds, found.Runs)
	for _, c := range found.Changes {
		fmt.Fprintf(out, "change %s: %s\n  undoing it alone costs %s\n", c.Knob, c.Set, in(tune.Estimate{Mean: -c.Worth.Mean, Half: c.Worth.Half}))
	}
	for _, c := range found.Unsure {
		fmt.Fprintf(out, "not sure of %s: %s\n  it changes %s: its 95 %% interval holds 0, or the whole does\n", c.Knob, c.Set, in(c.Worth))
	}
	if len(found.Changes) == 0 {
		fmt.Fprintln(out, "change nothing: no setting that was tried is better for sure")
		return out.Flush()
	}
	fmt.Fprintf(out, "all changes together: %s\n\n", in(found.Gain))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "figure\tstart\tchanged\t")
	for _, g := range tune.Goals() {
		fmt.Fprintf(t, "%s\t%.4g\t%.4g\t\n", g, g.Of(&found.Start), g.Of(&found.Changed))
	}
	return firstError(t.Flush(), out.Flush())
}
