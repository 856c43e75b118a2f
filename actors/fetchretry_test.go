package actors

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// fetches counts fetches by map and its attempt, and fails those that fail says.
type fetches map[[2]int32]int

func (f fetches) config(fail func(m, try int32, before int) bool) Config {
	return Config{BlockSize: 4, fetch: func(_ scheduling.AttemptID, m, try int32) error {
		before := f[[2]int32{m, try}]
		f[[2]int32{m, try}]++
		if fail(m, try, before) {
			return errFetch
		}
		return nil
	}}
}

// TestTransientFetches: a fetch that fails twice is tried again, and no map runs again for it.
func TestTransientFetches(t *testing.T) {
	f := fetches{}
	bubble(t, f.config(func(_, _ int32, before int) bool { return before < 2 }), func(t *testing.T, c *Cluster) {
		p, out := bindLines(t, counting(1), "a b\nc d\n")
		r := c.submit(t, p, SubmitOptions{}).wait(t)
		require.Equal(t, "a\t1\nb\t1\nc\t1\nd\t1\n", out.String())
		require.EqualValues(t, 2, r.Counters.Named(counter.GroupJob, "Launched map tasks"))
		require.Zero(t, r.Counters.Named(counter.GroupJob, "Failed reduce tasks"))
		require.Equal(t, fetches{{0, 0}: 3, {1, 0}: 3}, f)
		require.GreaterOrEqual(t, r.Elapsed, 3*time.Second, "a second, then two")
		require.Less(t, r.Elapsed, 4*time.Second)
	})
}

// TestUnreachableOutput: one that can never be fetched is made again.
func TestUnreachableOutput(t *testing.T) {
	f := fetches{}
	bubble(t, f.config(func(m, try int32, _ int) bool { return m == 1 && try == 0 }), func(t *testing.T, c *Cluster) {
		p, out := bindLines(t, counting(1), "a b\nc d\n")
		r := c.submit(t, p, SubmitOptions{}).wait(t)
		require.Equal(t, "a\t1\nb\t1\nc\t1\nd\t1\n", out.String())
		require.EqualValues(t, 3, r.Counters.Named(counter.GroupJob, "Launched map tasks"))
		require.Equal(t, 3, f[[2]int32{1, 0}], "the only reduce need not report twice")
		require.Equal(t, 1, f[[2]int32{1, 1}])
		require.EqualValues(t, 4, r.Counters.Get(counter.MapOutputRecords))
	})
}

// TestUnreachableOutputs: where that does not help either the job fails and says so.
func TestUnreachableOutputs(t *testing.T) {
	f := fetches{}
	bubble(t, f.config(func(m, _ int32, _ int) bool { return m == 1 }), func(t *testing.T, c *Cluster) {
		p, _ := bindLines(t, counting(1), "a b\nc d\n")
		_, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorIs(t, err, ErrJobFailed)
		require.ErrorContains(t, err, "the output of job_0001_m_000001 could not be fetched: it was made 4 times")
	})
}
