package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// foreign runs the client program of an external engine until it ends, ctx ends, or a worker has
// left a permanent error.
type foreign struct {
	job  *job
	name string             // name of the engine
	line func(line string)  // called with each line of the client's output, before kill; may be nil
	kill func()             // ends the job on the engine; nil if the job ends with the client
	logs func(to io.Writer) // writes the tasks' logs, as far as the engine has them; may be nil
	// ended returns the job's error after its client has ended with err. If ended is nil, it is err.
	ended func(err error) error

	said reasons
}

// run runs the client. If it fails, the error begins with the first cause and ends with the name of
// a file, which contains the client's output and the tasks' logs.
func (f *foreign) run(ctx context.Context, command, env []string) error {
	file, err := os.CreateTemp("", "tarry-"+f.name+"-*.log")
	if err != nil {
		return err
	}
	defer file.Close() // only an aid
	err = f.start(ctx, command, env, file)
	if f.ended != nil && ctx.Err() == nil {
		err = f.ended(err)
	}
	if ctx.Err() != nil {
		if f.kill != nil {
			f.kill()
		}
		err = context.Cause(ctx)
	}
	if err == nil || ctx.Err() != nil && !cluster.IsPermanent(err) { // if ctx has ended, the user stopped the job
		return errors.Join(err, os.Remove(file.Name()))
	}
	if f.logs != nil {
		f.hear(file, f.logs)
	}
	err = f.why(err)
	wrapped := fmt.Errorf("%w; logs: %s", err, file.Name())
	if cluster.IsPermanent(err) {
		wrapped = mapreduce.Permanent(wrapped)
	}
	return wrapped
}

// start runs the client until it ends, in its own process group: a terminal's signals reach only
// this process, which then ends the client.
func (f *foreign) start(ctx context.Context, command, env []string, log io.Writer) (err error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	ownGroup(cmd)
	f.hear(log, func(to io.Writer) {
		cmd.Stdout, cmd.Stderr = to, to
		err = cmd.Run()
	})
	return err
}

// why returns the error of a run whose client has failed with err: the first cause that is known.
func (f *foreign) why(err error) error {
	if cluster.IsPermanent(err) {
		return err // a worker's error
	}
	err = fmt.Errorf("%s: %w", f.name, err)
	if firstFailure(f.job.temp) != nil { // a worker's error says more than the engine's
		return f.job.failed(err)
	}
	if f.said.workerMessage != "" { // from a host without the plan's folder
		return fmt.Errorf("%s (%w)", f.said.workerMessage, err)
	}
	if said := f.said.reason(); said != "" {
		if strings.Contains(said, f.job.temp.dir) && strings.HasSuffix(said, "does not exist") {
			// Hadoop itself reads the list of splits there, before a worker can say what is wrong.
			said = "the output's folder is not shared with all hosts, or not readable for the user of the tasks (umask 000): " + said
		}
		err = fmt.Errorf("%w: %.400s", err, said)
	}
	return f.job.unended(err)
}

// hear passes each line that say writes to f.line and f.said, and copies the lines to log.
func (f *foreign) hear(log io.Writer, say func(to io.Writer)) {
	r, w := io.Pipe()
	go func() {
		say(w)
		_ = w.Close() // cannot fail
	}()
	for s := bufio.NewReader(r); ; {
		line, err := s.ReadString('\n')
		_, _ = io.WriteString(log, line) // the log is only an aid
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			if f.line != nil {
				f.line(line)
			}
			if url := tracking().FindStringSubmatch(line); url != nil && f.job.tracking.CompareAndSwap("", url[1]) {
				f.job.logf("%s shows it at %s", f.name, url[1])
			}
			was := f.said.waitText
			if f.said.addLine(line); was == "" && f.said.waitText != "" {
				f.job.logf("%s: %s", f.name, f.said.waitText)
			}
		}
		if err != nil {
			return
		}
	}
}

// tracking matches the line in which an engine's client names the URL of its job.
var tracking = pattern(`(?:track the job: |tracking URL: |Bound SparkUI to .*started at )(https?://\S+)`)
