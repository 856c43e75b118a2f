package eventlog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Attempts are launched, suspended, resumed and ended at random on nodes with few slots: no row of
// the trace has two bars at once, and no node more rows than slots, whatever was suspended; the
// bars of an attempt are as long as it ran.
func TestTraceHasNoMoreRowsThanSlots(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.json")
	rapid.Check(t, func(t *rapid.T) {
		const slots = 2
		trace, err := CreateTrace(file)
		require.NoError(t, err)
		running := map[int][]scheduling.AttemptID{}
		suspended := map[int][]scheduling.AttemptID{}
		ran := map[string]time.Duration{}
		next := int32(0)
		at := time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			step := time.Duration(rapid.IntRange(1, 5).Draw(t, "step")) * time.Second
			at += step
			for _, list := range running {
				for _, a := range list {
					ran[a.String()] += step
				}
			}
			node := rapid.IntRange(0, 1).Draw(t, "node")
			e := event.Event{At: at, Node: scheduling.NodeID(node)}
			pick := func(from map[int][]scheduling.AttemptID) scheduling.AttemptID {
				i := rapid.IntRange(0, len(from[node])-1).Draw(t, "which")
				a := from[node][i]
				from[node] = append(from[node][:i:i], from[node][i+1:]...)
				return a
			}
			switch what := rapid.IntRange(0, 3).Draw(t, "what"); {
			case what == 0 && len(running[node]) < slots:
				e.Type = event.Launched
				e.Attempt.Task = scheduling.TaskID{Job: 1, Kind: scheduling.Reduce, Index: next}
				next++
				running[node] = append(running[node], e.Attempt)
			case what == 1 && len(running[node]) > 0:
				e.Type, e.Attempt = event.Suspended, pick(running)
				suspended[node] = append(suspended[node], e.Attempt)
			case what == 2 && len(suspended[node]) > 0 && len(running[node]) < slots:
				e.Type, e.Attempt = event.Resumed, pick(suspended)
				running[node] = append(running[node], e.Attempt)
			case what == 3 && len(running[node]) > 0:
				e.Type, e.Attempt = event.Succeeded, pick(running)
			case what == 3 && len(suspended[node]) > 0:
				e.Type, e.Attempt = event.Killed, pick(suspended)
			default:
				continue
			}
			require.NoError(t, trace.Write(actors.Event{Event: e}))
		}
		for node, list := range running {
			for _, a := range list {
				e := event.Event{Type: event.Killed, At: at, Node: scheduling.NodeID(node), Attempt: a}
				require.NoError(t, trace.Write(actors.Event{Event: e}))
			}
		}
		require.NoError(t, trace.Close())
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var bars []traceEvent
		require.NoError(t, json.Unmarshal(text, &bars))
		drawn := map[string]time.Duration{}
		for i, b := range bars {
			require.GreaterOrEqual(t, b.Row, 0)
			require.Less(t, b.Row, slots, "more rows than slots")
			drawn[b.Name] += time.Duration(b.For * float64(time.Microsecond))
			for _, o := range bars[:i] {
				meet := o.At < b.At+b.For && b.At < o.At+o.For
				require.False(t, o.Node == b.Node && o.Row == b.Row && meet, "%v and %v are one slot", o, b)
			}
		}
		for name, d := range ran {
			require.Equal(t, d, drawn[name], name)
		}
	})
}
