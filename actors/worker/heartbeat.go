package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// heartbeatGrace is the time after the task timeout at which a silent worker is killed. A worker
// that is not suspended ends itself before that, with the place where the user's code hangs.
const heartbeatGrace = 2 * time.Second

// errStopped is the error of a worker that gave no heartbeat.
var errStopped = errors.New("its process gave no sign of life and was killed")

// beatEvery returns the interval between heartbeats of a worker with a timeout.
func beatEvery(timeout time.Duration) time.Duration { return min(time.Second, timeout/4+1) }

// beat updates the modification time of the task's heartbeat file until this process ends. It shows
// the process that started this one that it is neither stopped nor frozen.
func (t *task) beat() {
	tick := time.NewTicker(beatEvery(t.Timeout))
	for now := time.Now(); ; now = <-tick.C {
		if os.Chtimes(t.Heartbeat, now, now) != nil {
			return // the file is removed when the starter no longer waits
		}
	}
}

// heartbeatFile creates a task's heartbeat file in a local directory.
func (t *task) heartbeatFile(dir string) (remove func(), err error) {
	f, err := os.CreateTemp(dir, "tarry-beat-*")
	if err != nil {
		return nil, err
	}
	t.Heartbeat = f.Name()
	return func() { _ = os.Remove(f.Name()) }, f.Close()
}

// awaitSilence cancels ctx with errStopped when a task's heartbeat file has not changed for the
// task's timeout plus heartbeatGrace. Time in which this process did not run does not count.
func (t *task) awaitSilence(ctx context.Context, cancel context.CancelCauseFunc) {
	interval := beatEvery(t.Timeout)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var lastBeat time.Time
	silence, lastTick := time.Duration(0), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		// A longer pause means that this process itself was stopped or starved.
		passed := min(now.Sub(lastTick), 2*interval)
		lastTick = now
		if info, err := os.Stat(t.Heartbeat); err != nil || !info.ModTime().Equal(lastBeat) {
			silence = 0
			if err == nil {
				lastBeat = info.ModTime()
			}
			continue
		}
		if silence += passed; silence >= t.Timeout+heartbeatGrace {
			cancel(fmt.Errorf("task timeout: %w (is it stopped, as by SIGSTOP?): none for %v", errStopped, t.Timeout+heartbeatGrace))
			return
		}
	}
}
