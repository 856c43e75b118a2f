package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/replay"
	"github.com/tarry-mr/tarry/scheduling/simulator/tune"
)

// whatIfFlags are the flags of `tarry whatif`.
type whatIfFlags struct {
	schedulerFlags

	events        string
	json, quiet   bool
	search        bool
	goal          string
	repeat, fresh int
	policyOut     string
}

func whatIfCommand(c *command) {
	c.Use, c.Short = "whatif EVENTS [--scheduler NAME] [--wait 2s] [--reduce-placement cogrs]", "Simulate a recorded run again under other settings"
	c.Long = `Simulate a recorded run again under other settings. EVENTS is the recording of a live or simulated
cluster, made with --events; it may be - for standard input. The first simulation uses the recorded
policy and shows the error of the method. The second uses --scheduler, or the recorded policy
without it, and the changes of the other flags. docs/simulator.md explains the limits.

  tarry whatif run.jsonl --scheduler fifo
  tarry whatif run.jsonl.zst --wait 2s --reduce-placement cogrs --events asked.jsonl
  tarry view run.jsonl asked.jsonl -o both.html

--search looks for settings that improve a goal on workloads like the recorded one: locality waits,
placement of reduces and its threshold, slow start, speculative attempts, weights of pools. --repeat
seeds compare choices; --fresh other seeds verify the result. Each change is undone alone, and
dropped if its gain is not certain.

  tarry whatif run.jsonl --search --goal p95 --policy-out better.yaml`
	var f whatIfFlags
	c.Args = arguments(1, 1, "one file")
	c.RunE = func(_ *cobra.Command, args []string) error { return f.run(c, args[0]) }
	s := c.Flags()
	f.registerName(c.Command, s, "", " (default: the recorded policy, changed by other flags)")
	f.schedulerFlags.register(c.Command, s, "the recorded policy's")
	s.StringVar(&f.events, "events", "", "write the events under the changed policy to `FILE`, for tarry view and tarry events")
	s.BoolVar(&f.json, "json", false, "print one JSON object")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "do not warn of what the replay omits")
	s.BoolVar(&f.search, "search", false, "search for settings that improve --goal")
	s.StringVar(&f.goal, "goal", string(tune.MeanSojourn), "with --search, reduce this `GOAL`: "+goalNames)
	number(s, &f.repeat, "repeat", 5, span(2, 1_000), "with --search, compare choices with `N` seeds")
	number(s, &f.fresh, "fresh", 10, span(2, 1_000), "with --search, verify the result with `N` other seeds")
	s.StringVar(&f.policyOut, "policy-out", "", "with --search, write the settings found to `FILE`, a policy file (YAML)")
	needs(c.Command, "search", "goal repeat fresh policy-out")
	excludes(c.Command, "search", "events")
	complete(c.Command, "goal", strings.Split(goalNames, ", ")...)
}

// goalNames lists what --search can improve, for help and errors.
var goalNames = strings.ReplaceAll(strings.Trim(fmt.Sprint(tune.Goals()), "[]"), " ", ", ")

// run replays the recording under the recorded and the changed policy, or searches with --search.
func (f *whatIfFlags) run(c *command, name string) error {
	if !slices.Contains(tune.Goals(), tune.Goal(f.goal)) {
		return usageError("--goal %s: want %s", words.Shown(f.goal), goalNames)
	}
	if err := f.begin(c); err != nil {
		return err
	}
	files := []namedFile{{"--events", f.events}, {"--policy-out", f.policyOut}}
	if err := distinctFiles(files, append(slices.Clone(f.files.Names), name)); err != nil {
		return err
	}
	rec, err := c.readRecording(name)
	if err != nil {
		return err
	}
	policy := rec.Policy
	if f.scheduler != "" {
		policy, err = f.policy(f.scheduler)
	} else {
		err = f.over(&policy, f.assigned)
	}
	if err := firstError(err, f.unheeded(policy), invalid(policy.Validate())); err != nil {
		return err
	}
	for _, text := range rec.Warnings {
		if !f.quiet {
			fmt.Fprintf(c.stderr, "tarry: warning: %s: %s\n", name, text)
		}
	}
	if f.search {
		return f.searchFor(c.Context(), c.program, rec, policy)
	}
	again, err := replayInto(c.Context(), rec, rec.Policy, "")
	if err != nil {
		return fmt.Errorf("%s: the recorded policy: %w", name, err)
	}
	out := whatIf{
		Recorded: recordedFigures(&again.Recorded), Again: recordedFigures(&again.Again), Settings: map[string][]string{}, Warnings: rec.Warnings,
	}
	settings := policyfile.Differences(rec.Policy, policy)
	for _, s := range settings {
		out.Settings[s.Key] = s.Values
	}
	if len(settings) > 0 || f.events != "" {
		asked, err := replayInto(c.Context(), rec, policy, f.events)
		if err != nil {
			return fmt.Errorf("%s: the asked policy: %w", name, err)
		}
		out.Asked = recordedFigures(&asked.Again)
	}
	return show(c.program, f.json, []whatIf{out}, func(to io.Writer) {
		out.print(to, name, rec)
		if out.Asked != nil {
			printSettings(to, []string{"recorded", "asked"}, settings)
		}
	})
}

// readRecording reads a file of events. It rejects a recording that is not of a complete run.
func (p *program) readRecording(name string) (*replay.Recording, error) {
	var r replay.Reader
	if err := p.readEvents(name, func(e *actors.Event) error { return r.Add(e.Event) }); err != nil {
		return nil, err
	}
	rec, err := r.End()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rec, nil
}

// replayInto simulates a recording under a policy. It writes the simulation's events to the file
// called name, unless the name is empty.
func replayInto(ctx context.Context, rec *replay.Recording, policy scheduling.Policy, name string) (out *replay.Outcome, err error) {
	file, err := openRecord(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = firstError(err, file.Close()) }()
	write := sink(file)
	if write == nil {
		return rec.Run(ctx, policy, nil, nil)
	}
	return rec.Run(ctx, policy, nil, func(e event.Event) { write(actors.Event{Event: e}) })
}

// whatIf is the result of `tarry whatif`: the recorded run and its simulations.
type whatIf struct {
	Recorded figures             `json:"recorded"`
	Again    figures             `json:"again"`
	Asked    figures             `json:"asked,omitempty"` // nil if nothing is changed
	Settings map[string][]string `json:"settings"`        // those that differ: recorded, asked value
	Warnings []string            `json:"warnings,omitempty"`
}

// figures are the results of a run. In JSON they are an object with a key per figure.
type figures []figure

// MarshalJSON implements json.Marshaler.
func (list figures) MarshalJSON() ([]byte, error) {
	object := map[string]float64{}
	for _, f := range list {
		object[f.name] = f.value
	}
	return json.Marshal(object)
}

// recordedFigures returns the number of jobs, then the figures of a run that recordings contain.
func recordedFigures(of *simulator.Figures) figures {
	unknown := []string{"map_utilisation", "reduce_utilisation", "lost_s", "copies_won", "copies_spent_s"}
	list := append(figures{{"jobs", float64(of.Jobs)}}, figuresOf(of)...)
	return slices.DeleteFunc(list, func(f figure) bool { return slices.Contains(unknown, f.name) })
}

// changeTo returns the change from f to other, the same figure of another run: for shares in
// points, otherwise in percent.
func (f figure) changeTo(other figure) string {
	switch x, y := f.value, other.value; {
	case strings.HasSuffix(f.name, "share"):
		return fmt.Sprintf("%+.2f pt", 100*(y-x))
	case x == 0:
		return fmt.Sprintf("%+.3g", y)
	default:
		return fmt.Sprintf("%+.2f %%", 100*(y/x-1))
	}
}

// String returns the value as text.
func (f figure) String() string {
	if strings.HasSuffix(f.name, "share") {
		return fmt.Sprintf("%.2f %%", 100*f.value)
	}
	return fmt.Sprintf("%.5g", f.value)
}

// print describes the recorded run, states the error of the simulation, and tabulates all figures.
func (w *whatIf) print(out io.Writer, name string, rec *replay.Recording) {
	jobs, maps, reduces := rec.Jobs()
	nodes, racks := rec.Cluster()
	kind := "live"
	if rec.Began.Simulated {
		kind = "simulated"
	}
	fmt.Fprintf(out, "%s: a %s run of %s: %s, %s, %s on %s in %s\n", name, kind, rec.Policy.Name, words.Count(jobs, "job"),
		words.Count(maps, "map"), words.Count(reduces, "reduce"), words.Count(nodes, "node"), words.Count(racks, "rack"))
	was, is := w.Recorded[1:], w.Again[1:] // without the number of jobs
	fmt.Fprintf(out, "The recorded policy again, in the simulator: mean sojourn %s, node-local maps %s. Smaller differences say nothing.\n\n",
		was[0].changeTo(is[0]), was[4].changeTo(is[4]))
	lines := [][]string{{"figure", "recorded", "again", "error"}}
	for i, f := range was {
		lines = append(lines, []string{f.name, f.String(), is[i].String(), f.changeTo(is[i])})
	}
	if w.Asked != nil {
		lines[0] = append(lines[0], "asked", "change")
		for i, f := range w.Asked[1:] {
			lines[i+1] = append(lines[i+1], f.String(), is[i].changeTo(f))
		}
	}
	figureTable(out, lines)
}

// searchFor finds and prints changes of start that improve --goal on workloads like the recorded.
func (f *whatIfFlags) searchFor(ctx context.Context, p *program, rec *replay.Recording, start scheduling.Policy) error {
	nodes, _ := rec.Cluster()
	pools := rec.Pools()
	problem := tune.Problem{
		Start: start, Goal: tune.Goal(f.goal), Seeds: f.repeat, Fresh: f.fresh, Seed: 1,
		Knobs: tune.Knobs(&start, rec.UsualMap(), nodes, pools[:min(len(pools), 4)]), // so that knobs are few
		Run: func(ctx context.Context, policy scheduling.Policy, seed uint64) (*simulator.Figures, error) {
			got, err := rec.RunLike(ctx, policy, seed)
			if err != nil {
				return nil, err
			}
			return &got.Again, nil
		},
	}
	if !f.quiet {
		problem.Told = func(text string) { fmt.Fprintln(p.stderr, text) }
	}
	found, err := tune.Search(ctx, problem)
	if err != nil {
		return err
	}
	if f.policyOut != "" {
		write := func(w io.Writer) error {
			return policyfile.Write(w, policyfile.NearestPreset(&found.Policy), &found.Policy)
		}
		if err := writeFile(f.policyOut, os.O_TRUNC, write); err != nil {
			return err
		}
	}
	return show(p, f.json, []*tune.Found{found}, func(out io.Writer) { printTuned(out, found, &start) })
}

// printTuned prints the changes that help, the uncertain ones, and the goals before and after.
func printTuned(out io.Writer, found *tune.Found, start *scheduling.Policy) {
	in := found.Goal.Change
	fmt.Fprintf(out, "goal %s from %s, judged by %d fresh seeds, %d simulations in all\n\n", found.Goal, start.Name, found.Seeds, found.Runs)
	for _, c := range found.Changes {
		fmt.Fprintf(out, "change %s: %s\n  undoing it alone costs %s\n", c.Knob, c.Set, in(simulator.Estimate{Mean: -c.Worth.Mean, Half: c.Worth.Half}))
	}
	for _, c := range found.Unsure {
		fmt.Fprintf(out, "not sure of %s: %s\n  it changes %s: its 95 %% interval holds 0, or the whole does\n", c.Knob, c.Set, in(c.Worth))
	}
	if len(found.Changes) == 0 {
		fmt.Fprintln(out, "change nothing: no setting that was tried is better for sure")
		return
	}
	fmt.Fprintf(out, "all changes together: %s\n\n", in(found.Gain))
	for _, g := range tune.Goals() {
		fmt.Fprintf(out, "%-14s %s, now %s\n", g, g.Text(found.Changed[g]), g.Text(found.Start[g]))
	}
}
