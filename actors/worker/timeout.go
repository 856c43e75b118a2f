package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// usualTimeout is the default task timeout, as Hadoop's mapreduce.task.timeout.
const usualTimeout = 10 * time.Minute

// watched runs work, which contains user code, in a new goroutine, which user code may end. If
// there is no progress for the task timeout, the task and this process fail: nothing else can stop
// code that does not return.
func (a *attempt) watched(work func() error) (err error) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		returned := false
		defer func() {
			if !returned {
				err = a.progress.Exited()
			}
		}()
		err = work()
		returned = true
	}()
	if a.still(over) {
		giveUp(fmt.Errorf("task timeout: no progress for %v%s", a.task.Timeout, a.stand()))
	}
	return err
}

// stalled waits until over is closed. It returns true if, before that, sign has returned the same
// for the limit (0: none). Time in which this process did not run does not count.
func stalled(over <-chan struct{}, limit, every time.Duration, sign func() int64) bool {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last, stood, was := int64(0), time.Duration(0), time.Now()
	for {
		select {
		case <-over:
			return false
		case <-tick.C:
		}
		now := time.Now()
		// A longer pause means that this process itself was stopped or starved.
		passed := min(now.Sub(was), 2*every)
		was = now
		if s := sign(); s != last {
			last, stood = s, 0
		} else if stood += passed; limit > 0 && stood >= limit {
			return true
		}
	}
}

// still waits until the work is over. It returns true if there was no progress for the task's
// timeout. It reports progress to Hadoop, which has its own timeout.
func (a *attempt) still(over <-chan struct{}) bool {
	var pulse int64
	told, looked := time.Now(), time.Now()
	return stalled(over, a.task.Timeout, beatEvery(a.task.Timeout), func() int64 {
		now := time.Now()
		if now.Sub(looked) >= a.task.lookEvery() {
			looked = now
			if _, err := a.task.there(); errors.Is(err, errGone) { // the starter may not be alive to end this process
				giveUp(err)
			}
		}
		p := a.progress.Pulse()
		if p != pulse && now.Sub(told) >= tellEvery {
			told = now
			a.tell("status", fmt.Sprintf("%d records", a.progress.Records.Load()))
		}
		pulse = p
		return p
	})
}

// lookEvery returns how often a task checks that its job still runs.
func (t *task) lookEvery() time.Duration {
	if stores.Named(t.Temp) {
		return time.Minute
	}
	return 5 * time.Second
}

// tellEvery is how often progress is reported to Hadoop.
const tellEvery = time.Minute

// stand describes how far the attempt has come, and where the user's code is.
func (a *attempt) stand() string {
	text := ", before the first record"
	if where := a.progress.Where(); where != "" {
		text = ", in " + where
	} else if n := a.progress.Records.Load(); n > 0 {
		text = fmt.Sprintf(", after about %d records", n)
	}
	all := make([]byte, maxStacks)
	for stack := range strings.SplitSeq(string(all[:runtime.Stack(all, true)]), "\n\n") {
		if !strings.Contains(stack, "created by github.com/tarry-mr/tarry/actors/worker.(*attempt).watched ") {
			continue
		}
		if at := cluster.StackPlace(stack); at != "" {
			return text + ", at " + at
		}
	}
	return text
}

// maxStacks limits the size of the stack dump that is searched for one goroutine.
const maxStacks = 4 << 20

// giveUp ends this process with an error, whatever other goroutines do.
func giveUp(cause error) {
	tellVerdict(cause)
	os.Exit(1)
}

// heartbeatGrace is the time after the task timeout at which a silent worker is killed. A worker
// that is not suspended ends itself before that, with the place where the user's code hangs.
const heartbeatGrace = 2 * time.Second

// errStopped is the error of a worker that gave no heartbeat.
var errStopped = errors.New("its process gave no sign of life and was killed")

// beatEvery returns the interval between heartbeats of a worker, and between looks at it.
func beatEvery(timeout time.Duration) time.Duration {
	if timeout <= 0 {
		return time.Second
	}
	return min(time.Second, timeout/4+1)
}

// beat writes heartbeats to the process that started this one. They show that this process is
// neither stopped nor frozen. When nobody reads them, the starter has exited, and this process
// ends.
func (t *task) beat() {
	for range time.Tick(beatEvery(t.Timeout)) {
		if tellStarter(beatText) != nil {
			os.Exit(1)
		}
	}
}

// awaitSilence cancels ctx with errStopped when beats has not changed for the task's timeout plus
// heartbeatGrace.
func (t *task) awaitSilence(ctx context.Context, cancel context.CancelCauseFunc, beats func() int64) {
	limit := t.Timeout + heartbeatGrace
	if stalled(ctx.Done(), limit, beatEvery(t.Timeout), beats) {
		cancel(fmt.Errorf("task timeout: %w (is it stopped, as by SIGSTOP?): none for %v", errStopped, limit))
	}
}
