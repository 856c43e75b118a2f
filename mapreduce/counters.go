package mapreduce

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// The names of Hadoop's groups of counters.
const (
	GroupJob         = "Job Counters"
	GroupFramework   = "Map-Reduce Framework"
	GroupFileSystem  = "File System Counters"
	GroupFileInput   = "File Input Format Counters"
	GroupFileOutput  = "File Output Format Counters"
	GroupShuffle     = "Shuffle Errors"
	groupOrderLength = 6
)

// Counter is a counter that the engine keeps itself, with Hadoop's group and name.
type Counter int

// The engine's counters, in the order in which they are printed.
const (
	FileBytesRead    Counter = iota // spill files read
	FileBytesWritten                // spill files written
	MapInputRecords
	MapInputChunks    // instead of MapInputRecords where records are chunks, see Chunks; Hadoop has none
	MapSkippedRecords // of the input records, those left out; see MapAttempt.MaxSkips
	MapOutputRecords
	MapOutputBytes
	MapOutputMaterializedBytes
	CombineInputRecords  // by maps, and by reduces that combine what they fetched before they reduce it
	CombineOutputRecords // likewise: map output, less what Combine took away, is reduce input
	ReduceInputGroups
	ReduceShuffleBytes
	ReduceInputRecords
	ReduceOutputRecords
	SpilledRecords
	ShuffledMaps
	MergedMapOutputs
	InputBytesRead     // bytes of input files read by maps
	OutputBytesWritten // bytes of output files
	counterCount
)

// counterNames is indexed by Counter.
var counterNames = [counterCount][2]string{
	FileBytesRead:              {GroupFileSystem, "FILE: Number of bytes read"},
	FileBytesWritten:           {GroupFileSystem, "FILE: Number of bytes written"},
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
	InputBytesRead:             {GroupFileInput, "Bytes Read"},
	OutputBytesWritten:         {GroupFileOutput, "Bytes Written"},
}

// Group returns Hadoop's name of the counter's group.
func (c Counter) Group() string { return counterNames[c][0] }

// String returns Hadoop's name of the counter.
func (c Counter) String() string { return counterNames[c][1] }

// UserCounter is a counter of the user's own or of another layer of the engine.
// It belongs to the goroutine of its attempt.
type UserCounter struct {
	value int64
	life  *memory.Life // of the attempt; may be nil
}

// Add adds n, which may be negative.
func (u *UserCounter) Add(n int64) {
	u.value += n
	u.life.Sign()
}

// Value returns the sum so far.
func (u *UserCounter) Value() int64 { return u.value }

// Counters holds the counters of an attempt or, merged, of a job. The zero value
// is ready and all zero. It is not safe for concurrent use.
type Counters struct {
	framework [counterCount]int64
	counted   [counterCount]bool // whether anything was added, be it 0: the others are not measured
	users     map[counterName]*UserCounter
}

type counterName struct{ group, name string }

// Add adds n to an engine counter. One to which 0 was added is known to be 0.
func (c *Counters) Add(id Counter, n int64) {
	c.framework[id] += n
	c.counted[id] = true
}

// Get returns an engine counter.
func (c *Counters) Get(id Counter) int64 { return c.framework[id] }

// AddNamed adds n to the counter of any group and name, for instance those of
// [GroupJob], which the cluster keeps, or a user's.
func (c *Counters) AddNamed(group, name string, n int64) {
	if id, ok := counterOf(group, name); ok {
		c.Add(id, n)
		return
	}
	c.user(group, name).Add(n)
}

// Named returns the counter of that group and name, 0 if there is none.
func (c *Counters) Named(group, name string) int64 {
	if id, ok := counterOf(group, name); ok {
		return c.framework[id]
	}
	if u := c.users[counterName{group, name}]; u != nil {
		return u.value
	}
	return 0
}

func counterOf(group, name string) (Counter, bool) {
	i := slices.Index(counterNames[:], [2]string{group, name})
	return Counter(i), i >= 0
}

// Merge adds all counters of o, which may be nil.
func (c *Counters) Merge(o *Counters) {
	if o == nil {
		return
	}
	for i, n := range o.framework {
		if o.counted[i] {
			c.Add(Counter(i), n)
		}
	}
	for k, u := range o.users {
		c.AddNamed(k.group, k.name, u.value)
	}
}

// CounterValue is one counter with its names.
type CounterValue struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// All yields the counters group by group: Hadoop's groups in Hadoop's order,
// then the user's by name. Engine counters come even if zero, unless nothing
// counted them, as those of reduces in a job without, or their whole group is zero.
func (c *Counters) All() iter.Seq[CounterValue] {
	var list []CounterValue
	for id, n := range c.measured {
		list = append(list, CounterValue{id.Group(), id.String(), n})
	}
	if len(c.users) == 0 {
		return slices.Values(list)
	}
	var named []CounterValue
	for k, u := range c.users {
		named = append(named, CounterValue{k.group, k.name, u.value})
	}
	slices.SortFunc(named, func(a, b CounterValue) int { return cmp.Compare(a.Name, b.Name) })
	list = append(list, named...)
	slices.SortStableFunc(list, func(a, b CounterValue) int {
		return cmp.Or(cmp.Compare(groupRank(a.Group), groupRank(b.Group)), cmp.Compare(a.Group, b.Group))
	})
	return slices.Values(list)
}

func groupRank(group string) int {
	order := [groupOrderLength]string{
		GroupFileSystem, GroupJob, GroupFramework, GroupShuffle, GroupFileInput,
		GroupFileOutput,
	}
	if i := slices.Index(order[:], group); i >= 0 {
		return i
	}
	return groupOrderLength
}

// Print writes the counters in Hadoop's layout: "Counters: N", each group
// indented by one tab, each counter by two as Name=value.
func (c *Counters) Print(w io.Writer) error {
	list := slices.Collect(c.All())
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

func (c *Counters) user(group, name string) *UserCounter {
	k := counterName{group, name}
	u := c.users[k]
	if u == nil {
		if c.users == nil {
			c.users = map[counterName]*UserCounter{}
		}
		u = new(UserCounter)
		c.users[k] = u
	}
	return u
}
