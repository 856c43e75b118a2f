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

	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// onRecord returns a Core under hfs that records its calls, and the list of them.
func onRecord(t *testing.T) (c *core.Core, made *[]calls.Call) {
	p := policyOf(t, "hfs", nil)
	p.Preemption.Mode = model.PreemptOn
	made = new([]calls.Call)
	c, err := NewCore(core.Config{Calls: func(call *calls.Call) { *made = append(*made, *call) }}, p)
	require.NoError(t, err)
	return c, made
}

// The log has each call that changes the Core once, with its arguments and answer. It has no
// rejected calls and no questions of a View.
func TestEveryCallIsOnRecord(t *testing.T) {
	c, made := onRecord(t)
	spec := model.Node{Name: "a", Rack: "r", MapSlots: 2, ReduceSlots: 1}
	job := model.JobSpec{Name: "j", User: "u", Maps: 2, Reduces: 1}
	pol := c.View().Policy()
	m := func(i, try int32) model.AttemptID {
		return model.AttemptID{Task: model.TaskID{Job: 1, Kind: model.Map, Index: i}, Try: try}
	}
	for _, x := range []struct {
		call func() error
		want []calls.Call
	}{
		{func() error { c.NodeID("b"); c.NodeID("b"); return nil }, []calls.Call{{Op: calls.Name, Text: "b"}}},
		{func() error { _, err := c.Join(1, spec); return err }, []calls.Call{{Op: calls.Join, At: 1, Node: 1, Join: &spec}}},
		{func() error { _, err := c.Join(1, model.Node{}); return err }, nil},
		{func() error { _, err := c.Submit(2, job); return err }, []calls.Call{{Op: calls.Submit, At: 2, Job: 1, Submit: &job}}},
		{func() error { _, err := c.Submit(2, model.JobSpec{Maps: -1}); return err }, nil},
		{func() error { _, err := c.Heartbeat(3, model.Heartbeat{Node: 1}); return err }, []calls.Call{{Op: calls.Heartbeat, At: 3, Node: 1}}},
		{func() error { _, err := c.Heartbeat(3, model.Heartbeat{Node: 1, Incarnation: 7}); return err }, nil},
		{func() error { c.MayCommit(m(0, 0)); return nil }, []calls.Call{{Op: calls.Commit, At: 3, Attempt: m(0, 0), Flag: true}}},
		{func() error { c.MayCommit(m(0, 1)); return nil }, []calls.Call{{Op: calls.Commit, At: 3, Attempt: m(0, 1)}}},
		{func() error {
			_, err := c.Heartbeat(4, model.Heartbeat{Node: 1, Statuses: []model.Status{{Attempt: m(0, 0), State: model.StateSucceeded}}})
			return err
		}, []calls.Call{{Op: calls.Heartbeat, At: 4, Node: 1}}},
		{func() error { return c.MapOutput(5, m(0, 0).Task, []int64{7}) }, []calls.Call{{Op: calls.Output, At: 5, Attempt: m(0, 0), Bytes: []int64{7}}}},
		{func() error { return c.MapOutput(5, m(1, 0).Task, []int64{7}) }, nil},
		{func() error { return c.SetPriority(6, 1, model.High) }, []calls.Call{{Op: calls.Priority, At: 6, Job: 1, Number: int(model.High)}}},
		{func() error { return c.SetPriority(6, 9, model.High) }, nil},
		{func() error { return c.SetPool(7, 1, "p") }, []calls.Call{{Op: calls.Pool, At: 7, Job: 1, Text: "p"}}},
		{func() error { return c.Update(8) }, []calls.Call{{Op: calls.Update, At: 8}}},
		{func() error { _, err := c.Preempt(9); return err }, []calls.Call{{Op: calls.Preempt, At: 9}}},
		{func() error { return c.Cordon(10, 1, true) }, []calls.Call{{Op: calls.Cordon, At: 10, Node: 1, Flag: true}}},
		{func() error { return c.Cordon(10, 0, true) }, nil}, // the node has not joined
		{func() error { _, err := c.Resume(11, 0, job, []int32{0}); return err }, []calls.Call{{Op: calls.Resume, At: 11, Job: 2, Submit: &job, Kept: []int32{0}}}},
		{func() error { return c.Kill(12, 1) }, []calls.Call{{Op: calls.Kill, At: 12, Job: 1}}},
		{func() error { return c.Kill(12, 1) }, nil},
		{func() error { return c.Reconfigure(13, pol) }, []calls.Call{{Op: calls.Reconfigure, At: 13, Policy: &pol}}},
		{func() error { return c.Reconfigure(13, model.Policy{}) }, nil},
		{func() error { _, err := c.Expire(13); return err }, nil}, // no node has been silent for long enough
		{func() error { _, err := c.Expire(time.Hour); return err }, []calls.Call{{Op: calls.Expire, At: time.Hour}}},
		{func() error { return c.Leave(time.Hour, 1) }, []calls.Call{{Op: calls.Leave, At: time.Hour, Node: 1}}},
		{func() error { c.View().DurableState(); return nil }, nil},
	} {
		*made = nil
		err := x.call()
		for i := range *made {
			(*made)[i].Heartbeat, (*made)[i].Actions = nil, nil
		}
		require.Equal(t, x.want, *made, err)
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
		return c, ReplayFrom(c, strings.NewReader(strings.Join(lines, "")))
	}
	c, err := play(lines)
	require.NoError(t, err)
	require.Equal(t, 3, c.View().Jobs())
	kinds := map[string]bool{}
	for i, line := range lines {
		var call calls.Call
		require.NoError(t, json.Unmarshal([]byte(line), &call))
		want := "call " + fmt.Sprint(i+1) + ": "
		_, err := play(append(slices.Clone(lines[:i]), "{"))
		require.ErrorContains(t, err, "scheduling: "+want)
		switch {
		case call.Op == calls.Join || call.Op == calls.Submit || call.Op == calls.Resume || len(call.Actions) > 0 || call.Op == calls.Commit:
		default:
			continue
		}
		kinds[string(call.Op)] = true
		call.Node, call.Job, call.Flag = call.Node+1, call.Job+1, !call.Flag
		if call.Op == calls.Heartbeat {
			call.Actions = call.Actions[1:]
		}
		other, err := json.Marshal(&call)
		require.NoError(t, err)
		_, err = play(append(slices.Clone(lines[:i]), string(other)))
		require.ErrorIs(t, err, calls.ErrReplay, string(other))
		require.ErrorContains(t, err, want)
	}
	require.Len(t, kinds, 5)
	c, err = play([]string{`{"op":"join","join":{"Name":"n","MapSlots":1}}`, `{"op":"heartbeat","heartbeat":{"Node":0},"actions":[{"Verb":"kill"}]}`})
	require.ErrorIs(t, err, calls.ErrReplay, "nothing was to be done")
	require.Equal(t, 1, len(c.View().Nodes()))
}

// recorded returns the policy and the call log of a small run in which the policy changes.
func recorded(tb testing.TB, preset string) (model.Policy, string) {
	p := policyOf(tb, preset, nil)
	var log bytes.Buffer
	calls := calls.NewWriter(&log)
	c, err := NewCore(core.Config{Calls: calls.Write}, p)
	require.NoError(tb, err)
	n := join(tb, c, model.Node{Name: "a", Rack: "r", MapSlots: 2, ReduceSlots: 1, Incarnation: 1})
	far := c.NodeID("b")
	places := model.Places{Offsets: []int32{0, 1, 2}, Nodes: []model.NodeID{n, far}}
	submit(tb, c, model.JobSpec{Name: "j", User: "u", Maps: 2, Reduces: 1, Places: places})
	var ended []model.Status
	for now := time.Second; now < time.Minute; now += 5 * time.Second {
		got, err := c.Heartbeat(now, model.Heartbeat{Node: n, Incarnation: 1, Seq: uint64(now), Statuses: ended})
		require.NoError(tb, err)
		ended = nil
		for _, o := range got.Actions {
			c.MayCommit(o.Attempt)
			ended = append(ended, model.Status{Attempt: o.Attempt, State: model.StateSucceeded, OutputBytes: []int64{5}})
		}
		require.NoError(tb, c.Update(now))
	}
	id := submitAt(tb, c, time.Minute, model.JobSpec{Maps: 1})
	require.NoError(tb, c.SetPriority(time.Minute, id, model.High))
	_, err = c.Resume(time.Minute, 0, model.JobSpec{Maps: 2, Reduces: 2}, []int32{1})
	require.NoError(tb, err)
	to := policyOf(tb, "hfsp", nil)
	require.NoError(tb, c.Reconfigure(time.Minute, to))
	require.NoError(tb, c.Cordon(time.Minute, n, true))
	require.NoError(tb, c.Kill(time.Minute, id))
	require.NoError(tb, c.Leave(time.Minute, n))
	require.NoError(tb, calls.Err())
	return p, log.String()
}

// Logs that no calls.Writer wrote make ReplayFrom fail, but never panic.
func FuzzReplay(f *testing.F) {
	for _, preset := range Presets() {
		_, log := recorded(f, preset)
		f.Add(preset, log)
	}
	for _, op := range []calls.Op{
		calls.Name, calls.Join, calls.Leave, calls.Cordon, calls.Submit, calls.Heartbeat, calls.Expire, calls.Update, calls.Kill, calls.Priority,
		calls.Pool, calls.Output, calls.Reconfigure, calls.Preempt, calls.Commit, calls.Resume, "sing",
	} {
		for _, rest := range []string{
			"", `,"node":-1`, `,"node":7`, `,"job":-1`, `,"job":9`, `,"at":-5`, `,"attempt":{"Task":{"Job":1,"Kind":9,"Index":-3}}`,
			`,"submit":{"Maps":1073741824}`, `,"submit":{"Maps":-1}`, `,"submit":{"Maps":1,"Places":{"Offsets":[0,5],"Nodes":[0]}}`,
			`,"join":{"Name":"x","MapSlots":9223372036854775807}`, `,"heartbeat":{"Node":-1}`, `,"policy":{"Order":"fifo","Locality":{"Rule":99}}`,
		} {
			f.Add("hfs", fmt.Sprintf(`{"op":"%s"%s}`, op, rest))
		}
	}
	for _, log := range []string{
		`{"op":"join"}`, `{"op":"submit"}`, `{"op":"heartbeat"}`, `{"op":"reconfigure"}`, `{"op":""}`, `{"op":"sing"}`, `{"op":2}`, `{`, `nonsense`,
		`{"op":"submit","submit":{"Maps":1073741824}}`,
	} {
		require.ErrorContains(f, ReplayFrom(coreOf(f, "hfs", nil), strings.NewReader(log)), "call 1", log)
	}
	f.Fuzz(func(t *testing.T, preset, log string) {
		p, err := Preset(preset)
		if err != nil {
			return
		}
		c, err := NewCore(core.Config{Explain: true, Events: func(event.Event) {}}, p)
		require.NoError(t, err)
		if err := ReplayFrom(c, strings.NewReader(log)); err == nil {
			checkInvariants(t, c)
		}
	})
}
