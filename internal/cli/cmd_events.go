package cli

import (
	"bufio"
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
)

func eventsCommand(c *command) {
	c.Use, c.Short = "events FILE", "Print the recorded events of a live or simulated cluster"
	c.Long = `Print the events that a live or simulated cluster recorded with --events, one per line: what
happened, where, and why. A skip gives the reason and end of a job's wait; a launch the distance
from its input; a reduce's launch the center of gravity of its input, and the weighted distances of
that node and of the chosen one. FILE may be - for standard input. docs/events.md lists all types of
events.

  tarry events run.jsonl --job 3 --only launched,skipped`
	var jobs, only []string
	c.Args = arguments(1, 1, "one file")
	c.RunE = func(_ *cobra.Command, args []string) error { return c.printEvents(args[0], jobs, only) }
	c.Flags().StringSliceVar(&jobs, "job", nil, "print only events of these jobs, such as job_0003 or 3")
	c.Flags().StringSliceVar(&only, "only", nil,
		"print only events of these types, such as launched, skipped, killed or suspended")
}

// printEvents prints the events of a file. Unless nil, ofJobs and ofTypes select jobs and types.
func (p *program) printEvents(name string, ofJobs, ofTypes []string) error {
	jobs, err := jobsOf(ofJobs)
	if err != nil {
		return err
	}
	types, err := typesOf(ofTypes)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.stdout)
	missing := slices.Clone(jobs)
	err = p.readEvents(name, func(e *actors.Event) error {
		of := eventlog.JobOf(e)
		missing = slices.DeleteFunc(missing, func(id scheduling.JobID) bool { return id == of })
		if jobs != nil && !slices.Contains(jobs, of) || types != nil && !slices.Contains(types, e.Type) {
			return nil
		}
		_, err := fmt.Fprintln(out, words.Printable(eventlog.Line(e))) // the file may come from another user
		return err
	})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%s: there is no %s in it", name, strings.ReplaceAll(strings.Trim(fmt.Sprint(missing), "[]"), " ", ","))
	}
	return firstError(err, out.Flush())
}

// readEvents calls take for each event of a file. It rejects a file without events.
func (p *program) readEvents(name string, take func(*actors.Event) error) error {
	in, err := p.openArgument(name)
	if err != nil {
		return err
	}
	defer in.Close()
	events := 0
	if err := eventlog.Read(in, func(e *actors.Event) error { events++; return take(e) }); err != nil {
		return fmt.Errorf("%s:%w", name, err)
	}
	if events == 0 {
		return fmt.Errorf("%s: there is no event in it", name)
	}
	return nil
}

// typesOf parses names of event types.
func typesOf(names []string) (list []event.Type, err error) {
	if names != nil && len(names) == 0 {
		return nil, usageError("--only: which types of events?")
	}
	for _, name := range names {
		var t event.Type
		if err := t.UnmarshalText([]byte(name)); err != nil {
			return nil, usageError("--only: no event is called %s", words.Quoted(name))
		}
		list = append(list, t)
	}
	return list, nil
}

// jobsOf parses jobs as --job names them: job_0003 or 3.
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
