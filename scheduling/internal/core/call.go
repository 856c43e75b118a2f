package core

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"time"
)

// Op names the method of Core that a Call records.
type Op uint8

// The methods that change a Core.
const (
	OpName Op = iota + 1
	OpJoin
	OpLeave
	OpCordon
	OpSubmit
	OpHeartbeat
	OpExpire
	OpUpdate
	OpKill
	OpPriority
	OpPool
	OpOutput
	OpReconfigure
	OpPreempt
	OpCommit
	OpResume
)

var opNames = [...]string{
	"", "name", "join", "leave", "cordon", "submit", "heartbeat", "expire", "update", "kill", "priority", "pool", "output",
	"reconfigure", "preempt", "commit", "resume",
}

// String returns the call's name in lower case.
func (o Op) String() string {
	if int(o) < len(opNames) {
		return opNames[o]
	}
	return "op " + strconv.Itoa(int(o))
}

// MarshalText returns the call's name.
func (o Op) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText parses a call's name.
func (o *Op) UnmarshalText(text []byte) error { return parseWord(o, opNames[:], 1, "call", text) }

// Call records one call of a Core's method with its arguments and its answer: one line of a call
// log. Op determines which fields are used.
type Call struct {
	Op        Op            `json:"op"`
	At        time.Duration `json:"at"`
	Node      NodeID        `json:"node,omitempty"`
	Job       JobID         `json:"job,omitempty"`
	Flag      bool          `json:"flag,omitempty"`
	Number    int           `json:"number,omitempty"`
	Text      string        `json:"text,omitempty"`
	Attempt   AttemptID     `json:"attempt,omitzero"`
	Bytes     []int64       `json:"bytes,omitempty"`
	Join      *Node         `json:"join,omitempty"`
	Submit    *JobSpec      `json:"submit,omitempty"`
	Heartbeat *Heartbeat    `json:"heartbeat,omitempty"`
	Policy    *Policy       `json:"policy,omitempty"`
	Kept      []int32       `json:"kept,omitempty"`
	Actions   []Action      `json:"actions,omitempty"` // the answer to a heartbeat
}

// end is the last step of a call that changes the Core: it settles the Core and records the call.
func (c *Core) end(call Call) {
	c.settle()
	c.record(call)
}

// record passes a call to Config.Calls, if set.
func (c *Core) record(call Call) {
	if c.Config.Calls != nil {
		c.pass(call)
	}
}

// pass calls Config.Calls. It is a separate function so that only recorded calls are on the heap.
func (c *Core) pass(call Call) { c.Config.Calls(&call) }

// CallWriter writes calls as JSON lines. It is not safe for concurrent use.
type CallWriter struct {
	enc *json.Encoder
	err error
}

// NewCallWriter returns a CallWriter to w; its Write method fits Config.Calls.
func NewCallWriter(w io.Writer) *CallWriter { return &CallWriter{enc: json.NewEncoder(w)} }

// Write writes one call. After the first error it does nothing; see Err.
func (w *CallWriter) Write(call *Call) {
	if w.err == nil {
		w.err = w.enc.Encode(call)
	}
}

// Err returns the first error of a Write.
func (w *CallWriter) Err() error { return w.err }

// ErrReplay means that a Core answered a recorded call differently.
var ErrReplay = errors.New("scheduling: replay differs")

// ReplayFrom reads calls written by a CallWriter and applies them to c, which must be fresh and
// have the recorded configuration. The error names the first call whose answer differs.
func ReplayFrom(c *Core, r io.Reader) error {
	dec := json.NewDecoder(bufio.NewReader(r))
	for n := 1; ; n++ {
		var call Call
		if err := dec.Decode(&call); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("scheduling: call %d: %w", n, err)
		}
		if err := c.Replay(&call); err != nil {
			return fmt.Errorf("call %d: %w", n, err)
		}
	}
}

// maxReplayed limits the tasks of a recorded job, so that a damaged log cannot exhaust memory.
const maxReplayed = 1 << 24

// complete returns an error if the call lacks a field that its Op needs, or its job has more than
// maxReplayed tasks.
func (call *Call) complete() error {
	lacks := func(what string) error { return fmt.Errorf("%w: %v without its %s", ErrReplay, call.Op, what) }
	switch {
	case call.Op == OpName && call.Text == "":
		return lacks("name")
	case call.Op == OpJoin && call.Join == nil:
		return lacks("node")
	case (call.Op == OpSubmit || call.Op == OpResume) && call.Submit == nil:
		return lacks("job")
	case call.Op == OpHeartbeat && call.Heartbeat == nil:
		return lacks("heartbeat")
	case call.Op == OpReconfigure && call.Policy == nil:
		return lacks("policy")
	}
	if s := call.Submit; s != nil && (s.Maps > maxReplayed || s.Reduces > maxReplayed) {
		return fmt.Errorf("%w: a job of %d maps and %d reduces, want %d at most", ErrReplay, s.Maps, s.Reduces, maxReplayed)
	}
	return nil
}

// Replay makes a recorded call and compares the answer with the recorded one. The error wraps
// ErrReplay if they differ, or if no Core can have recorded the call.
func (c *Core) Replay(call *Call) error {
	if err := call.complete(); err != nil {
		return err
	}
	switch call.Op {
	case OpName:
		c.NodeID(call.Text)
		return nil
	case OpJoin:
		id, err := c.Join(call.At, *call.Join)
		return differs(err, id, call.Node)
	case OpLeave:
		return c.Leave(call.At, call.Node)
	case OpCordon:
		return c.Cordon(call.At, call.Node, call.Flag)
	case OpSubmit:
		id, err := c.Submit(call.At, *call.Submit)
		return differs(err, id, call.Job)
	case OpResume:
		id, err := c.Resume(call.At, JobID(call.Number), *call.Submit, call.Kept)
		return differs(err, id, call.Job)
	case OpHeartbeat:
		got, err := c.Heartbeat(call.At, *call.Heartbeat)
		if len(got.Actions) == 0 && len(call.Actions) == 0 {
			return err
		}
		return differs(err, got.Actions, call.Actions)
	case OpExpire:
		_, err := c.Expire(call.At)
		return err
	case OpUpdate:
		return c.Update(call.At)
	case OpKill:
		return c.Kill(call.At, call.Job)
	case OpPriority:
		return c.SetPriority(call.At, call.Job, Priority(call.Number))
	case OpPool:
		return c.SetPool(call.At, call.Job, call.Text)
	case OpOutput:
		return c.MapOutput(call.At, call.Attempt.Task, call.Bytes)
	case OpReconfigure:
		return c.Reconfigure(call.At, *call.Policy)
	case OpCommit:
		return differs(nil, c.MayCommit(call.Attempt), call.Flag)
	case OpPreempt:
		_, err := c.Preempt(call.At)
		return err
	}
	return fmt.Errorf("%w: unknown call %v", ErrReplay, call.Op)
}

func differs(err error, got, want any) error {
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("%w: got %v, recorded %v", ErrReplay, got, want)
	}
	return nil
}
