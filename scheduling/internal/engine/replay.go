package engine

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"reflect"

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// ReplayFrom reads calls written by a calls.Writer and applies them to c, which must be fresh and
// have the recorded configuration. The error names the first call whose answer differs.
func ReplayFrom(c *core.Core, r io.Reader) error {
	dec := json.NewDecoder(bufio.NewReader(r))
	for n := 1; ; n++ {
		var call calls.Call
		if err := dec.Decode(&call); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("scheduling: call %d: %w", n, err)
		}
		if err := Replay(c, &call); err != nil {
			return fmt.Errorf("call %d: %w", n, err)
		}
	}
}

// Replay makes a recorded call of c and compares the answer with the recorded one. The error wraps
// ErrReplay if they differ, or if no Core can have recorded the call.
func Replay(c *core.Core, call *calls.Call) error {
	if err := call.Complete(); err != nil {
		return err
	}
	switch call.Op {
	case calls.Name:
		c.NodeID(call.Text)
		return nil
	case calls.Join:
		id, err := c.Join(call.At, *call.Join)
		return differs(err, id, call.Node)
	case calls.Leave:
		return c.Leave(call.At, call.Node)
	case calls.Cordon:
		return c.Cordon(call.At, call.Node, call.Flag)
	case calls.Submit:
		id, err := c.Submit(call.At, *call.Submit)
		return differs(err, id, call.Job)
	case calls.Resume:
		id, err := c.Resume(call.At, model.JobID(call.Number), *call.Submit, call.Kept)
		return differs(err, id, call.Job)
	case calls.Heartbeat:
		got, err := c.Heartbeat(call.At, *call.Heartbeat)
		if len(got.Actions) == 0 && len(call.Actions) == 0 {
			return err
		}
		return differs(err, got.Actions, call.Actions)
	case calls.Expire:
		_, err := c.Expire(call.At)
		return err
	case calls.Update:
		return c.Update(call.At)
	case calls.Kill:
		return c.Kill(call.At, call.Job)
	case calls.Priority:
		return c.SetPriority(call.At, call.Job, model.Priority(call.Number))
	case calls.Pool:
		return c.SetPool(call.At, call.Job, call.Text)
	case calls.Output:
		return c.MapOutput(call.At, call.Attempt.Task, call.Bytes)
	case calls.Reconfigure:
		return c.Reconfigure(call.At, *call.Policy)
	case calls.Commit:
		return differs(nil, c.MayCommit(call.Attempt), call.Flag)
	case calls.Preempt:
		_, err := c.Preempt(call.At)
		return err
	}
	return fmt.Errorf("%w: unknown call %.40q", calls.ErrReplay, call.Op)
}

func differs(err error, got, want any) error {
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%w: got %v, recorded %v", calls.ErrReplay, got, want)
	}
	return nil
}
