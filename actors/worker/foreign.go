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

// foreign runs the client of an engine that is not ours, until it ends, is not wanted any more, or a
// worker has met an error that another attempt would meet again.
type foreign struct {
	job  *job
	name string            // of the engine
	line func(line string) // hears what the client says, before kill is called; nil: nobody does
	kill func()            // ends what the client has begun; nil: it ends with the client

	said reasons
}

// How often the folder of errors is looked at, and that in a store; tests look more often.
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
	_ = in.Close() // a pipe's own
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
	if firstFailure(f.job.temp) != nil { // a worker's own words say more
		return f.job.failed(err)
	}
	if said := f.said.reason(); said != "" {
		err = fmt.Errorf("%w: %.400s", err, said)
	}
	return f.job.unended(err)
}

// hear reads what the client says.
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

// watch ends the run once a worker has left an error that is permanent.
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

// firstFailure is the failure that a worker left before all others, but a permanent one before that.
func firstFailure(temp folder) (first *failure) {
	in := temp.below(failures)
	files, _ := in.list() // who cannot be asked now may be later
	var at time.Time
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			continue
		}
		if info.Size() == 0 { // of one that goes on
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
