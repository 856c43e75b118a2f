package flat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/coretest"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// fifoCore returns a Core under fifo with four nodes in one rack, and Spread if `spread` is set.
func fifoCore(t require.TestingT, spread bool, slots int) *core.Core {
	built := &core.Policies{Orders: map[string]func(*core.Core, *model.Policy) (core.Order, error){"fifo": NewFIFO}}
	return coretest.New(t, built, core.Config{}, model.Policy{Order: "fifo", Spread: spread}, coretest.Racks([2]int{slots, slots}, 4)...)
}

// Under fifo a heartbeat gets only one map if the cluster is nearly full. Nearly full means that
// few slots are free: one for each 100 wanted tasks, at most those of a node. With up to three
// nodes none may be free.
func TestPaddingOfFIFO(t *testing.T) {
	for _, x := range []struct {
		spread               bool
		nodes, load, running int
		want                 bool
	}{
		{true, 4, 350, 97, true},
		{true, 4, 350, 96, false},
		{true, 4, 99, 99, false},
		{true, 4, 100, 99, true},
		{true, 4, 9000, 93, false},
		{true, 4, 9000, 94, true},
		{true, 3, 350, 99, false},
		{true, 3, 350, 100, true},
		{false, 4, 350, 100, false},
	} {
		c := fifoCore(t, x.spread, 6)
		at := c.Nodes[0]
		c.Live, c.Load[model.Map], c.Slots[model.Map], c.Running[model.Map] = x.nodes, x.load, 100, x.running
		require.Equal(t, x.want, c.Order.(*fifo).padded(at, model.Map), "%+v", x)
	}
}

// Under fifo with Spread a node gets its fraction of the maps and of the reduces. Then its slots
// stay idle with CauseLoadCap. A heartbeat gets at most one reduce.
func TestSpreadOfFIFO(t *testing.T) {
	for _, spread := range []bool{true, false} {
		c := fifoCore(t, spread, 4)
		coretest.Submit(t, c, model.JobSpec{Maps: 4, Reduces: 4, SlowStart: -1, Places: coretest.On(4, 0)})
		got := map[model.TaskKind]int{}
		for range 4 {
			reduces := 0
			for _, a := range coretest.Beat(t, c, 0, 0) {
				got[a.Task.Kind]++
				if a.Task.Kind == model.Reduce {
					reduces++
				}
			}
			require.LessOrEqual(t, reduces, 1)
		}
		require.Equal(t, map[bool]map[model.TaskKind]int{true: {model.Map: 1, model.Reduce: 1}, false: {model.Map: 4, model.Reduce: 4}}[spread], got)
		if spread {
			require.Equal(t, []model.Skip{
				{Job: 1, Kind: model.Map, Node: 0, Reason: model.Reason{Cause: model.CauseLoadCap, Count: 1, Of: 1}},
				{Job: 1, Kind: model.Reduce, Node: 0, Reason: model.Reason{Cause: model.CauseLoadCap, Count: 1, Of: 1}},
			}, c.View().IdleReasons(0))
			require.Equal(t, model.Reason{Cause: model.CauseNotOffered}, c.View().IdleReasons(1)[0].Reason)
		}
	}
}
