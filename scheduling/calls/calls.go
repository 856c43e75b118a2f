// Package calls records the calls of a scheduling Core's methods in a log, one JSON line per call.
// Core.Replay applies such a log to a new Core and checks that it gives the same answers.
package calls

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Op names the method of a Core that a Call records.
type Op string

// The methods that change a Core.
const (
	Name        Op = "name"
	Join        Op = "join"
	Leave       Op = "leave"
	Cordon      Op = "cordon"
	Submit      Op = "submit"
	Heartbeat   Op = "heartbeat"
	Expire      Op = "expire"
	Update      Op = "update"
	Kill        Op = "kill"
	Priority    Op = "priority"
	Pool        Op = "pool"
	Output      Op = "output"
	Reconfigure Op = "reconfigure"
	Preempt     Op = "preempt"
	Commit      Op = "commit"
	Resume      Op = "resume"
)

// Call is one recorded call of a Core with its answer; in JSON it is one line. Op names the called
// method and so determines which fields are set.
type Call struct {
	Op        Op               `json:"op"`
	At        time.Duration    `json:"at"`
	Node      model.NodeID     `json:"node,omitempty"`
	Job       model.JobID      `json:"job,omitempty"`
	Flag      bool             `json:"flag,omitempty"`
	Number    int              `json:"number,omitempty"`
	Text      string           `json:"text,omitempty"`
	Attempt   model.AttemptID  `json:"attempt,omitzero"`
	Bytes     []int64          `json:"bytes,omitempty"`
	Join      *model.Node      `json:"join,omitempty"`
	Submit    *model.JobSpec   `json:"submit,omitempty"`
	Heartbeat *model.Heartbeat `json:"heartbeat,omitempty"`
	Policy    *model.Policy    `json:"policy,omitempty"`
	Kept      []int32          `json:"kept,omitempty"`
	Actions   []model.Action   `json:"actions,omitempty"` // the answer to a heartbeat
}

// Writer writes calls as JSON lines. It is not safe for concurrent use.
type Writer struct {
	enc *json.Encoder
	err error
}

// NewWriter returns a Writer to w; its Write method fits scheduling.Config.Calls.
func NewWriter(w io.Writer) *Writer { return &Writer{enc: json.NewEncoder(w)} }

// Write writes one call. After the first error it does nothing; see Err.
func (w *Writer) Write(call *Call) {
	if w.err == nil {
		w.err = w.enc.Encode(call)
	}
}

// Err returns the first error of a Write.
func (w *Writer) Err() error { return w.err }

// ErrReplay is the error of a replay in which the Core answers a call differently than recorded.
var ErrReplay = errors.New("scheduling: replay differs")

// maxReplayed limits the tasks of a recorded job, so that a damaged log cannot exhaust memory.
const maxReplayed = 1 << 24

// Complete returns an error if the call lacks a field that its Op needs, or its job has more than
// maxReplayed tasks.
func (call *Call) Complete() error {
	lacks := func(what string) error { return fmt.Errorf("%w: %v without its %s", ErrReplay, call.Op, what) }
	switch {
	case call.Op == Name && call.Text == "":
		return lacks("name")
	case call.Op == Join && call.Join == nil:
		return lacks("node")
	case (call.Op == Submit || call.Op == Resume) && call.Submit == nil:
		return lacks("job")
	case call.Op == Heartbeat && call.Heartbeat == nil:
		return lacks("heartbeat")
	case call.Op == Reconfigure && call.Policy == nil:
		return lacks("policy")
	}
	if s := call.Submit; s != nil && (s.Maps > maxReplayed || s.Reduces > maxReplayed) {
		return fmt.Errorf("%w: a job of %d maps and %d reduces, want %d at most", ErrReplay, s.Maps, s.Reduces, maxReplayed)
	}
	return nil
}
