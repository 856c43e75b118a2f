package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// heartbeatGrace is how much longer than its task's timeout a worker may give no heartbeat: one that
// runs ends by itself before, and says where the user's code is.
const heartbeatGrace = 2 * time.Second

// errStopped is the error of a worker that gave no heartbeat.
var errStopped = errors.New("its process gave no sign of life and was killed")

// beatEvery is the time between two heartbeats of a worker with a timeout.
func beatEvery(timeout time.Duration) time.Duration { return min(time.Second, timeout/4+1) }

// beat sets the modification time of the task's heartbeat file until this process ends, from its
// beginning on: the process that started it so knows that it is neither stopped nor frozen.
func (t *task) beat() {
	tick := time.NewTicker(beatEvery(t.Timeout))
	for now := time.Now(); ; now = <-tick.C {
		if os.Chtimes(t.Heartbeat, now, now) != nil {
			return // the file is removed when nobody waits any more
		}
	}
}

// heartbeatFile makes the file of a task's heartbeats in a directory of this machine.
func (t *task) heartbeatFile(dir string) (remove func(), err error) {
	f, err := os.CreateTemp(dir, "tarry-beat-*")
	if err != nil {
		return nil, err
	}
	t.Heartbeat = f.Name()
	return func() { _ = os.Remove(f.Name()) }, f.Close()
}

// awaitSilence cancels ctx with errStopped when the file of a task's heartbeats has stayed as it is
// for the task's timeout and heartbeatGrace. Time in which this process did not run does not count.
func (t *task) awaitSilence(ctx context.Context, cancel context.CancelCauseFunc) {
	every := beatEvery(t.Timeout)
	tick := time.NewTicker(every)
	defer tick.Stop()
	var last time.Time
	silent, was := time.Duration(0), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		passed := min(now.Sub(was), 2*every)
		was = now
		if info, err := os.Stat(t.Heartbeat); err != nil || !info.ModTime().Equal(last) {
			silent = 0
			if err == nil {
				last = info.ModTime()
			}
			continue
		}
		if silent += passed; silent >= t.Timeout+heartbeatGrace {
			cancel(fmt.Errorf("task timeout: %w (is it stopped, as by SIGSTOP?): none for %v", errStopped, t.Timeout+heartbeatGrace))
			return
		}
	}
}
