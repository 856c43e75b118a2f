// Package calls records the calls of a scheduling Core's methods in a log, one JSON line per call.
// Core.Replay applies such a log to a new Core and checks that it gives the same answers.
package calls

import (
	"io"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Call is one recorded call of a Core with its answer; in JSON it is one line. Op names the called
// method and so determines which fields are set.
type Call = core.Call

// Op names the method of a Core that a Call records.
type Op = core.Op

// Values of Op, each for a method that changes a Core.
const (
	Submit    = core.OpSubmit
	Heartbeat = core.OpHeartbeat
	Expire    = core.OpExpire
)

// Writer writes calls as JSON lines. It is not safe for concurrent use.
type Writer = core.CallWriter

// ErrReplay is the error of a replay in which the Core answers a call differently than recorded.
var ErrReplay = core.ErrReplay

// NewWriter returns a Writer to w; its Write method fits scheduling.Config.Calls.
func NewWriter(w io.Writer) *Writer { return core.NewCallWriter(w) }
