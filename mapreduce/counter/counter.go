// Package counter has the counters of an attempt or a job, the engine's and users', under Hadoop's
// groups and names.
package counter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
)

// The names of Hadoop's groups of counters.
const (
	GroupJob        = "Job Counters"
	GroupFramework  = "Map-Reduce Framework"
	groupFileSystem = "File System Counters"
	groupFileInput  = "File Input Format Counters"
	groupFileOutput = "File Output Format Counters"
)

// groupOrder has the groups of the engine's counters in print order.
var groupOrder = []string{groupFileSystem, GroupJob, GroupFramework, groupFileInput, groupFileOutput}

// ID identifies a counter of the engine, which has Hadoop's group and name.
type ID int

// The engine's counters, in print order.
const (
	FileBytesRead    ID = iota // spill files read
	FileBytesWritten           // spill files written
	MapInputRecords
	MapInputChunks    // replaces MapInputRecords if records are chunks, see Chunks; Hadoop has no such counter
	MapSkippedRecords // skipped input records; see MapAttempt.MaxSkips
	MapOutputRecords
	MapOutputBytes
	MapOutputMaterializedBytes
	CombineInputRecords  // of maps, and of reduces that combine what they fetch
	CombineOutputRecords // in both: map output minus what Combine removes is reduce input
	ReduceInputGroups
	ReduceShuffleBytes
	ReduceInputRecords
	ReduceOutputRecords
	SpilledRecords
	ShuffledMaps
	MergedMapOutputs
	InputBytesRead     // bytes of input files read by maps
	OutputBytesWritten // bytes of output files
	count
)

// names is indexed by ID.
var names = [count][2]string{
	FileBytesRead:              {groupFileSystem, "FILE: Number of bytes read"},
	FileBytesWritten:           {groupFileSystem, "FILE: Number of bytes written"},
	MapInputRecords:            {GroupFramework, "Map input records"},
	MapInputChunks:             {GroupFramework, "Map input chunks"},
	MapSkippedRecords:          {GroupFramework, "Map skipped records"},
	MapOutputRecords:           {GroupFramework, "Map output records"},
	MapOutputBytes:             {GroupFramework, "Map output bytes"},
	MapOutputMaterializedBytes: {GroupFramework, "Map output materialized bytes"},
	CombineInputRecords:        {GroupFramework, "Combine input records"},
	CombineOutputRecords:       {GroupFramework, "Combine output records"},
	ReduceInputGroups:          {GroupFramework, "Reduce input groups"},
	ReduceShuffleBytes:         {GroupFramework, "Reduce shuffle bytes"},
	ReduceInputRecords:         {GroupFramework, "Reduce input records"},
	ReduceOutputRecords:        {GroupFramework, "Reduce output records"},
	SpilledRecords:             {GroupFramework, "Spilled Records"},
	ShuffledMaps:               {GroupFramework, "Shuffled Maps"},
	MergedMapOutputs:           {GroupFramework, "Merged Map outputs"},
	InputBytesRead:             {groupFileInput, "Bytes Read"},
	OutputBytesWritten:         {groupFileOutput, "Bytes Written"},
}

// Group returns the name that Hadoop gives the group of the counter.
func (c ID) Group() string { return names[c][0] }

// String returns Hadoop's name of the counter.
func (c ID) String() string { return names[c][1] }

// User is a counter outside of the engine's own list, such as a user's. One goroutine may use it.
type User struct {
	value int64
	sign  func() // tells the task timeout that the attempt makes progress; may be nil
}

// Add adds n, which may be negative. It shows that the attempt makes progress.
func (u *User) Add(n int64) {
	u.value += n
	if u.sign != nil {
		u.sign()
	}
}

// Value returns the sum so far.
func (u *User) Value() int64 { return u.value }

// Set is the set of counters of an attempt or, merged, of a job. In the zero value all are zero. It
// is not safe for concurrent use.
type Set struct {
	framework [count]int64
	counted   [count]bool // whether Add was called, even with 0: the others are not measured
	users     map[key]*User
}

type key struct{ group, name string }

// Add adds n to an engine counter. Adding 0 marks the counter as measured, so that All has it.
func (s *Set) Add(id ID, n int64) {
	s.framework[id] += n
	s.counted[id] = true
}

// Get returns an engine counter.
func (s *Set) Get(id ID) int64 { return s.framework[id] }

// AddNamed adds n to a counter by group and name: an engine counter, one of [GroupJob], which the
// cluster counts, or a user's.
func (s *Set) AddNamed(group, name string, n int64) {
	if id, ok := idOf(group, name); ok {
		s.Add(id, n)
		return
	}
	s.user(group, name).Add(n)
}

// Named returns the value of the counter with that group and name; 0 without such a counter.
func (s *Set) Named(group, name string) int64 {
	if id, ok := idOf(group, name); ok {
		return s.framework[id]
	}
	if u := s.users[key{group, name}]; u != nil {
		return u.value
	}
	return 0
}

func idOf(group, name string) (ID, bool) {
	i := slices.Index(names[:], [2]string{group, name})
	return ID(i), i >= 0
}

// Merge adds the counters of o to s; o may be nil.
func (s *Set) Merge(o *Set) {
	if o == nil {
		return
	}
	for i, n := range o.framework {
		if o.counted[i] {
			s.Add(ID(i), n)
		}
	}
	for k, u := range o.users {
		s.AddNamed(k.group, k.name, u.value)
	}
}

// Value is the value of one counter, with the names of its group and of the counter.
type Value struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// All returns the counters by group: Hadoop's groups in Hadoop's order, then users' groups by name.
// It omits engine counters that nothing measured, such as those of reduces in a job without any. It
// also omits those of groups in which all are zero, and includes other zeros.
func (s *Set) All() iter.Seq[Value] {
	var list []Value
	live := map[string]bool{} // groups that are not all zero
	for i, n := range s.framework {
		live[ID(i).Group()] = live[ID(i).Group()] || n != 0
	}
	for i, n := range s.framework {
		if id := ID(i); s.counted[i] && live[id.Group()] {
			list = append(list, Value{id.Group(), id.String(), n})
		}
	}
	var named []Value
	for k, u := range s.users {
		named = append(named, Value{k.group, k.name, u.value})
	}
	slices.SortFunc(named, func(a, b Value) int { return cmp.Compare(a.Name, b.Name) })
	list = append(list, named...)
	slices.SortStableFunc(list, func(a, b Value) int {
		return cmp.Or(cmp.Compare(groupRank(a.Group), groupRank(b.Group)), cmp.Compare(a.Group, b.Group))
	})
	return slices.Values(list)
}

// groupRank returns the position of a group in the print order; users' groups are last.
func groupRank(group string) int {
	if i := slices.Index(groupOrder, group); i >= 0 {
		return i
	}
	return len(groupOrder)
}

// Print writes the counters in Hadoop's layout: first "Counters: N", then each group after one tab,
// and each counter after two as Name=value.
func (s *Set) Print(w io.Writer) error {
	list := slices.Collect(s.All())
	_, err := fmt.Fprintf(w, "Counters: %d\n", len(list))
	group := ""
	for _, v := range list {
		if v.Group != group && err == nil {
			group = v.Group
			_, err = fmt.Fprintf(w, "\t%s\n", group)
		}
		if err == nil {
			_, err = fmt.Fprintf(w, "\t\t%s=%d\n", v.Name, v.Value)
		}
	}
	return err
}

// User returns the counter with that group and name. Each Add calls sign, if not nil, as a sign of
// life. Merge adds a counter with the name of an engine counter to that one.
func (s *Set) User(group, name string, sign func()) *User {
	u := s.user(group, name)
	u.sign = sign
	return u
}

func (s *Set) user(group, name string) *User {
	k := key{group, name}
	u := s.users[k]
	if u == nil {
		if s.users == nil {
			s.users = map[key]*User{}
		}
		u = new(User)
		s.users[k] = u
	}
	return u
}

// MarshalJSON writes the list of [Set.All].
func (s *Set) MarshalJSON() ([]byte, error) {
	return json.Marshal(slices.AppendSeq([]Value{}, s.All()))
}

// UnmarshalJSON reads the output of MarshalJSON.
func (s *Set) UnmarshalJSON(b []byte) error {
	var list []Value
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*s = Set{}
	for _, v := range list {
		s.AddNamed(v.Group, v.Name, v.Value)
	}
	return nil
}

// Snapshot saves the values of users' counters. restore sets them back, and new counters to 0, so
// that what a map counted for a bad record does not remain.
func (s *Set) Snapshot() (restore func()) {
	before := make(map[*User]int64, len(s.users))
	for _, u := range s.users {
		before[u] = u.value
	}
	return func() {
		for _, u := range s.users {
			u.value = before[u]
		}
	}
}
