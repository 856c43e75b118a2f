package worker

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// foreign runs the client program of an external engine until it ends, ctx ends, or a worker has
// left a permanent error.
type foreign struct {
	job  *job
	name string            // of the engine
	line func(line string) // called with each line of the client's output, before kill; may be nil
	kill func()            // ends the job on the engine; nil if the job ends with the client

	said reasons
}

// How often the folder of failures is polled on a disk and in a store; tests poll more often.
var (
	watchEvery      = 500 * time.Millisecond
	watchStoreEvery = 2 * time.Second
)

// run runs the client.
func (f *foreign) run(ctx context.Context, command, env []string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		f.hear(out)
	}()
	stop := make(chan struct{})
	go f.job.watch(stop, cancel)
	err := cmd.Run()
	close(stop)
	_ = in.Close() // cannot fail
	<-heard
	if ctx.Err() != nil {
		if f.kill != nil {
			f.kill()
		}
		return context.Cause(ctx)
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", f.name, err)
	if firstFailure(f.job.temp) != nil { // a worker's error says more than the engine's
		return f.job.failed(err)
	}
	if said := f.said.reason(); said != "" {
		err = fmt.Errorf("%w: %.400s", err, said)
	}
	return f.job.unended(err)
}

// hear reads the client's output.
func (f *foreign) hear(r io.Reader) {
	s := bufio.NewReader(r)
	for {
		line, err := s.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			if f.line != nil {
				f.line(line)
			}
			was := f.said.trying
			if f.said.hear(line); was == "" && f.said.trying != "" {
				f.job.logf("%s: %s", f.name, f.said.trying)
			}
		}
		if err != nil {
			return
		}
	}
}

// watch cancels the run once a worker has left a permanent error.
func (j *job) watch(stop <-chan struct{}, cancel context.CancelCauseFunc) {
	every := watchEvery
	if j.temp.store != nil {
		every = watchStoreEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if first := firstFailure(j.temp); first != nil && first.Permanent {
			cancel(j.failed(nil))
			return
		}
	}
}

// firstFailure returns the earliest failure that a worker left; permanent ones come first.
func firstFailure(temp folder) (first *failure) {
	in := temp.below(failures)
	files, _ := in.list() // retried at the next poll
	var at time.Time
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			continue
		}
		if info.Size() == 0 { // its attempt is still running
			continue
		}
		x := failureIn(in, file.Name())
		if x == nil {
			continue
		}
		if first == nil || x.Permanent && !first.Permanent || x.Permanent == first.Permanent && info.ModTime().Before(at) {
			first, at = x, info.ModTime()
		}
	}
	return first
}
