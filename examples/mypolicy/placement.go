package main

import (
	"math"

	"github.com/tarry-mr/tarry/scheduling"
)

// thrifty is a placement of reduces. A reduce waits for a slot at its center of gravity, the node
// where fetching its input costs least. It refuses another node for the extra seconds that fetching
// to that node would take, then takes it.
type thrifty struct {
	rate float64 // bytes per second that a reduce fetches
}

// Place implements scheduling.ReducePlacement. Of the reduces that have waited long enough for this
// node, it chooses the one that has waited longest beyond that.
func (p thrifty) Place(q scheduling.View, o scheduling.Offer) int32 {
	best, most := int32(-1), math.Inf(-1)
	for i := range o.Waiting {
		reduce := scheduling.TaskID{Job: o.Job, Kind: scheduling.Reduce, Index: i}
		extra := 0.0 // seconds of fetching to this node rather than to the center
		if center, ok, err := q.Gravity(reduce); ok && err == nil {
			here, _ := q.WTND(reduce, o.Node) // bytes times the links that each crosses
			there, _ := q.WTND(reduce, center)
			extra = float64(here-there) / 4 / p.rate // a byte between racks crosses four links
		}
		if beyond := o.Waited.Seconds() - extra; beyond >= 0 && beyond > most {
			best, most = i, beyond
		}
	}
	return best
}
