// Package calls is the log of the calls of a Core, from which the same run is made again:
// scheduling.Core's Replay reads what a Writer wrote.
package calls

import (
	"io"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Call is one call of a Core with what it answered, as JSON one line. Which fields count depends on
// Op.
type Call = core.Call

// Op names the method of a Call.
type Op = core.Op

// The methods that change a Core.
const (
	Submit    = core.OpSubmit
	Heartbeat = core.OpHeartbeat
	Expire    = core.OpExpire
)

// Writer writes calls as JSON lines. It is not safe for concurrent use.
type Writer = core.CallWriter

// ErrReplay says that a Core answered a recorded call differently.
var ErrReplay = core.ErrReplay

// NewWriter writes to w; its Write method fits scheduling.Config.Calls.
func NewWriter(w io.Writer) *Writer { return core.NewCallWriter(w) }
