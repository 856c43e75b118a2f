package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// NodeID is the dense number of a node within one Core, from 0 in the order in which their names
// were first met.
type NodeID = core.NodeID

// NoNode stands where no node is meant.
const NoNode = core.NoNode

// JobID is the dense number of a job within one Core, from 1 in order of submission. Zero is no
// job.
type JobID = core.JobID

// TaskKind tells maps from reduces. Slots, demands and shares are kept apart by kind throughout.
type TaskKind = core.TaskKind

// The two kinds of task.
const (
	Map    = core.Map
	Reduce = core.Reduce
)

// TaskID names one task of a job; Index counts from 0 within its kind.
type TaskID = core.TaskID

// AttemptID names one try at a task; Try counts from 0.
type AttemptID = core.AttemptID

// Locality says how near to its data a map was launched: the height of the lowest network level
// that the node and the nearest replica share. With racks in groups (Rack "site/rack") the levels
// go on beyond OffRack.
type Locality = core.Locality

// The levels of a network of racks. OffRack is the last unless racks are grouped.
const (
	NodeLocal = core.NodeLocal
	RackLocal = core.RackLocal
	OffRack   = core.OffRack
	AnyPlace  = core.AnyPlace // the map has no location information
)

// Priority of a job; a smaller value goes first. The zero value is Normal.
type Priority = core.Priority

// The five priorities of Hadoop.
const (
	VeryHigh = core.VeryHigh
	High     = core.High
	Normal   = core.Normal
	Low      = core.Low
	VeryLow  = core.VeryLow
)

// ParsePriority reads Hadoop's name of a priority, in any case.
func ParsePriority(s string) (Priority, error) { return core.ParsePriority(s) }
