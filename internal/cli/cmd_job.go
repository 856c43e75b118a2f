package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/eventlog"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// newJob is the command `tarry job`.
func newJob(p *program) *cobra.Command {
	c := new(clientFlags)
	cmd := family("job", "Watch and change the jobs of a server, tarry serve", `Watch and change the jobs of a server, tarry serve. Jobs are named by the numbers that tarry submit
prints.

  tarry job list
  tarry job kill 7 --reason 'wrong input'
  tarry job events 7
  tarry job events --json`,
		newJobList(p, c),
		aboutJob(p, c, "status JOB", "Show a job", "the number of a job",
			func(client *api.Client, ctx context.Context, id int64, _ string) (api.Job, error) {
				return client.Job(ctx, id)
			}),
		newJobKill(p, c),
		aboutJob(p, c, "priority JOB PRIORITY", "Change how important a job is to the scheduler",
			"the number of a job and very_high, high, normal, low or very_low", (*api.Client).SetPriority),
		aboutJob(p, c, "pool JOB POOL", "Move a job to another pool or queue", "the number of a job and a pool or queue",
			(*api.Client).SetPool),
		newJobCounters(p, c),
		newJobEvents(p, c),
	)
	c.register(cmd, true)
	return cmd
}

// family is a command that only has others below it.
func family(name, short, long string, list ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: name, Short: short, Long: long, Args: unknownBelow, RunE: help}
	cmd.AddCommand(list...)
	return cmd
}

// unknownBelow refuses a sub-command that there is not.
func unknownBelow(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usageError("%s has no command %s%s (see %s --help)", cmd.CommandPath(), words.Quoted(args[0]),
		meant(cmd, args[0]), cmd.CommandPath())
}

func newJobList(p *program, c *clientFlags) *cobra.Command {
	state, user, ended := "", "", false
	cmd := ofServer(c, "list", "List the jobs, the last submitted first", 0, 0, "no arguments",
		func(cmd *cobra.Command, client *api.Client, _ []string) (err error) {
			var list []api.Job
			if ended {
				list, err = client.History(cmd.Context(), user)
			} else {
				list, err = client.Jobs(cmd.Context(), state, user)
			}
			if err != nil {
				return err
			}
			return printJobs(p, c.json, list)
		})
	f := cmd.Flags()
	f.StringVar(&state, "state", "", "only those that are waiting, running, succeeded, failed or killed")
	f.StringVar(&user, "of", "", "only those of this user")
	f.BoolVar(&ended, "ended", false, "only those that have ended: the last thousand, with --state of serve those of former processes, too")
	cmd.MarkFlagsMutuallyExclusive("ended", "state")
	complete(cmd, "state", api.Waiting, api.Running, api.Succeeded, api.Failed, api.Killed)
	return cmd
}

// printJobs prints a table of jobs.
func printJobs(p *program, asJSON bool, list []api.Job) error {
	return rows(p, asJSON, "JOB\tSTATE\tUSER\tPOOL\tPRIORITY\tMAPS\tREDUCES\tTIME\tNAME", list, func(j api.Job) []string {
		maps, reduces := "-", "-"
		if n := len(j.Stages); n > 0 {
			at := j.Stages[n-1]
			maps = fmt.Sprintf("%d/%d", at.Maps.Done, at.Maps.Total)
			reduces = fmt.Sprintf("%d/%d", at.Reduces.Done, at.Reduces.Total)
		}
		return []string{
			strconv.FormatInt(j.ID, 10), j.State, j.User, j.Pool, j.Priority, maps, reduces, seconds(j.ElapsedSeconds), j.Job,
		}
	})
}

// seconds is a time for people.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

// aboutJob is a sub-command that does something with a job and shows it. Its arguments are the job and,
// if use says so, a word more, which do is given; what names them.
func aboutJob(p *program, c *clientFlags, use, short, what string,
	do func(client *api.Client, ctx context.Context, id int64, word string) (api.Job, error),
) *cobra.Command {
	n := strings.Count(use, " ")
	return ofServer(c, use, short, n, n, what, func(cmd *cobra.Command, client *api.Client, args []string) error {
		id, err := jobNumber(args[0])
		if err != nil {
			return err
		}
		j, err := do(client, cmd.Context(), id, strings.Join(args[1:], ""))
		if err != nil {
			return err
		}
		return printJob(p, c.json, &j)
	})
}

// printJob prints all that is known of a job.
func printJob(p *program, asJSON bool, j *api.Job) error {
	if asJSON {
		return json.NewEncoder(p.stdout).Encode(j)
	}
	line := func(name, format string, args ...any) {
		fmt.Fprintf(p.stdout, "%-10s %s\n", name, words.Printable(fmt.Sprintf(format, args...)))
	}
	line("job", "%d %s", j.ID, j.Job)
	line("state", "%s after %s", j.State, seconds(j.ElapsedSeconds))
	if j.Reason != "" {
		line("waits", "%s", j.Reason)
	}
	if j.Error != "" {
		line("error", "%s", j.Error)
	}
	line("user", "%s, pool %s, priority %s", j.User, j.Pool, j.Priority)
	line("output", "%s", j.Output)
	line("submitted", "%s", j.Submitted.Local().Format(time.DateTime))
	for _, s := range j.Stages {
		line(s.ID, "maps %d of %d, %d running; reduces %d of %d, %d running; %d node-local, %d rack-local, %d elsewhere",
			s.Maps.Done, s.Maps.Total, s.Maps.Running, s.Reduces.Done, s.Reduces.Total, s.Reduces.Running,
			s.NodeLocal, s.RackLocal, s.OffRack)
	}
	return nil
}

func newJobKill(p *program, c *clientFlags) *cobra.Command {
	reason := ""
	cmd := aboutJob(p, c, "kill JOB", "End a job; one that has ended stays as it is", "the number of a job",
		func(client *api.Client, ctx context.Context, id int64, _ string) (api.Job, error) {
			return client.Kill(ctx, id, reason)
		})
	cmd.Flags().StringVar(&reason, "reason", "", "why, for whoever looks at the job")
	return cmd
}

func newJobCounters(p *program, c *clientFlags) *cobra.Command {
	return ofServer(c, "counters JOB", "Show the counters of a job, of the stages that have ended", 1, 1, "the number of a job",
		func(cmd *cobra.Command, client *api.Client, args []string) error {
			id, err := jobNumber(args[0])
			if err != nil {
				return err
			}
			n, err := client.Counters(cmd.Context(), id)
			if err != nil {
				return err
			}
			if c.json {
				return json.NewEncoder(p.stdout).Encode(n)
			}
			sum := new(counter.Set)
			for _, v := range n.Counters {
				sum.AddNamed(v.Group, v.Name, v.Value)
			}
			return sum.Print(p.stdout)
		})
}

func newJobEvents(p *program, c *clientFlags) *cobra.Command {
	return ofServer(c, "events [JOB]", "Show what happens to a job until it has ended, or in the cluster until Ctrl-C", 0, 1, "the number of a job, or nothing",
		func(cmd *cobra.Command, client *api.Client, args []string) (err error) {
			id := int64(0)
			if len(args) > 0 {
				if id, err = jobNumber(args[0]); err != nil {
					return err
				}
			}
			return client.Events(cmd.Context(), id, "", func(e api.Event) error {
				return printEvent(p, c.json, &e)
			})
		})
}

// printEvent prints an event as `tarry events` does.
func printEvent(p *program, asJSON bool, e *api.Event) error {
	text := string(e.Data)
	if !asJSON && e.Type == "missed" {
		text = "missed: " + text
	} else if !asJSON {
		var known actors.Event
		if err := json.Unmarshal(e.Data, &known); err != nil {
			return fmt.Errorf("an event of another version of tarry: %w", err)
		}
		text = words.Printable(eventlog.Line(&known))
	}
	_, err := fmt.Fprintln(p.stdout, text)
	return err
}
