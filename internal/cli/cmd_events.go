package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/eventlog"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// eventsFlags are the flags of `tarry events`.
type eventsFlags struct {
	jobs     []string
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
		Long: `Read what a live or simulated cluster recorded with --events, a line an event: what happened, where,
and why. A skip tells why the job had to wait and until when; a launch how far from its input; a
reduce's launch the center of gravity of its input and the weighted distances of that node and of
the one chosen.

  tarry events run.jsonl --job 3 --only launched,skipped
  tarry events run.jsonl --summary
  tarry events simulated.jsonl.zst --trace-out trace.json

The same file may come from tarry run or tarry sim. FILE may be - for standard input. All kinds of
events and their fields are in docs/events.md.`,
		Args:              arguments(1, 1, "one file"),
		ValidArgsFunction: filesNamed("jsonl", "zst"),
		RunE:              func(_ *cobra.Command, args []string) error { return f.run(p, args[0]) },
	}
	cmd.Flags().StringSliceVar(&f.jobs, "job", nil, "only the events of these jobs, such as job_0003 or 3")
	cmd.Flags().StringSliceVar(&f.only, "only", nil,
		"only events of these types, such as launched, skipped, killed or suspended")
	cmd.Flags().BoolVar(&f.summary, "summary", false,
		"print a line a job instead: its times, where its maps ran, and what it waited for")
	cmd.Flags().StringVar(&f.traceOut, "trace-out", "",
		"write a Chrome trace of all attempts to this file, and print nothing")
	excludes(cmd, "summary", "only trace-out")
	excludes(cmd, "trace-out", "only")
	return cmd
}

// run reads the file once and hands each event to what was asked for.
func (f *eventsFlags) run(p *program, name string) error {
	jobs, err := jobsOf(f.jobs)
	if err != nil {
		return err
	}
	keep, err := f.filter(jobs)
	if err != nil {
		return err
	}
	in, err := p.openArgument(name)
	if err != nil {
		return err
	}
	defer in.Close()
	read := func(take func(*actors.Event) error) error {
		events, missing := 0, slices.Clone(jobs)
		err := eventlog.Read(in, func(e *actors.Event) error {
			events++
			if len(missing) > 0 {
				missing = slices.DeleteFunc(missing, func(id scheduling.JobID) bool { return id == eventlog.JobOf(e) })
			}
			if !keep(e) {
				return nil
			}
			return take(e)
		})
		switch {
		case err != nil:
			return fmt.Errorf("%s:%w", name, err)
		case events == 0:
			return fmt.Errorf("%s: there is no event in it", name)
		case len(missing) > 0:
			return fmt.Errorf("%s: there is no %s in it", name, strings.ReplaceAll(strings.Trim(fmt.Sprint(missing), "[]"), " ", ","))
		}
		return nil
	}
	if f.traceOut != "" {
		return f.trace(name, read)
	}
	out := bufio.NewWriter(p.stdout)
	if f.summary {
		jobs := eventlog.NewSummary()
		if err := read(func(e *actors.Event) error { jobs.Add(e); return nil }); err != nil {
			return err
		}
		return firstError(jobs.Print(out), out.Flush())
	}
	return firstError(read(func(e *actors.Event) error {
		_, err := fmt.Fprintln(out, words.Printable(eventlog.Line(e))) // the file may be anybody's
		return err
	}), out.Flush())
}

// trace writes a Chrome trace of the events, or nothing.
func (f *eventsFlags) trace(name string, read func(func(*actors.Event) error) error) error {
	if err := distinctFiles([]namedFile{{"--trace-out", f.traceOut}}, []string{name}); err != nil {
		return err
	}
	trace, err := createTrace(f.traceOut)
	if err != nil {
		return err
	}
	err = firstError(read(func(e *actors.Event) error {
		if err := trace.Write(*e); err != nil {
			return fmt.Errorf("--trace-out: %w", err)
		}
		return nil
	}), trace.Close())
	if info, bad := os.Stat(f.traceOut); err != nil && bad == nil && info.Mode().IsRegular() {
		return errors.Join(err, os.Remove(f.traceOut))
	}
	return err
}

// filter makes the choice of --job and --only. Events of no job, such as a node's joining, pass
// only without --job.
func (f *eventsFlags) filter(jobs []scheduling.JobID) (func(*actors.Event) bool, error) {
	var types []event.Type
	if f.only != nil && len(f.only) == 0 {
		return nil, usageError("--only: which types of events?")
	}
	for _, name := range f.only {
		var t event.Type
		if err := t.UnmarshalText([]byte(name)); err != nil {
			return nil, usageError("--only: no event is called %s", words.Quoted(name))
		}
		types = append(types, t)
	}
	return func(e *actors.Event) bool {
		if types != nil && !slices.Contains(types, e.Type) {
			return false
		}
		if f.traceOut != "" && eventlog.JobOf(e) == 0 {
			return true // a node, which a trace has to name
		}
		return jobs == nil || slices.Contains(jobs, eventlog.JobOf(e))
	}, nil
}

// jobsOf reads job_0003 or 3, and so on.
func jobsOf(names []string) (list []scheduling.JobID, err error) {
	if names != nil && len(names) == 0 {
		names = []string{""} // --job=
	}
	for _, name := range names {
		digits := strings.TrimPrefix(name, "job_")
		n, err := strconv.ParseInt(digits, 10, 32)
		if err != nil || n < 1 || digits[0] == '+' {
			return nil, usageError("--job %s: jobs are written like job_0003 or 3", words.Shown(name))
		}
		list = append(list, scheduling.JobID(n))
	}
	return list, nil
}
