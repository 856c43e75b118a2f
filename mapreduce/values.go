package mapreduce

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

var (
	// errRangedTwice is what a Reduce ends with that would see its values again: it would see
	// none, or some a second time.
	errRangedTwice = Permanent(errors.New("mapreduce: the values of a key can be ranged over once; keep what is needed again"))
	// errValuesKept is what ends an attempt whose Reduce has kept the values of a key, as a sequence
	// or by iter.Pull, beyond its call: it would see those of another key.
	errValuesKept = Permanent(errors.New("mapreduce: the values of a key can be ranged over only until Reduce returns; " +
		"what was kept is of an earlier call"))
)

// keptSeqs is how many sequences of values a reduce gives to its calls in turn, so that one that
// was kept is known for that of another call: made anew for each call they would cost memory.
const keptSeqs = 8

// callCount tells the calls of a Reduce from each other.
type callCount struct {
	now    int // odd while there is a call
	ranged int // the call whose values were ranged over last
	// resumes allows a call to range again over what is left, with the value at which it stopped.
	resumes bool
}

// enter begins a call and returns which of the sequences is its.
func (c *callCount) enter() int {
	c.now++
	return c.now / 2 % keptSeqs
}

// leave ends the call.
func (c *callCount) leave() { c.now++ }

// begin panics unless the values of the sequence may be ranged over now.
func (c *callCount) begin(sequence int) {
	if c.now&1 == 0 || c.now/2%keptSeqs != sequence {
		fault.Throw(errValuesKept)
	}
	if c.ranged == c.now && !c.resumes {
		fault.Throw(errRangedTwice)
	}
	c.ranged = c.now
}

// check panics if call is over.
func (c *callCount) check(call int) {
	if c.now != call {
		fault.Throw(errValuesKept)
	}
}

// placed returns what checks that a key lies in the reduce that Partition gives it; nil where there
// is nothing to check.
func (b *boundJob) placed(reduces, index int) func(key []byte) error {
	if !b.partitions || reduces == 1 {
		return nil
	}
	partition := b.partition()
	return func(key []byte) error {
		if now := partition(key, reduces); now != index {
			return Permanent(fmt.Errorf("mapreduce: Partition gave key %s to reduce %d in a map, and to reduce %d in the reduce: "+
				"it must depend on nothing but its arguments", b.keyText(key), index, now))
		}
		return nil
	}
}

// groupPlaces remembers of some groups which reduce Partition has given them, for all attempts of a
// job: the first group that falls on a place stays there.
type groupPlaces struct {
	places [1024]atomic.Pointer[groupPlace]
}

type groupPlace struct {
	group  []byte
	reduce int
}

// agree notes that a group goes to a reduce; false if it is known to have gone to another one.
func (g *groupPlaces) agree(group []byte, reduce int) (other int, same bool) {
	at := &g.places[segment.PartitionOf(group, len(g.places))]
	known := at.Load()
	if known == nil && !at.CompareAndSwap(nil, &groupPlace{bytes.Clone(group), reduce}) {
		known = at.Load()
	}
	if known == nil || known.reduce == reduce || !bytes.Equal(known.group, group) {
		return reduce, true
	}
	return known.reduce, false
}

// divided is the error of a Partition that has given a key's group to two reduces.
func (b *boundJob) divided(key []byte, one, other int) error {
	if b.prefix == nil {
		return Permanent(fmt.Errorf("mapreduce: Partition gave key %s to reduce %d and to reduce %d: it must depend on nothing "+
			"but its arguments", b.keyText(key), one, other))
	}
	return Permanent(fmt.Errorf("mapreduce: Partition gave keys of one group to reduces %d and %d, of which one is %s: "+
		"with GroupFields %d it must look at nothing but the first %d fields of a key",
		one, other, b.keyText(key), b.groupFields, b.groupFields))
}

// keyText shows a key in an error.
func keyText(k any) string {
	switch k := k.(type) {
	case []byte:
		return fault.Quoted(string(k[:min(len(k), fault.HeadSize)]), len(k))
	case string:
		return fault.QuotedText(k)
	}
	return fault.CutText(fmt.Sprintf("%+v", k), fault.HeadSize)
}
