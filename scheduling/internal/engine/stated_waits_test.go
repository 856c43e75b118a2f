package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// Timed waits hold under every order that goes by a locality rule, the one of Hadoop's FIFO included.
func TestWaitsUnderEveryOrder(t *testing.T) {
	for _, preset := range Presets() {
		if preset == "quincy" {
			continue // its flow weighs what is near by itself
		}
		c, n := newTestCore(t, preset, func(_ *core.Config, p *core.Policy) {
			p.Spread = false
			p.Locality = core.LocalityPolicy{Rule: core.TimedWait, Waits: []time.Duration{5 * time.Second, 5 * time.Second}}
		})
		submit(t, c, core.JobSpec{Maps: 2, Places: on(2, n[0])})
		require.Empty(t, beat(t, c, 0, n[3]), preset)
		require.Empty(t, beat(t, c, 9*time.Second, n[3]), preset)
		require.NotEmpty(t, beat(t, c, 10*time.Second, n[3]), preset)
	}
}
