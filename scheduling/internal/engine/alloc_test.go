package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// In a steady state, in which tasks end and new ones take their slots, a heartbeat allocates no
// memory.
func TestHeartbeatDoesNotAllocate(t *testing.T) {
	for _, preset := range Presets() {
		for _, rule := range []core.ReduceRule{core.AnyNode, core.CoGRS} {
			t.Run(fmt.Sprint(preset, rule), func(t *testing.T) {
				c := coreOf(t, preset, func(_ *core.Config, p *core.Policy) {
					p.Reduce.Rule = rule
					p.HFSP.Sample = 1
				})
				const nodes = 8
				for i := range nodes {
					join(t, c, core.Node{Name: fmt.Sprint(i), Rack: fmt.Sprint(i % 2), MapSlots: 2, ReduceSlots: 2})
				}
				for i := range 6 {
					submit(t, c, core.JobSpec{User: fmt.Sprint(i), Maps: 20000, Reduces: 20000, SlowStart: -1, Places: on(20000, core.NodeID(i), core.NodeID(i+1))})
				}
				running := make([][]core.Status, nodes)
				for n := range running {
					running[n] = make([]core.Status, 0, 16)
				}
				now := time.Duration(0)
				round := func() {
					for n := range core.NodeID(nodes) {
						now += 100 * time.Millisecond
						got, err := c.Heartbeat(now, core.Heartbeat{Node: n, Statuses: running[n]})
						if err != nil {
							t.Fatal(err)
						}
						running[n] = running[n][:0]
						for _, o := range got.Actions {
							if o.Verb == core.Launch {
								running[n] = append(running[n], core.Status{Attempt: o.Attempt, State: core.StateSucceeded})
							}
						}
					}
				}
				for range 100 {
					round()
				}
				require.Zero(t, testing.AllocsPerRun(100, round))
				require.NotZero(t, len(running[0])+len(running[1]))
			})
		}
	}
}
