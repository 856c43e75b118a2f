package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// NodeID is the number of a node within one Core: 0 for the first name that the Core met.
type NodeID = core.NodeID

// NoNode is the NodeID that means "no node".
const NoNode = core.NoNode

// JobID is the number of a job within one Core: 1, 2, 3 … in the order of submission. Zero means no
// job.
type JobID = core.JobID

// TaskKind is map or reduce. Slots, demands and shares are counted separately for each kind.
type TaskKind = core.TaskKind

// The two kinds of task.
const (
	Map    = core.Map
	Reduce = core.Reduce
)

// TaskID names a task of a job; Index counts from 0, separately for maps and reduces.
type TaskID = core.TaskID

// AttemptID names an attempt of a task; Try counts from 0.
type AttemptID = core.AttemptID

// Locality is the distance of a map from its data: the lowest network level (node, rack, …) that
// its node shares with a replica. If racks are grouped (Rack "site/rack"), levels follow OffRack.
type Locality = core.Locality

// The levels of a network of racks. OffRack is the last one unless racks are grouped.
const (
	NodeLocal = core.NodeLocal
	RackLocal = core.RackLocal
	OffRack   = core.OffRack
	AnyPlace  = core.AnyPlace // the map has no location information
)

// Priority is the priority of a job; smaller values go first. The zero value is Normal.
type Priority = core.Priority

// Hadoop's five priorities.
const (
	VeryHigh = core.VeryHigh
	High     = core.High
	Normal   = core.Normal
	Low      = core.Low
	VeryLow  = core.VeryLow
)

// ParsePriority parses Hadoop's name of a priority; case is ignored.
func ParsePriority(s string) (Priority, error) { return core.ParsePriority(s) }
