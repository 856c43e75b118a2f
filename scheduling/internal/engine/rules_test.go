package engine

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
)

// TestLostNodesAreNoFailures loses the node of a map more often than the map may fail.
func TestLostNodesAreNoFailures(t *testing.T) {
	for _, preset := range Presets() {
		p, err := Preset(preset)
		require.NoError(t, err)
		c, err := NewCore(core.Config{MaxAttempts: 1}, p)
		require.NoError(t, err)
		id, err := c.Submit(0, core.JobSpec{Maps: 1})
		require.NoError(t, err)
		for life := range uint64(5) {
			n, err := c.Join(time.Duration(life), core.Node{Name: "a", MapSlots: 1, Incarnation: life})
			require.NoError(t, err)
			got, err := c.Heartbeat(time.Duration(life), core.Heartbeat{Node: n, Incarnation: life})
			require.NoError(t, err)
			require.Len(t, got.Actions, 1, preset)
			require.EqualValues(t, life, got.Actions[0].Attempt.Try)
			v, err := c.View().Job(id)
			require.NoError(t, err)
			require.Zero(t, v.Kinds[core.Map].Failed)
			if life == 3 {
				require.NoError(t, c.Leave(time.Duration(life), n))
			}
		}
		require.Equal(t, core.JobRunning, c.View().State(id), preset)
	}
}

// TestCordonKeepsNewTasksAway cordons an idle node and one that runs a task, under every policy.
func TestCordonKeepsNewTasksAway(t *testing.T) {
	for _, preset := range Presets() {
		p, err := Preset(preset)
		require.NoError(t, err)
		c, err := NewCore(core.Config{}, p)
		require.NoError(t, err)
		n, err := c.Join(0, core.Node{Name: "a", MapSlots: 2, ReduceSlots: 2})
		require.NoError(t, err)
		beat := func(now time.Duration) []core.Action {
			got, err := c.Heartbeat(now, core.Heartbeat{Node: n})
			require.NoError(t, err)
			return got.Actions
		}
		require.NoError(t, c.Cordon(0, n, true))
		_, err = c.Submit(0, core.JobSpec{Maps: 1, Reduces: 1, SlowStart: -1})
		require.NoError(t, err)
		require.Empty(t, beat(time.Minute), preset)
		require.NoError(t, c.Cordon(time.Minute, n, false))
		require.NotEmpty(t, beat(2*time.Minute), preset)
		require.NoError(t, c.Cordon(2*time.Minute, n, true))
		_, err = c.Submit(2*time.Minute, core.JobSpec{Maps: 9, Reduces: 9, Priority: core.VeryHigh, SlowStart: -1})
		require.NoError(t, err)
		require.Empty(t, beat(3*time.Minute), preset)
	}
}

// TestJoinAgain repeats a registration that was answered, as a network that delivers twice does: an
// old heartbeat is still known as old.
func TestJoinAgain(t *testing.T) {
	p, err := Preset("fifo")
	require.NoError(t, err)
	c, err := NewCore(core.Config{}, p)
	require.NoError(t, err)
	spec := core.Node{Name: "a", MapSlots: 2, Incarnation: 1}
	n, err := c.Join(0, spec)
	require.NoError(t, err)
	_, err = c.Submit(0, core.JobSpec{Maps: 1})
	require.NoError(t, err)
	beat := core.Heartbeat{Node: n, Incarnation: 1, Seq: 1}
	first, err := c.Heartbeat(1, beat)
	require.NoError(t, err)
	actions := append([]core.Action(nil), first.Actions...)
	require.Len(t, actions, 1)
	_, err = c.Join(2, spec)
	require.NoError(t, err)
	again, err := c.Heartbeat(3, beat)
	require.NoError(t, err)
	require.Equal(t, actions, again.Actions, "the answer was lost; it is given again")
}

// TestCommitsAreInTheCallLog replays a run with its questions for commits, and notices an answer
// that differs.
func TestCommitsAreInTheCallLog(t *testing.T) {
	p, err := Preset("fifo")
	require.NoError(t, err)
	var log bytes.Buffer
	calls := core.NewCallWriter(&log)
	c, err := NewCore(core.Config{Calls: calls.Write}, p)
	require.NoError(t, err)
	n, err := c.Join(0, core.Node{Name: "a", MapSlots: 1})
	require.NoError(t, err)
	_, err = c.Submit(0, core.JobSpec{Maps: 1})
	require.NoError(t, err)
	got, err := c.Heartbeat(1, core.Heartbeat{Node: n})
	require.NoError(t, err)
	id := got.Actions[0].Attempt
	require.True(t, c.MayCommit(id))
	require.True(t, c.MayCommit(id))
	other := id
	other.Try++
	require.False(t, c.MayCommit(other))
	require.NoError(t, calls.Err())
	require.Equal(t, 3, strings.Count(log.String(), `"op":"commit"`))
	replay := func(log string) error {
		fresh, err := NewCore(core.Config{}, p)
		require.NoError(t, err)
		return core.ReplayFrom(fresh, strings.NewReader(log))
	}
	require.NoError(t, replay(log.String()))
	lines := strings.SplitAfter(log.String(), "\n")
	launch := lines[len(lines)-5]
	require.Contains(t, launch, `"actions"`)
	require.ErrorIs(t, replay(strings.Replace(log.String(), launch, "", 1)), core.ErrReplay)
}
