package run

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

var (
	// errRangedTwice ends a Reduce that ranges over its values a second time: it would get none, or
	// only the rest.
	errRangedTwice = fault.Permanent(errors.New("mapreduce: the values of a key can be ranged over once; keep what is needed again"))
	// errValuesKept ends an attempt whose Reduce has kept the values of a key beyond its call, as a
	// sequence or by iter.Pull: it would get another key's values.
	errValuesKept = fault.Permanent(errors.New("mapreduce: the values of a key can be ranged over only until Reduce returns; " +
		"what was kept is of an earlier call"))
)

// KeptSeqs is the number of sequences of values that a reduce reuses in rotation. So a sequence
// that a call has kept is recognized in the next calls, without an allocation per call.
const KeptSeqs = 8

// callCount numbers the calls of a Reduce, to detect values that are used outside of their call.
type callCount struct {
	now    int // twice the number of past calls, plus 1 during a call
	ranged int // the call that ranged over its values last
}

// enter begins a call and returns the index of the sequence that the call is to get.
func (c *callCount) enter() int {
	c.now++
	return c.now / 2 % KeptSeqs
}

// leave ends the call: from now on its sequence of values panics.
func (c *callCount) leave() { c.now++ }

// begin panics unless the current call has got that sequence and has not ranged over it yet.
func (c *callCount) begin(sequence int) {
	if c.now&1 == 0 || c.now/2%KeptSeqs != sequence {
		fault.Throw(errValuesKept)
	}
	if c.ranged == c.now {
		fault.Throw(errRangedTwice)
	}
	c.ranged = c.now
}

// check panics unless call, the number of a call, is still running.
func (c *callCount) check(call int) {
	if c.now != call {
		fault.Throw(errValuesKept)
	}
}

// placeChecker returns a function that returns an error if Partition assigns a key to another
// reduce than this one; nil if no check is needed.
func (b *Job) placeChecker(reduces, index int) func(key []byte) error {
	if !b.Partitions || reduces == 1 {
		return nil
	}
	partition := b.partition()
	return func(key []byte) error {
		if now := partition(key, reduces); now != index {
			return fault.Permanent(fmt.Errorf("mapreduce: Partition gave key %s to reduce %d in a map, and to reduce %d in the reduce: "+
				"it must depend on nothing but its arguments", b.keyText(key), index, now))
		}
		return nil
	}
}

// groupPlaces remembers the reduces that Partition has chosen for some groups, for all attempts of
// a job: each hash slot keeps its first group.
type groupPlaces struct {
	places [1024]atomic.Pointer[groupPlace]
}

type groupPlace struct {
	group  []byte
	reduce int
}

// place returns the reduce that is known for a group. If none is, it notes this one.
func (g *groupPlaces) place(group []byte, reduce int) int {
	at := &g.places[segment.PartitionOf(group, len(g.places))]
	known := at.Load()
	if known == nil && !at.CompareAndSwap(nil, &groupPlace{bytes.Clone(group), reduce}) {
		known = at.Load()
	}
	if known == nil || !bytes.Equal(known.group, group) {
		return reduce
	}
	return known.reduce
}

// divided returns the error for a Partition that has assigned a group to two reduces.
func (b *Job) divided(key []byte, one, other int) error {
	return fault.Permanent(fmt.Errorf("mapreduce: Partition gave keys of one group to reduces %d and %d, of which one is %s: "+
		"with GroupFields %d it must look at nothing but the first %d fields of a key",
		one, other, b.keyText(key), b.GroupFields, b.GroupFields))
}
