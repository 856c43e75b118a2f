package main

import (
	"math"

	"github.com/tarry-mr/tarry/scheduling"
)

// thrifty is a placement of reduces. A reduce refuses slots away from its center of gravity for as
// long as moving the bytes that the center saves would take. If little can be saved, it does not
// wait.
type thrifty struct {
	rate float64 // bytes a second that a reduce fetches
}

// Place implements scheduling.ReducePlacement. Of the reduces that have waited long enough, it
// chooses the best one for this node.
func (p thrifty) Place(q scheduling.View, o scheduling.ReduceOffer) int32 {
	best, spared := int32(-1), math.Inf(-1)
	for i := range o.Waiting {
		reduce := scheduling.TaskID{Job: o.Job, Kind: scheduling.Reduce, Index: i}
		lost := 0.0 // seconds, if it runs here rather than at its center
		if center, ok, err := q.Gravity(reduce); ok && err == nil {
			here, _ := q.WTND(reduce, o.Node)
			there, _ := q.WTND(reduce, center)
			lost = float64(here-there) / 4 / p.rate // a byte between racks crosses four links
		}
		if left := o.Waited.Seconds() - lost; left >= 0 && left > spared {
			best, spared = i, left
		}
	}
	return best
}
