package actors

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// Only a job with a key, on a cluster with a State, is remembered: a key without a State, and a State
// without a key, are a job like any other.
func TestWhoIsRemembered(t *testing.T) {
	ctx := t.Context()
	run := func(c *Cluster, key string) {
		h, err := c.Submit(ctx, wordCount(t, "a b\n", 1), SubmitOptions{Key: key})
		require.NoError(t, err)
		r, err := h.Wait(ctx)
		require.NoError(t, err)
		require.Equal(t, "succeeded", r.State.String())
	}
	run(start(t, Config{}), "a key")

	state, err := OpenState(t.TempDir())
	require.NoError(t, err)
	c := start(t, Config{State: state})
	run(c, "")
	run(c, "")
	require.Empty(t, state.saved.Cuts)
	_, yes := state.Succeeded("")
	require.False(t, yes)
	run(c, "a key")
	_, yes = state.Succeeded("a key")
	require.True(t, yes)
}

// A job without a key ends with its cluster: the next one on that State does not await it.
func TestJobsWithoutAKeyAreNotAwaited(t *testing.T) {
	for key, awaited := range map[string]int{"": 0, "a key": 1} {
		dir := t.TempDir()
		state, err := OpenState(dir)
		require.NoError(t, err)
		c, err := Start(Config{State: state})
		require.NoError(t, err)
		begun := make(chan struct{})
		begin := sync.OnceFunc(func() { close(begun) })
		p, err := mapreduce.MapOnly[int, int]{MapTask: func(task *mapreduce.Task) (mapreduce.Filter[int, int], error) {
			return mapreduce.Filter[int, int]{Map: func(_ int, _ func(int)) error {
				begin()
				<-task.Context().Done()
				return task.Context().Err()
			}}, nil
		}}.Bind(mapreduce.Slice([]int{1}), new(mapreduce.Collected[int]).Output())
		require.NoError(t, err)
		_, err = c.Submit(t.Context(), p, SubmitOptions{Key: key})
		require.NoError(t, err)
		<-begun
		require.NoError(t, c.Close())
		require.NoError(t, state.Close())
		state, err = OpenState(dir)
		require.NoError(t, err)
		require.Len(t, state.awaited, awaited)
		require.Len(t, state.facts.Active, awaited)
		require.NoError(t, state.Close())
	}
}

// Jobs that come back leave the list of those that are awaited, whatever their order.
func TestWithout(t *testing.T) {
	var list []scheduling.JobFacts
	for id := range scheduling.JobID(5) {
		list = append(list, scheduling.JobFacts{ID: id + 1})
	}
	for _, c := range []struct{ gone, left []scheduling.JobID }{
		{gone: []scheduling.JobID{2}, left: []scheduling.JobID{1, 3, 4, 5}},
		{gone: []scheduling.JobID{1, 5, 9}, left: []scheduling.JobID{3, 4}},
		{gone: []scheduling.JobID{4, 3}},
	} {
		for _, id := range c.gone {
			list = without(list, id)
		}
		var left []scheduling.JobID
		for _, f := range list {
			left = append(left, f.ID)
		}
		require.Equal(t, c.left, left)
	}
}

// TestStateRefusesStrangeRecords states that what is no record of a state is named by its number,
// and what is one is taken in.
func TestStateRefusesStrangeRecords(t *testing.T) {
	open := func() *State {
		s := &State{dir: "DIR"}
		s.saved.Succeeded, s.saved.Cuts = map[string]Succeeded{}, map[string]uint64{}
		return s
	}
	for _, bad := range []string{"", "x{}", "s{", "k{", "k[]"} {
		err := open().readEntries([][]byte{[]byte("c"), []byte(bad)})
		require.ErrorContains(t, err, "DIR: record 2: ", "%q", bad)
	}
	s := open()
	require.NoError(t, s.readEntries([][]byte{
		[]byte(`k{"Key":"a","Sum":5}`), []byte(`k{"Key":"b","Sum":6}`), []byte("c{}"), []byte(`s{"Key":"a","How":{"Name":"n"}}`),
	}))
	require.Equal(t, map[string]uint64{"b": 6}, s.saved.Cuts)
	require.Equal(t, map[string]Succeeded{"a": {Name: "n"}}, s.saved.Succeeded)
}

// TestCallsAreNamed states that a call that is said again has the name that it had, and another
// not.
func TestCallsAreNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range []any{
		&heartbeat{beat: scheduling.Heartbeat{Node: 1}}, &heartbeat{beat: scheduling.Heartbeat{Node: 2}},
		&join{spec: scheduling.Node{Name: "a"}}, &join{spec: scheduling.Node{Name: "b"}}, &leave{node: 1}, &leave{node: 2},
		&commitRequest{attempt: scheduling.AttemptID{Try: 1}}, &commitRequest{attempt: scheduling.AttemptID{Try: 2}},
		&updateTick{}, &submit{},
	} {
		require.False(t, seen[callOf(m)], callOf(m))
		seen[callOf(m)] = true
	}
	require.Equal(t, callOf(&heartbeat{beat: scheduling.Heartbeat{Node: 1}}),
		callOf(&heartbeat{beat: scheduling.Heartbeat{Node: 1, Seq: 7}}))
}

// FuzzState takes in any snapshot and records: an error, or a State whose snapshot says the same when
// it is read again.
func FuzzState(f *testing.F) {
	policy, err := scheduling.Preset("fifo")
	require.NoError(f, err)
	one := saved{
		ID: "id", About: json.RawMessage(`"x"`), Policy: &policy,
		Succeeded: map[string]Succeeded{"a": {Name: "n", Elapsed: 1}}, Cuts: map[string]uint64{"b": 7},
		Skips: map[string]map[int32][]cluster.Skipped{"b": {1: {{Input: "in", Offset: 3, Reason: "r"}}}},
	}
	text, err := json.Marshal(&one)
	require.NoError(f, err)
	f.Add(text, []byte(`s{"Key":"b","How":{"Name":"x"}}`+"\n"+`k{"Key":"c","Sum":3}`+"\n"+`b{"Key":"c","Map":2,"List":[{"input":"in"}]}`))
	f.Add(text, []byte(`c{"op":"join","node":0,"spec":{"Name":"a","MapSlots":1}}`))
	f.Add([]byte(`{}`), []byte(`s{"Key":"b"}`))
	f.Fuzz(func(t *testing.T, snapshot, lines []byte) {
		if len(snapshot)+len(lines) > 4000 {
			return
		}
		fresh := func() *State { return &State{awaited: map[string]scheduling.JobID{}} }
		s := fresh()
		var records [][]byte
		if len(lines) > 0 {
			records = bytes.Split(lines, []byte("\n"))
		}
		if s.read(scheduling.Parts{}, snapshot, records) != nil {
			return
		}
		s.saved.Facts = s.facts
		again, err := json.Marshal(&s.saved)
		require.NoError(t, err)
		u := fresh()
		require.NoError(t, u.read(scheduling.Parts{}, again, nil))
		require.Equal(t, s.saved.Succeeded, u.saved.Succeeded)
		require.Equal(t, s.saved.Cuts, u.saved.Cuts)
		require.Equal(t, s.awaited, u.awaited)
	})
}
