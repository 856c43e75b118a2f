package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// onRecord is a Core under hfs that keeps its calls.
func onRecord(t *testing.T) (c *Core, calls *[]Call) {
	p, err := Preset("hfs")
	require.NoError(t, err)
	p.Preemption.Mode = PreemptOn
	calls = new([]Call)
	c, err = NewCore(Config{Calls: func(call *Call) { *calls = append(*calls, *call) }}, p)
	require.NoError(t, err)
	return c, calls
}

// Each call that changes the Core is on record once, with its arguments and its answer; what is
// refused, and a question, are not.
func TestEveryCallIsOnRecord(t *testing.T) {
	c, calls := onRecord(t)
	spec := Node{Name: "a", Rack: "r", MapSlots: 2, ReduceSlots: 1}
	job := JobSpec{Name: "j", User: "u", Maps: 2, Reduces: 1}
	pol := c.View().Policy()
	m := func(i, try int32) AttemptID { return AttemptID{TaskID{1, Map, i}, try} }
	for _, x := range []struct {
		call func() error
		want []Call
	}{
		{func() error { c.NodeID("b"); c.NodeID("b"); return nil }, []Call{{Op: OpName, Text: "b"}}},
		{func() error { _, err := c.Join(1, spec); return err }, []Call{{Op: OpJoin, At: 1, Node: 1, Join: &spec}}},
		{func() error { _, err := c.Join(1, Node{}); return err }, nil},
		{func() error { _, err := c.Submit(2, job); return err }, []Call{{Op: OpSubmit, At: 2, Job: 1, Submit: &job}}},
		{func() error { _, err := c.Submit(2, JobSpec{Maps: -1}); return err }, nil},
		{func() error { _, err := c.Heartbeat(3, Heartbeat{Node: 1}); return err }, []Call{{Op: OpHeartbeat, At: 3, Node: 1}}},
		{func() error { _, err := c.Heartbeat(3, Heartbeat{Node: 1, Incarnation: 7}); return err }, nil},
		{func() error { c.MayCommit(m(0, 0)); return nil }, []Call{{Op: OpCommit, At: 3, Attempt: m(0, 0), Flag: true}}},
		{func() error { c.MayCommit(m(0, 1)); return nil }, []Call{{Op: OpCommit, At: 3, Attempt: m(0, 1)}}},
		{func() error {
			_, err := c.Heartbeat(4, Heartbeat{Node: 1, Statuses: []Status{{Attempt: m(0, 0), State: StateSucceeded}}})
			return err
		}, []Call{{Op: OpHeartbeat, At: 4, Node: 1}}},
		{func() error { return c.MapOutput(5, m(0, 0).Task, []int64{7}) }, []Call{{Op: OpOutput, At: 5, Attempt: m(0, 0), Bytes: []int64{7}}}},
		{func() error { return c.MapOutput(5, m(1, 0).Task, []int64{7}) }, nil},
		{func() error { return c.SetPriority(6, 1, High) }, []Call{{Op: OpPriority, At: 6, Job: 1, Number: int(High)}}},
		{func() error { return c.SetPriority(6, 9, High) }, nil},
		{func() error { return c.SetPool(7, 1, "p") }, []Call{{Op: OpPool, At: 7, Job: 1, Text: "p"}}},
		{func() error { return c.Update(8) }, []Call{{Op: OpUpdate, At: 8}}},
		{func() error { _, err := c.Preempt(9); return err }, []Call{{Op: OpPreempt, At: 9}}},
		{func() error { return c.Cordon(10, 1, true) }, []Call{{Op: OpCordon, At: 10, Node: 1, Flag: true}}},
		{func() error { return c.Cordon(10, 0, true) }, nil}, // it has not joined
		{func() error { _, err := c.Resume(11, 0, job, []int32{0}); return err }, []Call{{Op: OpResume, At: 11, Job: 2, Submit: &job, Kept: []int32{0}}}},
		{func() error { return c.Kill(12, 1) }, []Call{{Op: OpKill, At: 12, Job: 1}}},
		{func() error { return c.Kill(12, 1) }, nil},
		{func() error { return c.Reconfigure(13, pol) }, []Call{{Op: OpReconfigure, At: 13, Policy: &pol}}},
		{func() error { return c.Reconfigure(13, Policy{}) }, nil},
		{func() error { _, err := c.Expire(13); return err }, nil}, // it is too early for any
		{func() error { _, err := c.Expire(time.Hour); return err }, []Call{{Op: OpExpire, At: time.Hour}}},
		{func() error { return c.Leave(time.Hour, 1) }, []Call{{Op: OpLeave, At: time.Hour, Node: 1}}},
		{func() error { c.View().Facts(); return nil }, nil},
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

// A log is applied to its end, and the first call whose answer differs, or that is no call, is named
// by its number.
func TestReplayNamesTheCall(t *testing.T) {
	p, log := recorded(t, "hfs")
	lines := strings.SplitAfter(strings.TrimSpace(log), "\n")
	play := func(lines []string) (*Core, error) {
		c, err := NewCore(Config{}, p)
		require.NoError(t, err)
		return c, ReplayFrom(c, strings.NewReader(strings.Join(lines, "")))
	}
	c, err := play(lines)
	require.NoError(t, err)
	require.Equal(t, 3, c.View().Jobs())
	kinds := map[string]bool{}
	for i, line := range lines {
		var call Call
		require.NoError(t, json.Unmarshal([]byte(line), &call))
		want := "call " + fmt.Sprint(i+1) + ": "
		_, err := play(append(slices.Clone(lines[:i]), "{"))
		require.ErrorContains(t, err, "scheduling: "+want)
		switch {
		case call.Op == OpJoin || call.Op == OpSubmit || call.Op == OpResume || len(call.Actions) > 0 || call.Op == OpCommit:
		default:
			continue
		}
		kinds[call.Op.String()] = true
		call.Node, call.Job, call.Flag = call.Node+1, call.Job+1, !call.Flag
		if call.Op == OpHeartbeat {
			call.Actions = call.Actions[1:]
		}
		other, err := json.Marshal(&call)
		require.NoError(t, err)
		_, err = play(append(slices.Clone(lines[:i]), string(other)))
		require.ErrorIs(t, err, ErrReplay, string(other))
		require.ErrorContains(t, err, want)
	}
	require.Len(t, kinds, 5)
	c, err = play([]string{`{"op":"join","join":{"Name":"n","MapSlots":1}}`, `{"op":"heartbeat","heartbeat":{"Node":0},"actions":[{"Verb":"kill"}]}`})
	require.ErrorIs(t, err, ErrReplay, "nothing was to be done")
	require.Equal(t, 1, len(c.View().Nodes()))
}

// A writer of calls stops at its first error, and keeps it.
func TestCallWriterKeepsTheFirstError(t *testing.T) {
	w := &failing{errs: []error{nil, errors.New("first"), errors.New("second"), nil}}
	calls := NewCallWriter(w)
	for range 4 {
		calls.Write(&Call{Op: OpUpdate})
	}
	require.EqualError(t, calls.Err(), "first")
	require.Len(t, w.errs, 2, "it writes no more")
}

// failing fails with one error after the other.
type failing struct {
	bytes.Buffer
	errs []error
}

func (f *failing) Write(b []byte) (int, error) {
	err := f.errs[0]
	f.errs = f.errs[1:]
	return len(b), err
}

// A policy is the same after it was JSON, also with an infinite Xi.
func TestXiAsJSON(t *testing.T) {
	for _, xi := range []float64{0, 1, 2.5, math.Inf(1)} {
		p := HFSPPolicy{Xi: xi, Sample: 3}
		text, err := json.Marshal(p)
		require.NoError(t, err)
		require.Equal(t, math.IsInf(xi, 1), strings.Contains(string(text), `"+Inf"`))
		var got HFSPPolicy
		require.NoError(t, json.Unmarshal(text, &got))
		require.Equal(t, p, got)
	}
	var p HFSPPolicy
	require.NoError(t, json.Unmarshal([]byte(`{"Sample":4}`), &p))
	require.Equal(t, HFSPPolicy{Sample: 4}, p, "what is not said is left as it is")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"Xi":"many"}`), &p), `scheduling: Xi: want a number or "+Inf"`)
	require.Error(t, json.Unmarshal([]byte(`{"Sample":"x"}`), &p))
	require.Error(t, json.Unmarshal([]byte(`{`), &p))
}
