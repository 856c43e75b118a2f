package cli

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// submitFlags are the flags of `tarry submit`.
type submitFlags struct {
	clientFlags

	job         api.Submission
	key         string
	wait, quiet bool
}

func submitCommand(c *command) {
	c.Use, c.Short = "submit [FLAGS] JOB IN... --output OUT", "Submit a job to a server, tarry serve"
	c.Long = `Submit a job to a server, tarry serve, and print its number. JOB and its arguments are those of
tarry run: flags of the job, inputs and --output (-o, except for grep). A server needs --output; a
server of your own may have more jobs. The flags below go before JOB.

Files are those of the server, below its --root, or dfs:NAME in its block store. If the server runs
on this machine, relative names start at the working directory.

  tarry submit wordcount book.txt -o counts
  tarry submit --wait --pool ann grep -i error dfs:logs --output dfs:errors

Repeat a call that broke off with the same --submit-key: it submits one job, until 24 hours after
the end of that job.`
	f := &submitFlags{clientFlags: clientFlags{command: c}}
	c.Args = arguments(1, -1, "a job, its inputs and --output OUT")
	c.RunE = func(_ *cobra.Command, args []string) error { return f.submit(args) }
	s := c.Flags()
	s.SetInterspersed(false) // the server parses the arguments after JOB
	s.StringVar(&f.job.User, "user", "", "submit the job as `USER` (default: the user of the token or certificate, otherwise of this process)")
	s.StringVar(&f.job.Pool, "pool", "", "put the job into this `POOL` (default: the user's)")
	s.StringVar(&f.job.Queue, "queue", "", "put the job into this `QUEUE` (default: the queue named default)")
	s.StringVar(&f.job.Priority, "priority", "", "run the job with this `PRIORITY`: very_high, high, normal, low or very_low")
	s.StringVar(&f.key, "submit-key", "", "identify the job by this `KEY`: repeated calls with it submit one job (default: a new key)")
	s.BoolVar(&f.wait, "wait", false, "wait for the end of the job, and exit by its result")
	s.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing but errors")
	f.register(true)
	complete(c.Command, "priority", "very_high", "high", "normal", "low", "very_low")
}

// submit sends the job in args to the server. With --wait it then waits for the end of the job.
func (f *submitFlags) submit(args []string) error {
	if slices.Contains(ahead(args), "--help") {
		job, err := findCommand(f.Command, []string{"run", args[0]}) // this program's help
		if err != nil {
			return err
		}
		return job.Help()
	}
	client, err := f.client()
	if err != nil {
		return err
	}
	if f.job.Job, f.job.Args = args[0], args[1:]; f.job.User == "" && f.TokenFile == "" && f.Cert == "" {
		f.job.User = whoRuns()
	}
	if at, bad := url.Parse(client.Base); bad == nil && loopback(at.Hostname()+":0") { // it has our files
		if f.job.Directory, err = os.Getwd(); err != nil {
			return err
		}
	}
	if f.key == "" {
		f.key = rand.Text()
	}
	job, err := client.Submit(f.Context(), f.job, f.key)
	if err == nil && f.wait && !api.Ended(job.State) {
		job, err = client.Wait(f.Context(), job.ID, nil)
	}
	if err != nil {
		return clientError(err)
	}
	switch {
	case f.json:
		err = json.NewEncoder(f.stdout).Encode(job)
	case f.quiet:
	case f.wait:
		where := ""
		if job.State == api.Succeeded {
			where = ": " + words.Printable(job.Output)
		}
		_, err = fmt.Fprintf(f.stderr, "job %d %s in %s%s\n", job.ID, job.State, seconds(job.ElapsedSeconds), where)
	default:
		_, err = fmt.Fprintln(f.stdout, job.ID)
	}
	if err == nil && f.wait && job.State != api.Succeeded {
		err = fmt.Errorf("job %d %s: %s", job.ID, job.State, words.Printable(job.Error))
	}
	return err
}

// ahead returns the arguments before the first "--", those that may be flags.
func ahead(args []string) []string {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i]
	}
	return args
}
