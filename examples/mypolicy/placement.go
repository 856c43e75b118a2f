package main

import (
	"math"

	"github.com/tarry-mr/tarry/scheduling"
)

// thrifty is a placement of reduces: a reduce lets slots pass that are not at its center of gravity
// for as long as it would take to move what the center saves, and no longer. Where little is to be
// gained, nothing waits.
type thrifty struct {
	rate float64 // bytes a second that a reduce fetches
}

// Place implements scheduling.ReducePlacement: of the reduces that have waited long enough it takes
// the one that this node suits best.
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
