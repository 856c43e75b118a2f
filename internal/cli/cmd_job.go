package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
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

func jobsCommand(cmd *command) {
	cmd.Use, cmd.Short = "job", "Watch and change the jobs of a server, tarry serve"
	cmd.Long = `Watch and change the jobs of a server, tarry serve. Jobs are named by the numbers that tarry submit
prints.

  tarry job list
  tarry job kill 7 --reason 'wrong input'
  tarry job events 7
  tarry job events --json`
	c, reason := &clientFlags{command: cmd}, ""
	const aJob = "the number of a job"
	kill := c.aboutJob("kill JOB", "Kill a job that has not ended", aJob,
		func(client *api.Client, ctx context.Context, id int64, _ string) (api.Job, error) {
			return client.Kill(ctx, id, reason)
		})
	kill.Flags().StringVar(&reason, "reason", "", "record this `REASON` with the job")
	c.family(
		jobList(c),
		c.aboutJob("status JOB", "Show a job", aJob,
			func(client *api.Client, ctx context.Context, id int64, _ string) (api.Job, error) {
				return client.Job(ctx, id)
			}),
		kill,
		c.aboutJob("priority JOB PRIORITY", "Change the priority of a job",
			aJob+" and very_high, high, normal, low or very_low", (*api.Client).SetPriority),
		c.aboutJob("pool JOB POOL", "Move a job to another pool or queue", aJob+" and a pool or queue", (*api.Client).SetPool),
		c.ask("counters JOB", "Show the counters of a job's ended stages", 1, 1, aJob, c.counters),
		c.ask("events [JOB]", "Print the events of a job until its end, or of the cluster until Ctrl-C", 0, 1,
			aJob+", or nothing", c.follow),
	)
	c.register(true)
}

func jobList(c *clientFlags) *cobra.Command {
	state, user, ended := "", "", false
	cmd := c.ask("list", "List the jobs, the last submitted first", 0, 0, "no arguments",
		func(ctx context.Context, client *api.Client, _ []string) (err error) {
			if ended {
				state = api.AnyEnd
			}
			list, err := client.Jobs(ctx, state, user)
			return rows(c, "JOB STATE USER POOL PRIORITY MAPS REDUCES TIME NAME", list, err, func(j api.Job) []string {
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
		})
	f := cmd.Flags()
	f.StringVar(&state, "state", "", "list only jobs in this `STATE`: waiting, running, succeeded, failed or killed")
	f.StringVar(&user, "of", "", "list only jobs of this `USER`")
	f.BoolVar(&ended, "ended", false, "list only ended jobs: the last thousand and those of the last day with a key, with --state of tarry serve also those of earlier processes")
	excludes(cmd, "ended", "state")
	complete(cmd, "state", api.Waiting, api.Running, api.Succeeded, api.Failed, api.Killed)
	return cmd
}

// seconds returns a time as text, rounded for people.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

// aboutJob returns a subcommand that calls do for a job and prints the job. use names its one or
// two arguments, the job and do's word; what describes them.
func (c *clientFlags) aboutJob(use, short, what string,
	do func(client *api.Client, ctx context.Context, id int64, word string) (api.Job, error),
) *cobra.Command {
	n := strings.Count(use, " ")
	return c.ask(use, short, n, n, what, func(ctx context.Context, client *api.Client, args []string) error {
		id, err := jobNumber(args[0])
		if err != nil {
			return err
		}
		j, err := do(client, ctx, id, strings.Join(args[1:], ""))
		return c.answer(j, err, func(out io.Writer) { printJob(out, &j) })
	})
}

// printJob prints all that the server reports about a job.
func printJob(out io.Writer, j *api.Job) {
	lines := [][]string{
		{"job", fmt.Sprint(j.ID, " ", j.Job)},
		{"state", j.State + " after " + seconds(j.ElapsedSeconds)},
		{"waits", j.Reason},
		{"error", j.Error},
		{"user", fmt.Sprintf("%s, pool %s, priority %s", j.User, j.Pool, j.Priority)},
		{"output", j.Output},
		{"submitted", j.Submitted.Local().Format(time.DateTime)},
	}
	lines = slices.DeleteFunc(lines, func(line []string) bool { return line[1] == "" })
	for _, s := range j.Stages {
		lines = append(lines, []string{s.ID, fmt.Sprintf(
			"maps %d of %d, %d running; reduces %d of %d, %d running; %d node-local, %d rack-local, %d elsewhere",
			s.Maps.Done, s.Maps.Total, s.Maps.Running, s.Reduces.Done, s.Reduces.Total, s.Reduces.Running,
			s.NodeLocal, s.RackLocal, s.OffRack)})
	}
	table(out, lines)
}

// counters prints the counters of a job, summed over its stages.
func (c *clientFlags) counters(ctx context.Context, client *api.Client, args []string) error {
	id, err := jobNumber(args[0])
	if err != nil {
		return err
	}
	n, err := client.Counters(ctx, id)
	return c.answer(n, err, func(out io.Writer) {
		sum := new(counter.Set)
		for _, v := range n.Counters {
			sum.AddNamed(v.Group, v.Name, v.Value)
		}
		_ = sum.Print(out)
	})
}

// follow prints the events of a job, or of all jobs, as `tarry events` does.
func (c *clientFlags) follow(ctx context.Context, client *api.Client, args []string) (err error) {
	id := int64(0)
	if len(args) > 0 {
		if id, err = jobNumber(args[0]); err != nil {
			return err
		}
	}
	return client.Events(ctx, id, "", func(e api.Event) error {
		text := string(e.Data)
		switch {
		case c.json:
		case e.Type == "missed":
			text = "missed: " + text
		default:
			var known actors.Event
			if err := json.Unmarshal(e.Data, &known); err != nil {
				return fmt.Errorf("an event of another version of tarry: %w", err)
			}
			text = words.Printable(eventlog.Line(&known))
		}
		_, err := fmt.Fprintln(c.stdout, text)
		return err
	})
}
