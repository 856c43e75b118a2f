// Package calls is the log of the calls of a Core. scheduling.Core's Replay reads what a Writer
// wrote and repeats the run.
package calls

import (
	"io"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Call is one call of a Core with its answer; in JSON it is one line. Op determines which fields
// are used.
type Call = core.Call

// Op is the method of a Call.
type Op = core.Op

// The methods that change a Core.
const (
	Submit    = core.OpSubmit
	Heartbeat = core.OpHeartbeat
	Expire    = core.OpExpire
)

// Writer writes calls as JSON lines. It is not safe for concurrent use.
type Writer = core.CallWriter

// ErrReplay means that a Core answered a recorded call differently.
var ErrReplay = core.ErrReplay

// NewWriter returns a Writer to w; its Write method fits scheduling.Config.Calls.
func NewWriter(w io.Writer) *Writer { return core.NewCallWriter(w) }
