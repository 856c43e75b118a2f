package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// In a steady state, in which tasks end and new ones take their slots, a heartbeat allocates no
// memory.
func TestHeartbeatDoesNotAllocate(t *testing.T) {
	for _, preset := range Presets() {
		for _, rule := range []model.ReduceRule{model.AnyNode, model.CoGRS} {
			t.Run(fmt.Sprint(preset, rule), func(t *testing.T) {
				c := coreOf(t, preset, func(_ *core.Config, p *model.Policy) {
					p.Reduce.Rule = rule
					p.HFSP.Sample = 1
				})
				const nodes = 8
				for i := range nodes {
					join(t, c, model.Node{Name: fmt.Sprint(i), Rack: fmt.Sprint(i % 2), MapSlots: 2, ReduceSlots: 2})
				}
				for i := range 6 {
					submit(t, c, model.JobSpec{User: fmt.Sprint(i), Maps: 20000, Reduces: 20000, SlowStart: -1, Places: on(20000, model.NodeID(i), model.NodeID(i+1))})
				}
				running := make([][]model.Status, nodes)
				for n := range running {
					running[n] = make([]model.Status, 0, 16)
				}
				now := time.Duration(0)
				round := func() {
					for n := range model.NodeID(nodes) {
						now += 100 * time.Millisecond
						got, err := c.Heartbeat(now, model.Heartbeat{Node: n, Statuses: running[n]})
						if err != nil {
							t.Fatal(err)
						}
						running[n] = running[n][:0]
						for _, o := range got.Actions {
							if o.Verb == model.Launch {
								running[n] = append(running[n], model.Status{Attempt: o.Attempt, State: model.StateSucceeded})
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
