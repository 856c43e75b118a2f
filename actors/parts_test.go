package actors

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/scheduling"
)

// secondOffer is a custom policy: last job first, remote maps and reduces only at a second offer.
type secondOffer struct{}

func (secondOffer) Farthest(_ scheduling.View, o scheduling.MapOffer) scheduling.Locality {
	if o.Refused == 0 {
		return scheduling.NodeLocal
	}
	return scheduling.AnyPlace
}

func (secondOffer) Place(_ scheduling.View, o scheduling.ReduceOffer) int32 {
	if o.Refused > 0 {
		for i := range o.Waiting {
			return i
		}
	}
	return -1
}

func (secondOffer) Rank(_ scheduling.View, id scheduling.JobID, _ scheduling.TaskKind) float64 {
	return -float64(id)
}

// A job under external policies has the right output. A later process with these policies can open
// the cluster's state; without them it fails and names the missing policy.
func TestPartsFromOutside(t *testing.T) {
	cfg := Config{
		Nodes: 3, MapSlots: 1, ReduceSlots: 1, BlockSize: 60, Replication: 1,
		Policy: scheduling.Policy{
			Order: "last", SlowStart: 0.5, Locality: scheduling.LocalityPolicy{Part: "second"}, Reduce: scheduling.ReducePolicy{Part: "second"},
		},
		Parts: scheduling.Parts{
			Orders:  map[string]func() scheduling.JobOrder{"last": func() scheduling.JobOrder { return secondOffer{} }},
			Maps:    map[string]func() scheduling.MapPlacement{"second": func() scheduling.MapPlacement { return secondOffer{} }},
			Reduces: map[string]func() scheduling.ReducePlacement{"second": func() scheduling.ReducePlacement { return secondOffer{} }},
		},
	}
	dir, text := t.TempDir(), prose(5, 60)
	remembering(t, dir, cfg, func(t *testing.T, c *Cluster) {
		plan, out := bindLines(t, slow(3), text)
		h := c.submit(t, plan, SubmitOptions{})
		pass(300 * time.Millisecond)                   // on the log
		none, err := Start(Config{Policy: cfg.Policy}) // Start must leave no goroutine, or the bubble fails
		require.Nil(t, none)
		require.ErrorIs(t, err, scheduling.ErrUnknownPolicy)
		require.ErrorContains(t, err, `no order "last"`)
		h.wait(t)
		require.Equal(t, oracle(t, counting(3), text), out.String())
	})
	_, err := state.Open(dir, scheduling.Parts{})
	require.ErrorIs(t, err, scheduling.ErrUnknownPolicy)
	saved, err := state.Open(dir, cfg.Parts)
	require.NoError(t, err)
	durable, err := saved.Former()
	require.NoError(t, err)
	require.Len(t, durable.Nodes, 3)
	require.NoError(t, saved.Close())
}
