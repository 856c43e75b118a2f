package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Fair shares follow the slots that there are.
func TestSharesFollowTheSlots(t *testing.T) {
	c, _ := newTestCore(t, "hfs", nil)
	_, err := c.Submit(0, core.JobSpec{User: "u", Maps: 100})
	require.NoError(t, err)
	had := c.View().Pools()
	_, err = c.Join(0, core.Node{Name: "another", MapSlots: 7})
	require.NoError(t, err)
	for i, p := range c.View().Pools() {
		if p.Name == "u" {
			require.InDelta(t, had[i].Kinds[core.Map].Share+7, p.Kinds[core.Map].Share, 1e-9)
		}
	}
}
