package core

import (
	"testing"

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
	huge := &Job{Spec: model.JobSpec{Maps: maxOutputs, Reduces: 2}}
	sum, parts := c.outputTold(huge, []int64{1, 2})
	require.Equal(t, []any{int64(3), []int64(nil)}, []any{sum, parts})
}
