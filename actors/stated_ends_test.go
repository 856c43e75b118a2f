package actors

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
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

// sending is a context that keeps what is sent.
type sending struct {
	actor.Context
	message any
	sent    []any
}

func (s *sending) Message() any               { return s.message }
func (s *sending) Send(_ *actor.PID, msg any) { s.sent = append(s.sent, msg) }

// A node that is announced is asked for its blocks, unless the NameNode does not know it or has given
// it up.
func TestWhoIsAskedForItsBlocks(t *testing.T) {
	n := &nameNode{nodes: map[dfs.NodeID]*member{"here": {}, "lost": {lost: true}}}
	for id, asked := range map[dfs.NodeID]int{"here": 1, "lost": 0, "unknown": 0} {
		c := &sending{message: &announce{node: id}}
		n.Receive(c)
		require.Len(t, c.sent, asked, id)
	}
}

// The next attempt leaves a record out if the record is bad, its task is a map whose job may skip, and
// this attempt is one of those before the first that skips.
func TestWhatIsLeftToTheNextAttempt(t *testing.T) {
	bad, other := mapreduce.Bad(errors.New("no number")), errors.New("no number")
	for _, c := range []struct {
		kind     scheduling.TaskKind
		most     int
		try      int32
		err      error
		expected bool
	}{
		{scheduling.Map, 1, 0, bad, true},
		{scheduling.Map, 1, 1, bad, true},
		{scheduling.Map, 1, 2, bad, false},
		{scheduling.Map, 0, 0, bad, false},
		{scheduling.Map, 1, 0, other, false},
		{scheduling.Reduce, 1, 0, bad, false},
	} {
		r := aRun(t, 1)
		r.maxSkips, r.firstSkip = c.most, 2
		a := &attempt{run: r, id: scheduling.AttemptID{Task: scheduling.TaskID{Kind: c.kind}, Try: c.try}}
		require.Equal(t, c.expected, a.leftToNext(c.err), "%+v", c)
	}
}

// A record is noted as bad if a map hung on it, or ended its goroutine, in a job that may skip.
func TestWhichRecordsAreNoted(t *testing.T) {
	hung := &mapreduce.RecordError{Input: "in", Number: 7, Err: ErrTaskTimeout}
	left := &mapreduce.RecordError{Input: "in", Number: 7, Err: mapreduce.ErrExited}
	refused := &mapreduce.RecordError{Input: "in", Number: 7, Err: errors.New("no number")}
	for _, c := range []struct {
		kind  scheduling.TaskKind
		most  int
		err   error
		noted int
	}{
		{scheduling.Map, 1, hung, 1},
		{scheduling.Map, 1, left, 1},
		{scheduling.Map, 1, refused, 0},
		{scheduling.Map, 1, ErrTaskTimeout, 0},
		{scheduling.Map, 0, hung, 0},
		{scheduling.Reduce, 1, hung, 0},
	} {
		r := aRun(t, 1)
		r.maxSkips = c.most
		r.noteBad(scheduling.TaskID{Kind: c.kind, Index: 3}, c.err)
		require.Len(t, r.badRecords(3), c.noted, "%+v", c)
		require.Empty(t, r.badRecords(2))
	}
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

// releasable is data that knows whether it has been released, and how often.
type releasable struct{ releases int }

func (c *releasable) Release() { c.releases++ }

// However Iterate ends, what its rounds have made is released once, but for what it returns; what it
// was given is the caller's.
func TestIterateReleasesWhatItMade(t *testing.T) {
	no := errors.New("no")
	for _, end := range []string{"enough", "step", "until", "context"} {
		ctx, cancel := context.WithCancel(t.Context())
		var made []*releasable
		start := new(releasable)
		last, err := Iterate(ctx, start, func(_ context.Context, round int, _ *releasable) (*releasable, error) {
			if end == "step" && round == 3 {
				return nil, no
			}
			made = append(made, new(releasable))
			return made[len(made)-1], nil
		}, func(_ context.Context, round int, _, _ *releasable) (bool, error) {
			switch {
			case end == "until" && round == 3:
				return false, no
			case end == "context" && round == 3:
				cancel()
			}
			return round == 4, nil
		})
		cancel()
		require.Zero(t, start.releases, end)
		require.Equal(t, end == "enough", err == nil, end)
		for i, c := range made {
			require.Equal(t, c != last, c.releases == 1, "%s: round %d released %d times", end, i+1, c.releases)
		}
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
