package actors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/tarry-mr/tarry/dfs"
)

// Drain takes no more jobs and waits until all that run, or whose Submit is under way, have ended, or
// ctx has.
func (c *Cluster) Drain(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	drained := make(chan struct{})
	go func() {
		c.submits.Wait()
		<-c.registry.whenIdle()
		close(drained)
	}()
	select {
	case <-drained:
		return nil
	case <-ctx.Done():
		return ending(ctx)
	}
}

// haltPoll is how often Halt looks whether attempts are still at work.
const haltPoll = 10 * time.Millisecond

// Halt ends all jobs gently: no job is taken and no task launched any more; what computes
// may end until ctx does; then the jobs are killed and their output removed. Reduces that
// wait for maps which will not run are not waited for.
func (c *Cluster) Halt(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.env.chaos.end()
	c.submits.Wait()
	c.env.cfg.State.stop()
	err := c.ask(cordonAll{})
	for c.computing() && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(haltPoll):
		}
	}
	c.killAll("halted")
	<-c.registry.whenIdle()
	return err
}

// computing says whether any attempt that the JobTracker has not heard the end of does
// more than wait for maps.
func (c *Cluster) computing() bool {
	for _, r := range c.registry.runs() {
		r.mu.Lock()
		n := r.tally.active[0] + r.tally.active[1]
		for a := range r.live {
			if a.idling.Load() {
				n--
			}
		}
		r.mu.Unlock()
		if n > 0 {
			return true
		}
	}
	return false
}

func (c *Cluster) killAll(why string) {
	for _, r := range c.registry.runs() {
		_ = (&JobHandle{cluster: c, run: r}).Kill(why) // one that has ended meanwhile is no error
	}
}

// Close kills what runs, waits until it has ended, releases all datasets and stops the cluster; a
// Submit that is under way returns [ErrClosed]. A second Close does nothing. Attempts whose user code does not return after some seconds are abandoned: their
// goroutines go on until it does, and the Logger has heard of each. So is the end of a job that does
// not complete or remove its output within Config.TaskTimeout and some seconds: the error, which wraps
// ErrTaskTimeout, names the job, and its output is what is made of it yet.
func (c *Cluster) Close() error {
	c.mu.Lock()
	if c.stopped {
		c.mu.Unlock()
		return nil
	}
	c.closed, c.closing = true, true
	c.mu.Unlock()
	c.env.chaos.end()
	c.submits.Wait()
	c.env.cfg.State.stop()
	c.killAll("the cluster is closed")
	left := c.idle()
	c.mu.Lock()
	c.stopped = true
	nodes := c.nodes
	c.nodes = make([]*actor.PID, len(nodes))
	c.mu.Unlock()
	c.commands.Wait()
	errs := []error{c.env.sys.stop(nodes...), c.env.sys.stop(c.jobTracker), c.env.sys.stop(c.nameNode)}
	for _, p := range c.env.places {
		// Nobody waits for reports any more.
		errs = append(errs, c.env.fs.Lose(dfs.NodeID(p.name), true))
	}
	c.env.sys.shutdown()
	errs = append(errs, cmp.Or(left, c.await()))
	c.env.datasets.close()
	c.env.buffers.Close()
	return errors.Join(errs...)
}

// idle waits until all jobs have ended. What user code takes to complete or remove an output it may
// take for as long as an attempt may go on without progress, and the time in which attempts stop.
func (c *Cluster) idle() error {
	idle := c.registry.whenIdle()
	limit := c.env.cfg.TaskTimeout
	if limit < 0 {
		<-idle
		return nil
	}
	timer := time.NewTimer(limit + endGrace + abandonAfter)
	defer timer.Stop()
	select {
	case <-idle:
		return nil
	case <-timer.C:
	}
	var errs []error
	for _, r := range c.registry.runs() {
		errs = append(errs, fmt.Errorf("%w: the end of %v %q does not return, its output may be incomplete",
			ErrTaskTimeout, r.id, r.name))
	}
	return errors.Join(errs...)
}

// await waits for the goroutines of attempts and endings.
func (c *Cluster) await() error {
	done := make(chan struct{})
	go func() {
		c.env.attempts.Wait()
		c.env.endings.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(2 * abandonAfter):
		return errors.New("actors: the end of a job does not return")
	}
}
