package core

import (
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// maxPlaces and maxOutputs limit what events contain of one job: the places of its blocks, and
// the sizes of all its maps' outputs.
const (
	maxPlaces  = 1 << 16
	maxOutputs = 1 << 20
)

// Tells reports whether events include explanations (Config.Explain).
func (c *Core) Tells() bool { return c.Config.Explain && c.Config.Events != nil }

// inputPlaces returns the Places of event.Submitted, nil if events include no explanations.
func (c *Core) inputPlaces(p model.Places) *event.InputPlaces {
	switch {
	case !c.Tells() || len(p.Nodes) == 0:
		return nil
	case len(p.Nodes) > maxPlaces:
		return &event.InputPlaces{Omitted: len(p.Nodes)}
	}
	out := &event.InputPlaces{Each: int(p.Offsets[1]), Nodes: p.Nodes}
	for m := range p.Offsets[1:] {
		if int(p.Offsets[m+1]-p.Offsets[m]) != out.Each {
			out.Each = 0
		}
	}
	if out.Each == 0 {
		for m := range p.Offsets[1:] {
			out.Counts = append(out.Counts, p.Offsets[m+1]-p.Offsets[m])
		}
	}
	return out
}

// outputTold returns the Bytes and Output of a map's EventSucceeded: the sum and, unless the job is
// huge, the sizes by reduce.
func (c *Core) outputTold(j *Job, bytes []int64) (sum int64, parts []int64) {
	for _, b := range bytes {
		sum += b
	}
	if c.Tells() && j.Spec.Maps*j.Spec.Reduces <= maxOutputs {
		parts = bytes
	}
	return sum, parts
}
