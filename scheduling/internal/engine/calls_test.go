package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// onRecord returns a Core under hfs that records its calls, and the list of them.
func onRecord(t *testing.T) (c *core.Core, calls *[]core.Call) {
	p := policyOf(t, "hfs", nil)
	p.Preemption.Mode = core.PreemptOn
	calls = new([]core.Call)
	c, err := NewCore(core.Config{Calls: func(call *core.Call) { *calls = append(*calls, *call) }}, p)
	require.NoError(t, err)
	return c, calls
}

// The log has each call that changes the Core once, with its arguments and answer. It has no
// rejected calls and no questions of a View.
func TestEveryCallIsOnRecord(t *testing.T) {
	c, calls := onRecord(t)
	spec := core.Node{Name: "a", Rack: "r", MapSlots: 2, ReduceSlots: 1}
	job := core.JobSpec{Name: "j", User: "u", Maps: 2, Reduces: 1}
	pol := c.View().Policy()
	m := func(i, try int32) core.AttemptID {
		return core.AttemptID{Task: core.TaskID{Job: 1, Kind: core.Map, Index: i}, Try: try}
	}
	for _, x := range []struct {
		call func() error
		want []core.Call
	}{
		{func() error { c.NodeID("b"); c.NodeID("b"); return nil }, []core.Call{{Op: core.OpName, Text: "b"}}},
		{func() error { _, err := c.Join(1, spec); return err }, []core.Call{{Op: core.OpJoin, At: 1, Node: 1, Join: &spec}}},
		{func() error { _, err := c.Join(1, core.Node{}); return err }, nil},
		{func() error { _, err := c.Submit(2, job); return err }, []core.Call{{Op: core.OpSubmit, At: 2, Job: 1, Submit: &job}}},
		{func() error { _, err := c.Submit(2, core.JobSpec{Maps: -1}); return err }, nil},
		{func() error { _, err := c.Heartbeat(3, core.Heartbeat{Node: 1}); return err }, []core.Call{{Op: core.OpHeartbeat, At: 3, Node: 1}}},
		{func() error { _, err := c.Heartbeat(3, core.Heartbeat{Node: 1, Incarnation: 7}); return err }, nil},
		{func() error { c.MayCommit(m(0, 0)); return nil }, []core.Call{{Op: core.OpCommit, At: 3, Attempt: m(0, 0), Flag: true}}},
		{func() error { c.MayCommit(m(0, 1)); return nil }, []core.Call{{Op: core.OpCommit, At: 3, Attempt: m(0, 1)}}},
		{func() error {
			_, err := c.Heartbeat(4, core.Heartbeat{Node: 1, Statuses: []core.Status{{Attempt: m(0, 0), State: core.StateSucceeded}}})
			return err
		}, []core.Call{{Op: core.OpHeartbeat, At: 4, Node: 1}}},
		{func() error { return c.MapOutput(5, m(0, 0).Task, []int64{7}) }, []core.Call{{Op: core.OpOutput, At: 5, Attempt: m(0, 0), Bytes: []int64{7}}}},
		{func() error { return c.MapOutput(5, m(1, 0).Task, []int64{7}) }, nil},
		{func() error { return c.SetPriority(6, 1, core.High) }, []core.Call{{Op: core.OpPriority, At: 6, Job: 1, Number: int(core.High)}}},
		{func() error { return c.SetPriority(6, 9, core.High) }, nil},
		{func() error { return c.SetPool(7, 1, "p") }, []core.Call{{Op: core.OpPool, At: 7, Job: 1, Text: "p"}}},
		{func() error { return c.Update(8) }, []core.Call{{Op: core.OpUpdate, At: 8}}},
		{func() error { _, err := c.Preempt(9); return err }, []core.Call{{Op: core.OpPreempt, At: 9}}},
		{func() error { return c.Cordon(10, 1, true) }, []core.Call{{Op: core.OpCordon, At: 10, Node: 1, Flag: true}}},
		{func() error { return c.Cordon(10, 0, true) }, nil}, // the node has not joined
		{func() error { _, err := c.Resume(11, 0, job, []int32{0}); return err }, []core.Call{{Op: core.OpResume, At: 11, Job: 2, Submit: &job, Kept: []int32{0}}}},
		{func() error { return c.Kill(12, 1) }, []core.Call{{Op: core.OpKill, At: 12, Job: 1}}},
		{func() error { return c.Kill(12, 1) }, nil},
		{func() error { return c.Reconfigure(13, pol) }, []core.Call{{Op: core.OpReconfigure, At: 13, Policy: &pol}}},
		{func() error { return c.Reconfigure(13, core.Policy{}) }, nil},
		{func() error { _, err := c.Expire(13); return err }, nil}, // no node has been silent for long enough
		{func() error { _, err := c.Expire(time.Hour); return err }, []core.Call{{Op: core.OpExpire, At: time.Hour}}},
		{func() error { return c.Leave(time.Hour, 1) }, []core.Call{{Op: core.OpLeave, At: time.Hour, Node: 1}}},
		{func() error { c.View().DurableState(); return nil }, nil},
	} {
		*calls = nil
		err := x.call()
		for i := range *calls {
			(*calls)[i].Heartbeat, (*calls)[i].Actions = nil, nil
		}
		require.Equal(t, x.want, *calls, err)
		require.False(t, err != nil && len(x.want) > 0, err)
	}
}

// ReplayFrom applies a whole log. It stops at the first call that is invalid, or whose answer
// differs, and its error has the number of that call.
func TestReplayNamesTheCall(t *testing.T) {
	p, log := recorded(t, "hfs")
	lines := strings.SplitAfter(strings.TrimSpace(log), "\n")
	play := func(lines []string) (*core.Core, error) {
		c, err := NewCore(core.Config{}, p)
		require.NoError(t, err)
		return c, core.ReplayFrom(c, strings.NewReader(strings.Join(lines, "")))
	}
	c, err := play(lines)
	require.NoError(t, err)
	require.Equal(t, 3, c.View().Jobs())
	kinds := map[string]bool{}
	for i, line := range lines {
		var call core.Call
		require.NoError(t, json.Unmarshal([]byte(line), &call))
		want := "call " + fmt.Sprint(i+1) + ": "
		_, err := play(append(slices.Clone(lines[:i]), "{"))
		require.ErrorContains(t, err, "scheduling: "+want)
		switch {
		case call.Op == core.OpJoin || call.Op == core.OpSubmit || call.Op == core.OpResume || len(call.Actions) > 0 || call.Op == core.OpCommit:
		default:
			continue
		}
		kinds[call.Op.String()] = true
		call.Node, call.Job, call.Flag = call.Node+1, call.Job+1, !call.Flag
		if call.Op == core.OpHeartbeat {
			call.Actions = call.Actions[1:]
		}
		other, err := json.Marshal(&call)
		require.NoError(t, err)
		_, err = play(append(slices.Clone(lines[:i]), string(other)))
		require.ErrorIs(t, err, core.ErrReplay, string(other))
		require.ErrorContains(t, err, want)
	}
	require.Len(t, kinds, 5)
	c, err = play([]string{`{"op":"join","join":{"Name":"n","MapSlots":1}}`, `{"op":"heartbeat","heartbeat":{"Node":0},"actions":[{"Verb":"kill"}]}`})
	require.ErrorIs(t, err, core.ErrReplay, "nothing was to be done")
	require.Equal(t, 1, len(c.View().Nodes()))
}

// recorded returns the policy and the call log of a small run in which the policy changes.
func recorded(tb testing.TB, preset string) (core.Policy, string) {
	p := policyOf(tb, preset, nil)
	var log bytes.Buffer
	calls := core.NewCallWriter(&log)
	c, err := NewCore(core.Config{Calls: calls.Write}, p)
	require.NoError(tb, err)
	n := join(tb, c, core.Node{Name: "a", Rack: "r", MapSlots: 2, ReduceSlots: 1, Incarnation: 1})
	far := c.NodeID("b")
	places := core.Places{Offsets: []int32{0, 1, 2}, Nodes: []core.NodeID{n, far}}
	submit(tb, c, core.JobSpec{Name: "j", User: "u", Maps: 2, Reduces: 1, Places: places})
	var ended []core.Status
	for now := time.Second; now < time.Minute; now += 5 * time.Second {
		got, err := c.Heartbeat(now, core.Heartbeat{Node: n, Incarnation: 1, Seq: uint64(now), Statuses: ended})
		require.NoError(tb, err)
		ended = nil
		for _, o := range got.Actions {
			c.MayCommit(o.Attempt)
			ended = append(ended, core.Status{Attempt: o.Attempt, State: core.StateSucceeded, OutputBytes: []int64{5}})
		}
		require.NoError(tb, c.Update(now))
	}
	id := submitAt(tb, c, time.Minute, core.JobSpec{Maps: 1})
	require.NoError(tb, c.SetPriority(time.Minute, id, core.High))
	_, err = c.Resume(time.Minute, 0, core.JobSpec{Maps: 2, Reduces: 2}, []int32{1})
	require.NoError(tb, err)
	to := policyOf(tb, "hfsp", nil)
	require.NoError(tb, c.Reconfigure(time.Minute, to))
	require.NoError(tb, c.Cordon(time.Minute, n, true))
	require.NoError(tb, c.Kill(time.Minute, id))
	require.NoError(tb, c.Leave(time.Minute, n))
	require.NoError(tb, calls.Err())
	return p, log.String()
}

// TestMalformedLogs: logs that no CallWriter wrote make ReplayFrom fail, but never panic.
func TestMalformedLogs(t *testing.T) {
	for op := range core.Op(20) {
		for _, rest := range []string{
			"", `,"node":-1`, `,"node":7`, `,"job":-1`, `,"job":9`, `,"at":-5`, `,"attempt":{"Task":{"Job":1,"Kind":9,"Index":-3}}`,
			`,"submit":{"Maps":1073741824}`, `,"submit":{"Maps":-1}`, `,"submit":{"Maps":1,"Places":{"Offsets":[0,5],"Nodes":[0]}}`,
			`,"join":{"Name":"x","MapSlots":9223372036854775807}`, `,"heartbeat":{"Node":-1}`, `,"policy":{"Order":"fifo","Locality":{"Rule":99}}`,
		} {
			c := coreOf(t, "hfs", nil)
			log := fmt.Sprintf(`{"op":"%v"%s}`, op, rest)
			require.NotPanics(t, func() { _ = core.ReplayFrom(c, strings.NewReader(log)) }, log)
		}
	}
	for _, log := range []string{
		`{"op":"join"}`, `{"op":"submit"}`, `{"op":"heartbeat"}`, `{"op":"reconfigure"}`, `{"op":""}`, `{"op":"sing"}`, `{"op":2}`, `{`, `nonsense`,
		`{"op":"submit","submit":{"Maps":1073741824}}`,
	} {
		c := coreOf(t, "hfs", nil)
		err := core.ReplayFrom(c, strings.NewReader(log))
		require.ErrorContains(t, err, "call 1", log)
	}
}

func FuzzReplay(f *testing.F) {
	for _, preset := range Presets() {
		_, log := recorded(f, preset)
		f.Add(preset, log)
	}
	f.Fuzz(func(t *testing.T, preset, log string) {
		p, err := Preset(preset)
		if err != nil {
			return
		}
		c, err := NewCore(core.Config{Explain: true, Events: func(core.Event) {}}, p)
		require.NoError(t, err)
		if err := core.ReplayFrom(c, strings.NewReader(log)); err == nil {
			checkInvariants(t, c)
		}
	})
}
