package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

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

	heard reasons
}

// run runs the client. If it fails, the error begins with the first cause and ends with the name of
// a file, which contains the client's output and the tasks' logs.
func (f *foreign) run(ctx context.Context, command []string) error {
	file, err := os.CreateTemp("", "tarry-"+f.name+"-*.log")
	if err != nil {
		return err
	}
	defer file.Close() // only an aid
	err = f.ended(ctx, f.start(ctx, command, file))
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
	return fmt.Errorf("%w; logs: %s", f.why(err), file.Name())
}

// start runs the client until it ends, in its own process group: a terminal's signals reach only
// this process, which then ends the client.
func (f *foreign) start(ctx context.Context, command []string, log io.Writer) (err error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = environ()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	ownGroup(cmd)
	f.hear(log, func(to io.Writer) {
		cmd.Stdout, cmd.Stderr = to, to
		err = cmd.Run()
	})
	return err
}

// lateNotes is how long a job may take to end after its client, or its notes to appear on a
// network's disk.
const lateNotes = time.Minute

// ended returns the job's error after its client has ended with err. A client may lose sight of a
// job that succeeds, if a host is lost; sbatch does not always report that a job has failed.
func (f *foreign) ended(ctx context.Context, err error) error {
	_, missing := f.job.results()
	if (err == nil) == (missing == nil) || f.job.failed(nil) != nil {
		return cmp.Or(err, missing)
	}
	select {
	case <-f.job.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(lateNotes):
		return cmp.Or(err, missing)
	}
	if err != nil {
		f.job.logf("%s's client has failed, but the job has succeeded (%v)", f.name, err)
	}
	return nil
}

// why returns the error of a run whose client has failed with err: the first cause that is known.
func (f *foreign) why(err error) error {
	if cluster.IsPermanent(err) {
		return err // a worker's error
	}
	err = fmt.Errorf("%s: %w", f.name, err)
	if failed := f.job.failed(err); failed != err { //nolint:errorlint // a worker's error says more than the engine's
		return failed
	}
	if f.heard.said[workerMessage] != "" { // from a host without the plan's folder
		return fmt.Errorf("%s (%w)", f.heard.said[workerMessage], err)
	}
	if said := f.heard.reason(); said != "" {
		if strings.Contains(said, f.job.temp.dir) && strings.HasSuffix(said, "does not exist") {
			// Hadoop itself reads the list of splits there, before a worker can say what is wrong.
			said = "the output's folder is not shared with all hosts, or not readable for the user of the tasks (umask 000): " + said
		}
		err = fmt.Errorf("%w: %.400s", err, said)
	}
	return f.job.unended(err)
}

// hear passes each line that say writes to f.line and f.heard, and copies the lines to log.
func (f *foreign) hear(log io.Writer, say func(to io.Writer)) {
	w := &lineWriter{each: func(line []byte) {
		_, _ = log.Write(line) // the log is only an aid
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			return
		}
		if f.line != nil {
			f.line(text)
		}
		if url := tracking().FindStringSubmatch(text); url != nil && f.job.tracking.CompareAndSwap("", url[1]) {
			f.job.logf("%s shows it at %s", f.name, url[1])
		}
		was := f.heard.said[waitText]
		if f.heard.addLine(text); was == "" && f.heard.said[waitText] != "" {
			f.job.logf("%s: %s", f.name, f.heard.said[waitText])
		}
	}}
	say(w)
	w.flush()
}

// tracking matches the line in which an engine's client names the URL of its job.
var tracking = pattern(`(?:track the job: |tracking URL: |Bound SparkUI to .*started at )(https?://\S+)`)

// pattern compiles a regular expression at its first use, since most programs never use another
// engine.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// The kinds of text in the output of an engine's client that tell why it waits or has failed. Those
// from workerExit on explain a failure, the best first. Up to javaCause, the first text of a kind
// counts, since later failures are often its consequences; then the last.
const (
	waitText          = iota // what clients print while they wait for an unreachable server
	workerMessage            // what a worker says on standard error when its attempt has failed
	workerExit               // what our Python file prints on Spark about a worker without a message
	jobAborted               // what Spark's driver prints when a task has failed too often
	javaCause                // the innermost cause of the first Java exception
	applicationFailed        // what Hadoop's client prints when YARN has ended a job
	logError                 // an error in a log or from a command
	lastLine                 // a line that is not part of a stack trace
	kinds
)

// signs match the kinds but javaCause and lastLine; the text is their group.
var signs = [lastLine]func() *regexp.Regexp{
	waitText:          pattern(`\b((?:Retrying connect to server|Failed to connect to master|Unable to contact slurm controller)\b.*)`),
	workerMessage:     pattern(`\btarry: ([mr]-\d+-\d+ on \S+: .+)`),
	workerExit:        pattern(`\b(tarry worker exit -?\d+)`),
	jobAborted:        pattern(`\b(Job aborted due to .+)`),
	applicationFailed: pattern(`\bfailed with state \w+ due to: (Application .+)`),
	logError:          pattern(`\b(?:ERROR|FATAL|error:|fatal:)[ :]+(?:[\w.$]+: )?(.+)`),
}

var (
	// javaError matches a Java exception, as Java programs and Python print it.
	javaError = pattern(`^(?:Exception in thread "[^"]*" |(Caused by): |Error: |: )?(?:[a-z]\w*\.)+[\w.$]*(?:Exception|Error)(?:: (.*))?$`)
	// traceLine matches a line of a stack trace.
	traceLine = pattern(`^(?:at |\.\.\. \d+ more|File "|Traceback |\^)`)
	// noReason matches messages that do not explain a failure.
	noReason = pattern(`^(?:Error initializing SparkContext|Exception thrown in awaitResult|Streaming Command Failed|` +
		`An error has occurred|$)`)
)

// reasons extracts, from the output of an engine's client, why it has failed.
type reasons struct {
	said         [kinds]string
	causesFollow bool // the next lines may name causes of the first exception
}

// addLine reads a line of the output. Of a Java exception, the last "Caused by" that says something
// counts.
func (r *reasons) addLine(line string) {
	line = strings.TrimSpace(line)
	if line == "" || traceLine().MatchString(line) {
		return
	}
	r.said[lastLine] = line
	for kind, sign := range signs {
		if kind == javaCause || kind < javaCause && r.said[kind] != "" {
			continue
		}
		if m := sign().FindStringSubmatch(line); m != nil && !noReason().MatchString(m[1]) {
			r.said[kind] = m[1]
		}
	}
	m, first := javaError().FindStringSubmatch(line), r.said[javaCause] == ""
	inner := m != nil && m[1] != ""
	if !inner {
		r.causesFollow = m != nil && first
	}
	if m != nil && (first || r.causesFollow && inner) {
		if text := strings.TrimSpace(m[2]); !noReason().MatchString(text) {
			r.said[javaCause], r.causesFollow = text, true
		}
	}
}

// reason returns the line that explains the failure best, or "".
func (r *reasons) reason() string { return cmp.Or(r.said[workerExit:]...) }
