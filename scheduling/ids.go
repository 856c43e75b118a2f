package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/model"

// NodeID is the number of a node within one Core: 0 for the first name that the Core met.
type NodeID = model.NodeID

// NoNode is the NodeID that means "no node".
const NoNode = model.NoNode

// JobID is the number of a job within one Core: 1, 2, 3 … in the order of submission. Zero means no
// job.
type JobID = model.JobID

// TaskKind is map or reduce. Slots, demands and shares are counted separately for each kind.
type TaskKind = model.TaskKind

// The two kinds of task.
const (
	Map    = model.Map
	Reduce = model.Reduce
)

// TaskID names a task of a job; Index counts from 0, separately for maps and reduces.
type TaskID = model.TaskID

// AttemptID names an attempt of a task; Try counts from 0.
type AttemptID = model.AttemptID

// Locality is the distance of a map from its data: the lowest network level (node, rack) that its
// node shares with a replica.
type Locality = model.Locality

// The levels of a network of racks.
const (
	NodeLocal = model.NodeLocal
	RackLocal = model.RackLocal
	OffRack   = model.OffRack
	AnyPlace  = model.AnyPlace // the map has no location information
)

// Priority is the priority of a job; smaller values go first. The zero value is Normal.
type Priority = model.Priority

// Hadoop's five priorities.
const (
	VeryHigh = model.VeryHigh
	High     = model.High
	Normal   = model.Normal
	Low      = model.Low
	VeryLow  = model.VeryLow
)

// ParsePriority parses Hadoop's name of a priority; case is ignored.
func ParsePriority(s string) (Priority, error) { return model.ParsePriority(s) }
