package core

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// The places of a job's inputs are reported with one count if all maps have equally many, otherwise
// with a count per map. A huge job reports only their number.
func TestPlacesAreReportedCompactly(t *testing.T) {
	c := &Core{Config: Config{Explain: true, Events: func(event.Event) {}}}
	require.Nil(t, c.inputPlaces(model.Places{}))
	require.Equal(t, &event.InputPlaces{Each: 2, Nodes: []model.NodeID{1, 2, 3, 4}}, c.inputPlaces(model.Places{Offsets: []int32{0, 2, 4}, Nodes: []model.NodeID{1, 2, 3, 4}}))
	require.Equal(t, &event.InputPlaces{Counts: []int32{0, 2}, Nodes: []model.NodeID{1, 2}}, c.inputPlaces(model.Places{Offsets: []int32{0, 0, 2}, Nodes: []model.NodeID{1, 2}}))
	require.Equal(t, &event.InputPlaces{Omitted: maxPlaces + 1}, c.inputPlaces(model.Places{Offsets: []int32{0, maxPlaces + 1}, Nodes: make([]model.NodeID, maxPlaces+1)}))
	for _, cfg := range []Config{{Explain: true}, {Events: func(event.Event) {}}} {
		require.Nil(t, (&Core{Config: cfg}).inputPlaces(model.Places{Offsets: []int32{0, 1}, Nodes: []model.NodeID{1}}), "nobody asked for explanations")
	}
	huge := &Job{Spec: model.JobSpec{Maps: maxOutputs, Reduces: 2}}
	sum, parts := c.outputTold(huge, []int64{1, 2})
	require.Equal(t, []any{int64(3), []int64(nil)}, []any{sum, parts})
}

// A change of a pool's shares is reported at once. A change of its demand is reported only with
// Explain, and later for an older pool: after a twentieth of its age, at most 10 s.
func TestSharesAreToldLessOften(t *testing.T) {
	var told int
	c := &Core{Config: Config{Events: func(event.Event) { told++ }}}
	for _, x := range []struct {
		explain         bool
		since, at, now  time.Duration
		shares, changed bool // what has changed: the shares, or only the demand
		want            int
	}{
		{explain: true, now: time.Second, want: 0},
		{shares: true, changed: true, now: time.Second, at: time.Second, want: 1},
		{changed: true, now: time.Hour, want: 0},
		{explain: true, changed: true, since: 20 * time.Second, at: 59 * time.Second, now: 61 * time.Second, want: 0},
		{explain: true, changed: true, since: 20 * time.Second, at: 59 * time.Second, now: 62 * time.Second, want: 1},
		{explain: true, changed: true, at: time.Hour, now: time.Hour + 9*time.Second, want: 0},
		{explain: true, changed: true, at: time.Hour, now: time.Hour + 10*time.Second, want: 1},
	} {
		told, c.Now, c.Config.Explain = 0, x.now, x.explain
		s, now := GroupShares{Since: x.since, at: x.at}, Figures{}
		if x.changed {
			now.Demand[0] = 1
		}
		if x.shares {
			now.Shares[0] = 1
		}
		c.TellGroup("a", &s, now)
		require.Equal(t, x.want, told, "%+v", x)
	}
}
