package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
)

// eventsFlags are the flags of `tarry events`.
type eventsFlags struct {
	jobs     []int
	only     []string
	summary  bool
	traceOut string
}

// newEvents is the command `tarry events`.
func newEvents(p *program) *cobra.Command {
	var f eventsFlags
	cmd := &cobra.Command{
		Use:   "events FILE",
		Short: "Read what a live or simulated cluster recorded with --events",
		Long: `Read what a live or simulated cluster recorded with --events, a line an event: what happened, where, and why. A skip tells
why the job had to wait and until when; a launch how far from its input; a reduce's launch the center of gravity of its
input and the weighted distances of that node and of the one chosen.

  tarry events run.jsonl --job 3 --only launched,skipped
  tarry events run.jsonl --summary
  tarry events simulated.jsonl.zst --trace-out trace.json

The same file may come from tarry run or tarry sim. FILE may be - for standard input.`,
		Args:              arguments(1, 1, "one file"),
		ValidArgsFunction: cobra.FixedCompletions([]string{"jsonl", "zst"}, cobra.ShellCompDirectiveFilterFileExt),
		RunE:              func(_ *cobra.Command, args []string) error { return f.run(p, args[0]) },
	}
	cmd.Flags().IntSliceVar(&f.jobs, "job", nil, "only the events of these jobs, by number")
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "only events of these types, such as launched, skipped, killed or suspended")
	cmd.Flags().BoolVar(&f.summary, "summary", false, "print a line a job instead: its times, where its maps ran, and what it waited for")
	cmd.Flags().StringVar(&f.traceOut, "trace-out", "", "write a Chrome trace of all attempts to this file, and print nothing")
	return cmd
}

// run reads the file once and hands each event to what was asked for.
func (f *eventsFlags) run(p *program, name string) (err error) {
	keep, err := f.filter()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.stdout)
	take := func(e actors.Event) error { return printEvent(out, e) }
	finish := out.Flush
	switch {
	case f.summary && f.traceOut != "":
		return usageError("--summary and --trace-out exclude each other")
	case f.summary:
		jobs := newJobSummaries()
		take = jobs.take
		finish = func() error { return firstError(jobs.print(out), out.Flush()) }
	case f.traceOut != "":
		trace, err := createTraceFile(f.traceOut)
		if err != nil {
			return configError("--trace-out: %w", err)
		}
		take, finish = trace.write, trace.close
	}
	err = p.readEvents(name, func(e actors.Event) error {
		if !keep(e) {
			return nil
		}
		return take(e)
	})
	return firstError(err, finish())
}

// filter makes the choice of --job and --only. Events of no job, such as a node's joining, pass only without --job.
func (f *eventsFlags) filter() (func(actors.Event) bool, error) {
	var types []scheduling.EventType
	for _, name := range f.only {
		var t scheduling.EventType
		if err := t.UnmarshalText([]byte(name)); err != nil {
			return nil, usageError("--only: no event is called %q", name)
		}
		types = append(types, t)
	}
	return func(e actors.Event) bool {
		if types != nil && !slices.Contains(types, e.Type) {
			return false
		}
		return f.jobs == nil || slices.Contains(f.jobs, int(jobOf(e)))
	}, nil
}

// jobOf is the job that an event is about, 0 for none.
func jobOf(e actors.Event) scheduling.JobID {
	if e.Attempt.Task.Job != 0 {
		return e.Attempt.Task.Job
	}
	return e.JobID
}

// printEvent writes an event in a line for people.
func printEvent(out io.Writer, e actors.Event) error {
	line := e.Event.String()
	switch e.Type {
	case scheduling.EventSubmitted:
		line += fmt.Sprintf(": %s of %s in %s, %d maps, %d reduces", e.Name, e.User, e.Pool, e.Tasks[scheduling.Map], e.Tasks[scheduling.Reduce])
	case scheduling.EventShares:
		line += fmt.Sprintf(" of %s: %.4g map slots, %.4g reduce slots", e.Pool, e.Shares[scheduling.Map], e.Shares[scheduling.Reduce])
	case scheduling.EventNeed:
		line += fmt.Sprintf(": %s may claim %d %s slots", e.Pool, e.Need, e.Kind)
	case scheduling.EventFinished:
		line += " " + e.State
	case scheduling.EventSkipped:
		line += fmt.Sprintf(" (%s)", e.Kind)
	default:
	}
	if e.Until > 0 {
		line += fmt.Sprintf(", until %v", e.Until)
	}
	if e.Placed != nil && e.Placed.Center != "" {
		line += fmt.Sprintf("; center of gravity %s, weighted distance there %d, here %d", e.Placed.Center, e.Placed.AtCenter, e.Placed.Here)
	}
	if e.Phases != nil {
		line += fmt.Sprintf(", took %v", (e.At - e.Phases.Start).Round(time.Microsecond))
	}
	_, err := fmt.Fprintln(out, line)
	return err
}
