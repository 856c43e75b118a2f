package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/eventlog"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator/replay"
)

// whatIfFlags are the flags of `tarry whatif`.
type whatIfFlags struct {
	schedulerFlags
	weights             []string // POOL=WEIGHT
	events, againEvents string
	json, quiet         bool
	searched            searchFlags
}

// newWhatIf is the command `tarry whatif`.
func newWhatIf(p *program) *cobra.Command {
	var f whatIfFlags
	cmd := &cobra.Command{
		Use:   "whatif EVENTS [--scheduler NAME] [--wait 2s] [--reduce-placement cogrs] [--weight POOL=2]",
		Short: "Run a recorded run again under other settings, in the simulator",
		Long: `Take what a live or simulated cluster recorded with --events and run its workload again, in the
simulator: the jobs come when they came, tasks take as long as was measured, blocks and map outputs
lie and are as large as they were. First under the recorded policy, which shows how far the method
is from the truth, then under the one that is asked for: without --scheduler the recorded policy
with what the other flags change.

  tarry whatif run.jsonl --scheduler fifo
  tarry whatif run.jsonl.zst --wait 2s --weight research=3
  tarry whatif run.jsonl --reduce-placement cogrs --events asked.jsonl
  tarry view run.jsonl asked.jsonl -o both.html

What a task would have taken elsewhere is estimated from the tasks of the recording itself: a map
far from its data against those of its job that were near, a reduce by when it was launched and by
the way of its input. EVENTS may be - for standard input. docs/simulator.md says what the method can
and cannot.

With --search it looks for settings that serve a goal better, on workloads like the recorded one:
how long maps wait for locality, where reduces go and from what threshold on, slow start, copies of
slow tasks, weights of pools. Knob after knob, all choices are simulated with the same seeds as the
settings so far, and the best is taken if the 95 % interval of the paired differences says that it
is better. Then --fresh other seeds judge what was found: each change is undone alone, and one whose
worth is not sure is left out. If the interval of the whole gain holds 0, nothing is to be changed.

  tarry whatif run.jsonl --search --goal p95 --policy-out better.yaml
  tarry sim --workload facebook-mixed --nodes 40 --racks 4 --events sim.jsonl
  tarry whatif sim.jsonl --search --goal locality`,
		Args:              arguments(1, 1, "one file"),
		ValidArgsFunction: filesNamed("jsonl", "zst"),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, p, args[0]) },
	}
	s := cmd.Flags()
	f.schedulerFlags.register(s, "the recorded policy's")
	s.StringVar(&f.scheduler, "scheduler", "", "which job's task goes next: "+strings.Join(scheduling.Presets(), ", ")+
		" (default: the recorded policy with what other flags change)")
	f.registerFile(s)
	s.StringArrayVar(&f.weights, "weight", nil, "weight of a pool, as POOL=WEIGHT; may be repeated")
	s.StringVar(&f.events, "events", "", "file for what the asked policy did, as tarry view and tarry events read it")
	s.StringVar(&f.againEvents, "again-events", "", "file for what the recorded policy did in the simulator")
	s.BoolVar(&f.json, "json", false, "print one JSON object")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "no warnings of what the replay leaves out")
	f.searched.register(cmd)
	excludes(cmd, "search", "events again-events")
	excludes(cmd, "policy", "scheduler")
	excludes(cmd, "skips", "wait rack-wait")
	f.complete(cmd)
	return cmd
}

// run reads the recording and runs it twice.
func (f *whatIfFlags) run(cmd *cobra.Command, p *program, name string) error {
	if err := f.begin(p, cmd); err != nil {
		return err
	}
	files := []namedFile{{"--events", f.events}, {"--again-events", f.againEvents}}
	if err := distinctFiles(files, append(slices.Clone(f.files.names), name)); err != nil {
		return err
	}
	rec, err := p.readRecording(name)
	if err != nil {
		return err
	}
	policy, err := f.asked(rec.Policy)
	if err == nil {
		err = firstError(f.idleSets(policy), heeded(cmd, &policy))
	}
	if err == nil {
		err = f.files.unused(policy.Name, false)
	}
	if err != nil {
		return err
	}
	if !f.quiet {
		for _, text := range rec.Warnings {
			fmt.Fprintf(p.stderr, "tarry: warning: %s: %s\n", name, text)
		}
	}
	if f.searched.on {
		return f.search(cmd.Context(), p, rec, policy, name)
	}
	again, err := replayInto(cmd.Context(), rec, rec.Policy, f.againEvents)
	if err != nil {
		return fmt.Errorf("%s: the recorded policy: %w", name, err)
	}
	out := whatIf{name: name, rec: rec, again: again}
	if out.settings = differing([]scheduling.Policy{rec.Policy, policy}); len(out.settings) > 0 || f.events != "" {
		if out.asked, err = replayInto(cmd.Context(), rec, policy, f.events); err != nil {
			return fmt.Errorf("%s: the asked policy: %w", name, err)
		}
	}
	if f.json {
		return json.NewEncoder(p.stdout).Encode(out.object())
	}
	return out.print(p.stdout)
}

// readRecording reads a file of events as a whole run.
func (p *program) readRecording(name string) (*replay.Recording, error) {
	in, err := p.openArgument(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var r replay.Reader
	if err := eventlog.Read(in, func(e *actors.Event) error { return r.Add(e.Event) }); err != nil {
		return nil, fmt.Errorf("%s:%w", name, err)
	}
	rec, err := r.End()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rec, nil
}

// replayInto runs a recording under a policy and writes what happens into a file, if there is a name.
func replayInto(ctx context.Context, rec *replay.Recording, policy scheduling.Policy, name string) (out *replay.Outcome, err error) {
	file, err := openRecord(name, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = firstError(err, file.close()) }()
	var sink func(event.Event)
	if write := file.sink(); write != nil {
		sink = func(e event.Event) { write(actors.Event{Event: e}) }
	}
	return rec.Run(ctx, policy, sink)
}

// asked is the policy that the flags ask for.
func (f *whatIfFlags) asked(recorded scheduling.Policy) (policy scheduling.Policy, err error) {
	if f.given("scheduler") || f.files.policy != nil {
		policy, err = f.policy(f.scheduler)
	} else {
		policy, err = f.changed(recorded)
	}
	if err != nil {
		return policy, err
	}
	for _, text := range f.weights {
		if err := setWeight(&policy, text); err != nil {
			return policy, err
		}
	}
	if err := policy.Validate(); err != nil {
		return policy, configError("%w", err)
	}
	return policy, nil
}

// changed is a policy with what files and flags change.
func (s *schedulerFlags) changed(policy scheduling.Policy) (scheduling.Policy, error) {
	if s.given("reduce-placement") {
		if err := s.place(&policy, s.reducePlacement); err != nil {
			return policy, err
		}
	}
	s.files.apply(&policy)
	if err := s.setOver(&policy, s.parts); err != nil {
		return policy, err
	}
	s.flagsOver(&policy)
	return policy, nil
}

// setWeight puts POOL=WEIGHT into a policy; a pool that is not there gets an entry.
func setWeight(policy *scheduling.Policy, text string) error {
	name, number, _ := strings.Cut(text, "=")
	weight, err := strconv.ParseFloat(number, 64)
	if name == "" || err != nil || !(weight > 0 && weight <= 1e6) {
		return usageError("--weight %s: want POOL=WEIGHT with a weight above 0 and up to 1000000", words.Shown(text))
	}
	if policy.Order != "pools" {
		return usageError("--weight %s has no effect with %s, which has no pools", words.Shown(text), policy.Name)
	}
	if !policy.Pools.SetWeight(name, weight) {
		return usageError("--weight %s: there is no pool %s", words.Shown(text), words.Quoted(name))
	}
	return nil
}
