package actors

import (
	"bytes"
	"context"
	"iter"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
)

// If an attempt of a lost node has already committed the task, another attempt's commit succeeds
// and does not change the output.
func TestCommittedByAnotherAttempt(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		var out bytes.Buffer
		p := lineCopy(t, &out)
		require.NoError(t, p.SetupJob())
		require.NoError(t, p.Prepare(context.Background(), cluster.PrepareOptions{}))
		splits, err := p.Splits(context.Background(), nil)
		require.NoError(t, err)
		for try := range 2 {
			_, err := p.RunMap(context.Background(), &cluster.MapAttempt{Try: try, Split: splits[0]})
			require.NoError(t, err)
		}
		require.NoError(t, p.Job().CommitTask(mapreduce.AttemptID{Try: 1}))
		r := newRun(c.env, p)
		r.splits = splits
		a := newAttempt(c.env, r, scheduling.AttemptID{}, c.env.places[0])
		a.tell = func(any) {}
		a.granted <- true
		require.NoError(t, a.commit(new(report)))
		require.NoError(t, p.CommitJob())
		require.Equal(t, "one\ntwo\nthree\n", out.String())
	})
}

// A reduce that waits for maps leaves its share of the memory to running attempts. It gets the
// share back when it continues.
func TestWaitingReduceLeavesItsShare(t *testing.T) {
	const memory = 64 << 20
	bubble(t, Config{Memory: memory, MapSlots: 2, ReduceSlots: 1, BlockSize: 4}, func(t *testing.T, c *Cluster) {
		mapping, reducing := make(chan struct{}), make(chan struct{})
		job := tasked(1, holding(mapping))
		job.Reduce = func(string, iter.Seq[int64], func(pair)) error { <-reducing; return nil }
		h, _ := submitLines(t, c, job, "a b\nhold\n", SubmitOptions{SlowStart: 1e-9})
		available := func() int64 {
			pass(time.Second)
			other := c.env.memory.Sub()
			defer other.Close()
			return other.Available()
		}
		const half, nearly = memory / 2, memory / 2 * 9 / 10
		between := func(n int64) bool { return n >= nearly && n <= half }
		require.True(t, between(available()), "one map is at work beside it")
		require.Equal(t, 1, h.Progress().Reduces.Running)
		close(mapping)
		require.True(t, between(available()), "the reduce is")
		close(reducing)
		h.wait(t)
		require.Greater(t, available(), int64(half), "none is")
	})
}

// An attempt that cannot remove its output logs the failure.
func TestWhatCannotBeRemovedIsLogged(t *testing.T) {
	var buf bytes.Buffer
	a := &attempt{
		env: &env{cfg: Config{Logger: slog.New(slog.NewTextHandler(&buf, nil))}},
		run: &run{plan: new(mapreduce.Plan)}, // a plan without anything to abort
	}
	a.discard()
	require.Contains(t, buf.String(), "cannot remove the output of an attempt")
}

// The channel of gate.look closes when the gate shuts or opens, and not when it stays as it is.
func TestGateTellsThatItChanges(t *testing.T) {
	var g gate
	for _, shut := range []bool{true, false, true} {
		was, changed := g.look()
		again, same := g.look()
		require.Equal(t, []any{!shut, !shut, same}, []any{was, again, changed})
		g.hold(!shut)
		require.False(t, isClosed(changed))
		g.hold(shut)
		require.True(t, isClosed(changed))
	}
}
