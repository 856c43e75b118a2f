// Package attempt identifies the attempts of tasks.
package attempt

import "fmt"

// Kind is the kind of a task: map or reduce.
type Kind uint8

// The two kinds of task.
const (
	Map Kind = iota
	Reduce
)

// String returns "map" or "reduce".
func (k Kind) String() string {
	if k == Map {
		return "map"
	}
	return "reduce"
}

// ID identifies one attempt of one task within a job.
type ID struct {
	Kind  Kind
	Index int // number of the task, from 0
	Try   int // number of the attempt at the task, from 0
}

// String returns a name such as m-00003-0 or r-00000-1, which is also used for files.
func (a ID) String() string {
	return fmt.Sprintf("%c-%05d-%d", a.Kind.String()[0], a.Index, a.Try)
}
