// Package attempt names the attempts of tasks.
package attempt

import "fmt"

// Kind says whether a task is a map or a reduce.
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

// ID names one attempt of one task within a job.
type ID struct {
	Kind  Kind
	Index int // of the task, from 0
	Try   int // of the attempt, from 0; tries of one task differ
}

// String returns a name such as m-00003-0 or r-00000-1, also used for files.
func (a ID) String() string {
	return fmt.Sprintf("%c-%05d-%d", a.Kind.String()[0], a.Index, a.Try)
}
