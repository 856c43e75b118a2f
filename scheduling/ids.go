package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/engine"

// NodeID is the dense number of a node within one Core, from 0 in the order in which their names
// were first met.
type NodeID = engine.NodeID

// NoNode stands where no node is meant.
const NoNode = engine.NoNode

// JobID is the dense number of a job within one Core, from 1 in order of submission. Zero is no
// job.
type JobID = engine.JobID

// TaskKind tells maps from reduces. Slots, demands and shares are kept apart by kind throughout.
type TaskKind = engine.TaskKind

// The two kinds of task.
const (
	Map    = engine.Map
	Reduce = engine.Reduce
)

// TaskID names one task of a job; Index counts from 0 within its kind.
type TaskID = engine.TaskID

// AttemptID names one try at a task; Try counts from 0.
type AttemptID = engine.AttemptID

// Locality says how near to its data a map was launched: the height of the lowest network level
// that the node and the nearest replica share. With racks in groups (Rack "site/rack") the levels
// go on beyond OffRack.
type Locality = engine.Locality

// The levels of a network of racks. OffRack is the last unless racks are grouped.
const (
	NodeLocal = engine.NodeLocal
	RackLocal = engine.RackLocal
	OffRack   = engine.OffRack
	AnyPlace  = engine.AnyPlace // the map has no location information
)

// Priority of a job; a smaller value goes first. The zero value is Normal.
type Priority = engine.Priority

// The five priorities of Hadoop.
const (
	VeryHigh = engine.VeryHigh
	High     = engine.High
	Normal   = engine.Normal
	Low      = engine.Low
	VeryLow  = engine.VeryLow
)

// ParseAttemptID reads the form that AttemptID.String writes.
func ParseAttemptID(s string) (AttemptID, error) { return engine.ParseAttemptID(s) }

// ParsePriority reads Hadoop's name of a priority, in any case.
func ParsePriority(s string) (Priority, error) { return engine.ParsePriority(s) }
