package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
)

// eventsFlags are the flags of `tarry events`.
type eventsFlags struct {
	jobs     jobList
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
	cmd.Flags().Var(&f.jobs, "job", "only the events of these jobs, such as job_0003 or 3")
	cmd.Flags().StringSliceVar(&f.only, "only", nil, "only events of these types, such as launched, skipped, killed or suspended")
	cmd.Flags().BoolVar(&f.summary, "summary", false, "print a line a job instead: its times, where its maps ran, and what it waited for")
	cmd.Flags().StringVar(&f.traceOut, "trace-out", "", "write a Chrome trace of all attempts to this file, and print nothing")
	return cmd
}

// run reads the file once and hands each event to what was asked for.
func (f *eventsFlags) run(p *program, name string) error {
	keep, err := f.filter()
	if err != nil {
		return err
	}
	in, err := p.openEvents(name)
	if err != nil {
		return err
	}
	defer in.Close()
	read := func(take func(actors.Event) error) error {
		return readEvents(name, in, func(e actors.Event) error {
			if !keep(e) {
				return nil
			}
			return take(e)
		})
	}
	if f.traceOut != "" {
		return f.trace(name, read)
	}
	out := bufio.NewWriter(p.stdout)
	if !f.summary {
		return firstError(read(func(e actors.Event) error { return printEvent(out, e) }), out.Flush())
	}
	jobs := newJobSummaries()
	if err := read(jobs.take); err != nil {
		return err
	}
	return firstError(jobs.print(out), out.Flush())
}

// trace writes a Chrome trace of the events, or nothing.
func (f *eventsFlags) trace(name string, read func(func(actors.Event) error) error) error {
	if err := distinctFiles([]namedFile{{"--trace-out", f.traceOut}}, []string{name}); err != nil {
		return err
	}
	trace, err := createTraceFile(f.traceOut)
	if err != nil {
		return configError("--trace-out: %w", plainPathError(f.traceOut, err))
	}
	err = firstError(read(trace.write), trace.close())
	if info, bad := os.Stat(f.traceOut); err != nil && bad == nil && info.Mode().IsRegular() {
		return errors.Join(err, os.Remove(f.traceOut))
	}
	return err
}

// filter makes the choice of --job and --only. Events of no job, such as a node's joining, pass only without --job.
func (f *eventsFlags) filter() (func(actors.Event) bool, error) {
	var types []scheduling.EventType
	if f.only != nil && len(f.only) == 0 {
		return nil, usageError("--only: which types of events?")
	}
	for _, name := range f.only {
		var t scheduling.EventType
		if err := t.UnmarshalText([]byte(name)); err != nil {
			return nil, usageError("--only: no event is called %s", quoted(name))
		}
		types = append(types, t)
	}
	return func(e actors.Event) bool {
		if types != nil && !slices.Contains(types, e.Type) {
			return false
		}
		if f.traceOut != "" && jobOf(e) == 0 {
			return true // a node, which a trace has to name
		}
		return f.jobs == nil || slices.Contains(f.jobs, jobOf(e))
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
		line += fmt.Sprintf("; center %s, weighted distance there %d, here %d", e.Placed.Center, e.Placed.AtCenter, e.Placed.Here)
	}
	if e.Phases != nil {
		line += fmt.Sprintf(", took %v", (e.At - e.Phases.Start).Round(time.Microsecond))
	}
	_, err := fmt.Fprintln(out, printable(line)) // the file may be anybody's
	return err
}

// jobList is a list of jobs as a flag: job_0003 or 3, with commas between.
type jobList []scheduling.JobID

// Set adds jobs.
func (l *jobList) Set(s string) error {
	for one := range strings.SplitSeq(s, ",") {
		digits := strings.TrimPrefix(one, "job_")
		n, err := strconv.ParseInt(digits, 10, 32)
		if err != nil || n < 1 || digits[0] == '+' {
			return badValue("jobs are written like job_0003 or 3")
		}
		*l = append(*l, scheduling.JobID(n))
	}
	return nil
}

// String lists the jobs.
func (l *jobList) String() string {
	names := make([]string, len(*l))
	for i, id := range *l {
		names[i] = id.String()
	}
	return strings.Join(names, ",")
}

// Type names the value in help texts.
func (l *jobList) Type() string { return "jobs" }

// Append, Replace and GetSlice make it a pflag.SliceValue, so that a value of the environment can be taken back.
func (l *jobList) Append(s string) error { return l.Set(s) }

func (l *jobList) Replace(list []string) error {
	*l = nil
	for _, one := range list {
		if err := l.Set(one); err != nil {
			return err
		}
	}
	return nil
}

func (l *jobList) GetSlice() []string { return strings.Split(l.String(), ",") }
