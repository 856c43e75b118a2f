package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/engine"

// The errors of Core's methods; match them with errors.Is.
var (
	ErrTimeBackwards = engine.ErrTimeBackwards
	ErrUnknownNode   = engine.ErrUnknownNode
	ErrUnknownJob    = engine.ErrUnknownJob
	ErrUnknownTask   = engine.ErrUnknownTask
	ErrUnknownPool   = engine.ErrUnknownPool
	ErrUnknownQueue  = engine.ErrUnknownQueue
)

// ErrUnknownPolicy says that no preset or order has the name asked for.
var (
	// ErrUnknownPolicy says that no preset or order has the name asked for.
	ErrUnknownPolicy = engine.ErrUnknownPolicy
)

// The errors of Core's methods; match them with errors.Is.
var (
	ErrQueueFull = engine.ErrQueueFull
	ErrJobEnded  = engine.ErrJobEnded
	ErrBadConfig = engine.ErrBadConfig
	ErrBadJob    = engine.ErrBadJob
	ErrBadNode   = engine.ErrBadNode
)
