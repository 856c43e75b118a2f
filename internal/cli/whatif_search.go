package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator/replay"
	"github.com/tarry-mr/tarry/scheduling/simulator/tune"
)

// searchFlags are the flags of `tarry whatif --search`.
type searchFlags struct {
	on            bool
	goal          string
	repeat, fresh int
	seed          uint64
	within        numbers.Part
	output        string
}

// register adds the flags; all but --search need it.
func (f *searchFlags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	f.within = 0.05
	s.BoolVar(&f.on, "search", false, "look for settings that serve --goal better")
	s.StringVar(&f.goal, "goal", string(tune.MeanSojourn), "with --search, what is to be less: "+goalNames())
	number(s, &f.repeat, "repeat", 5, span(2, 1_000), "with --search, compare choices with N seeds")
	number(s, &f.seed, "seed", 1, seeds, "with --search, begin at seed N")
	number(s, &f.fresh, "fresh", 10, span(2, 1_000), "with --search, judge what was found with N other seeds")
	number(s, &f.within, "within", f.within, parts, "with --search, let the mean sojourn rise by at most PART for another goal")
	s.StringVar(&f.output, "policy-out", "", "with --search, write the settings found to FILE, a policy file (YAML)")
	needs(cmd, "search", "goal repeat seed fresh within policy-out")
	complete(cmd, "goal", strings.Split(goalNames(), ", ")...)
}

func goalNames() string {
	var names []string
	for _, g := range tune.Goals() {
		names = append(names, string(g))
	}
	return strings.Join(names, ", ")
}

// search looks for a policy that serves the goal better on workloads like the recorded one.
func (f *whatIfFlags) search(ctx context.Context, p *program, rec *replay.Recording, start scheduling.Policy, name string) error {
	s := &f.searched
	goal := tune.Goal(s.goal)
	if !slices.Contains(tune.Goals(), goal) {
		return usageError("--goal %s: want %s", words.Shown(s.goal), goalNames())
	}
	if s.output != "" {
		if err := distinctFiles([]namedFile{{"--policy-out", s.output}}, []string{name, f.policyFile}); err != nil {
			return err
		}
	}
	nodes, _ := rec.Cluster()
	problem := tune.Problem{
		Start: start, Knobs: tune.Knobs(&start, rec.UsualMap(), nodes, mostPools(rec.Pools())),
		Goal: goal, Seeds: s.repeat, Fresh: s.fresh, Seed: s.seed, Within: float64(s.within),
		Run: func(ctx context.Context, policy scheduling.Policy, seed uint64) (tune.Figures, error) {
			got, err := rec.RunLike(ctx, policy, seed)
			if err != nil {
				return tune.Figures{}, err
			}
			a := &got.Again
			return tune.Figures{Mean: a.Mean, P95: a.P95, NotLocal: 1 - a.NodeLocal, OffRackGB: a.OffRackGB}, nil
		},
	}
	if !f.quiet {
		problem.Told = func(text string) { fmt.Fprintln(p.stderr, text) }
	}
	found, err := tune.Search(ctx, problem)
	if err != nil {
		return err
	}
	if s.output != "" {
		preset := cmp.Or(presetOf(&found.Policy), f.scheduler)
		write := func(w io.Writer) error { return policyfile.Write(w, preset, &found.Policy) }
		if err := writeFile(s.output, os.O_TRUNC, write); err != nil {
			return err
		}
	}
	if f.json {
		return json.NewEncoder(p.stdout).Encode(found)
	}
	return printTuned(p, found, &start)
}

// mostPools keeps the number of knobs in hand.
func mostPools(names []string) []string { return names[:min(len(names), 4)] }

// presetOf is the preset that a policy is nearest to: one of its order.
func presetOf(p *scheduling.Policy) string {
	if slices.Contains(scheduling.Presets(), p.Name) {
		return p.Name
	}
	for _, name := range scheduling.Presets() {
		if preset, err := scheduling.Preset(name); err == nil && preset.Order == p.Order {
			return name
		}
	}
	return ""
}

// printTuned says what to change, what it gains, and what is not sure.
func printTuned(p *program, found *tune.Found, start *scheduling.Policy) error {
	out := bufio.NewWriter(p.stdout)
	in := found.Goal.Change
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
	for _, g := range tune.Goals() {
		fmt.Fprintf(out, "%-14s %s, now %s\n", g, g.Text(g.Of(&found.Changed)), g.Text(g.Of(&found.Start)))
	}
	return out.Flush()
}
