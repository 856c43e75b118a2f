// Package model has the values that the users of package scheduling, its Core and its policies pass
// to each other: identifiers, jobs, heartbeats and their answers, policies, and the reasons of
// decisions. It decides nothing. Package scheduling exports most of them.
//
// Reading order: ids.go, types.go, policy.go, reason.go.
package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// NodeID is the dense number of a node within one Core: 0 for the first name that the Core met.
type NodeID int32

// NoNode is the NodeID for "no node".
const NoNode NodeID = -1

// JobID is the dense number of a job within one Core, from 1 in order of submission. Zero means no
// job.
type JobID int32

// String returns text such as "job_0001".
func (id JobID) String() string { return fmt.Sprintf("job_%04d", int32(id)) }

// TaskKind is map or reduce. Slots, demands and shares are counted separately for each kind.
type TaskKind uint8

// The two kinds of task.
const (
	Map TaskKind = iota
	Reduce
)

// Kinds is the number of task kinds, for arrays indexed by TaskKind.
const Kinds = 2

// String returns "map" or "reduce".
func (k TaskKind) String() string {
	if k == Map {
		return "map"
	}
	return "reduce"
}

// letter returns the kind's letter in task names.
func (k TaskKind) letter() byte { return "mr"[k&1] }

// TaskID names a task of a job; Index counts from 0 within its kind.
type TaskID struct {
	Job   JobID
	Kind  TaskKind
	Index int32
}

// String returns text such as "job_0001_m_000003".
func (id TaskID) String() string {
	return fmt.Sprintf("%v_%c_%06d", id.Job, id.Kind.letter(), id.Index)
}

// AttemptID names an attempt of a task; Try counts from 0.
type AttemptID struct {
	Task TaskID
	Try  int32
}

// String returns text such as "job_0001_m_000003_0".
func (id AttemptID) String() string {
	return id.Task.String() + "_" + strconv.Itoa(int(id.Try))
}

// MarshalText returns the text of String; the zero ID becomes empty text.
func (id AttemptID) MarshalText() ([]byte, error) {
	if id == (AttemptID{}) {
		return nil, nil
	}
	return []byte(id.String()), nil
}

// UnmarshalText parses the text of MarshalText.
func (id *AttemptID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = AttemptID{}
		return nil
	}
	parsed, ok := parseAttempt(string(text))
	if !ok {
		return fmt.Errorf("scheduling: %q is not an attempt id", text)
	}
	*id = parsed
	return nil
}

// parseAttempt parses the text of AttemptID.String.
func parseAttempt(s string) (id AttemptID, ok bool) {
	s, ok = strings.CutPrefix(s, "job_")
	if !ok || !cutNumber(&s, (*int32)(&id.Task.Job)) || id.Task.Job == 0 || len(s) < 2 || s[1] != '_' {
		return id, false
	}
	switch s[0] {
	case 'm':
		id.Task.Kind = Map
	case 'r':
		id.Task.Kind = Reduce
	default:
		return id, false
	}
	s = s[2:]
	if !cutNumber(&s, &id.Task.Index) {
		return id, false
	}
	n, err := strconv.ParseUint(s, 10, 31)
	id.Try = int32(n)
	return id, err == nil
}

// cutNumber removes a number and the underscore after it from the front of s.
func cutNumber(s *string, to *int32) bool {
	number, rest, found := strings.Cut(*s, "_")
	n, err := strconv.ParseUint(number, 10, 31)
	*s, *to = rest, int32(n)
	return found && err == nil
}

// Locality is the distance of a map from its data: the lowest network level that its node and the
// nearest replica share.
type Locality int8

// The levels of a network of racks.
const (
	AnyPlace  Locality = -1 // the map has no location information
	NodeLocal Locality = 0
	RackLocal Locality = 1
	OffRack   Locality = 2
)

// String returns "node-local", "rack-local", "off-rack", "any-place", or "level-3" and so on above.
func (l Locality) String() string {
	switch l {
	case AnyPlace:
		return "any-place"
	case NodeLocal:
		return "node-local"
	case RackLocal:
		return "rack-local"
	case OffRack:
		return "off-rack"
	}
	return "level-" + strconv.Itoa(int(l))
}

// Priority is the priority of a job; smaller values go first. The zero value is Normal.
type Priority int8

// Hadoop's five priorities.
const (
	VeryHigh Priority = iota - 2
	High
	Normal
	Low
	VeryLow
)

var priorityNames = [...]string{"VERY_HIGH", "HIGH", "NORMAL", "LOW", "VERY_LOW"}

// String returns Hadoop's name, such as "VERY_HIGH".
func (p Priority) String() string {
	if p < VeryHigh || p > VeryLow {
		return "priority(" + strconv.Itoa(int(p)) + ")"
	}
	return priorityNames[p+2]
}

// ParsePriority parses Hadoop's name of a priority; case is ignored.
func ParsePriority(s string) (Priority, error) {
	for i, name := range priorityNames {
		if strings.EqualFold(s, name) {
			return Priority(i - 2), nil
		}
	}
	return 0, fmt.Errorf("scheduling: unknown priority %q (want %s)", s, strings.Join(priorityNames[:], ", "))
}

// Factor returns the weight that the Fair Scheduler gives a priority: 4, 2, 1, 0.5 or 0.25.
func (p Priority) Factor() float64 {
	switch p {
	case VeryHigh:
		return 4
	case High:
		return 2
	case Low:
		return 0.5
	case VeryLow:
		return 0.25
	case Normal:
	}
	return 1
}

// ParseWord sets a value to the index of text in words, from first on.
func ParseWord[T ~uint8](to *T, words []string, first int, what string, text []byte) error {
	i := slices.Index(words[first:], string(text))
	if i < 0 {
		return fmt.Errorf("scheduling: unknown %s %q", what, text)
	}
	*to = T(first + i)
	return nil
}
