package speculate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// A job may have as many speculative attempts as the largest of three numbers, rounded up. They are
// a fraction of its launched tasks (suspended ones count, speculative attempts do not), a fraction
// of the slots, and a minimum.
func TestHowManyCopies(t *testing.T) {
	for _, c := range []struct {
		running, suspended, copies, slots, least int
		part                                     float64
		want                                     int
	}{
		{running: 100, part: .1, least: 1, want: 10},
		{running: 100, suspended: 100, part: .1, least: 1, want: 20},
		{running: 110, copies: 10, part: .1, least: 1, want: 10},
		{running: 101, part: .1, least: 1, want: 11},
		{running: 10, slots: 5000, part: .1, least: 1, want: 50},
		{running: 10, part: .1, least: 3, want: 3},
		{running: 10, want: 10},
		{running: 200, want: 20},
	} {
		r := &Rule{c: new(core.Core), pol: model.SpeculationPolicy{Cap: c.part, MinCopies: c.least}}
		r.c.Slots[model.Map] = c.slots
		j := new(core.Job)
		w := &j.Work[model.Map]
		w.Running, w.Suspended, w.Copies = c.running, c.suspended, c.copies
		require.Equal(t, c.want, r.maxCopies(j, model.Map), "%+v", c)
	}
}
