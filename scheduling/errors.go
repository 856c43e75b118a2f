package scheduling

import (
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// The errors of Core's methods; match them with errors.Is.
var (
	ErrTimeBackwards = core.ErrTimeBackwards
	ErrUnknownNode   = core.ErrUnknownNode
	ErrUnknownJob    = core.ErrUnknownJob
	ErrUnknownTask   = core.ErrUnknownTask
	ErrUnknownPool   = core.ErrUnknownPool
	ErrUnknownQueue  = core.ErrUnknownQueue
	ErrQueueFull     = core.ErrQueueFull
	ErrJobEnded      = core.ErrJobEnded
	ErrBadConfig     = model.ErrBadConfig
	ErrBadJob        = core.ErrBadJob
	ErrBadNode       = core.ErrBadNode
)

// ErrUnknownPolicy means that no preset or order has the requested name.
var ErrUnknownPolicy = core.ErrUnknownPolicy
