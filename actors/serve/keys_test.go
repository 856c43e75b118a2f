package serve

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// Resubmitting with a key returns the ended job, even if the job list has dropped it or the server
// has restarted. Another user's equal key, or another submission, does not.
func TestKeysOutliveTheList(t *testing.T) {
	dir := t.TempDir()
	few := func(cfg *Config) { cfg.State, cfg.limits.history = filepath.Join(dir, "state"), 1 }
	b := startIn(t, dir, few)
	b.write("in.txt", "a\n")
	ask := func(out, user, key string) (api.Job, error) {
		return b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{"in.txt", "-o", out}, User: user}, key)
	}
	first, err := ask("dfs:first", "ann", "k")
	require.NoError(t, err)
	first = b.wait(first.ID)
	failed, err := b.Submit(t.Context(), api.Submission{Job: "held", Args: []string{"in.txt", "-o", "held"}, User: "ann"}, "killed")
	require.NoError(t, err)
	_, err = b.Kill(t.Context(), failed.ID, "no more")
	require.NoError(t, err)
	b.wait(failed.ID)
	var last []int64
	for i := range 105 {
		last = append(last, b.submit("count", "in.txt", "-o", fmt.Sprint("dfs:out/", i)).ID)
	}
	for _, id := range last {
		j, err := b.s.ledger.find(id)
		if err == nil { // still in the job list
			<-j.done
		}
	}
	for restart := range 3 {
		_, err := b.Job(t.Context(), first.ID)
		refused(t, err, "not-found")
		again, err := ask("dfs:first", "ann", "k")
		require.NoError(t, err, "restart %d", restart)
		require.Equal(t, []any{first.ID, api.Succeeded, "", "dfs:first", first.ElapsedSeconds},
			[]any{again.ID, again.State, again.Error, again.Output, again.ElapsedSeconds})
		require.Equal(t, first.Ended, again.Ended)
		again, err = b.Submit(t.Context(), api.Submission{Job: "held", Args: []string{"in.txt", "-o", "held"}, User: "ann"}, "killed")
		require.NoError(t, err)
		require.Equal(t, []any{failed.ID, api.Killed}, []any{again.ID, again.State})
		require.NotEmpty(t, again.Error)
		_, err = ask("dfs:other", "ann", "k")
		refused(t, err, "key-used")
		other, err := ask(fmt.Sprint("dfs:bob", restart), "bob", fmt.Sprint("k", restart))
		require.NoError(t, err)
		require.Greater(t, other.ID, first.ID)
		b.wait(other.ID)
		b.stop()
		b = startIn(t, dir, few)
	}
}

// The server keeps a key until a day after the end of its job, and then forgets it.
func TestKeysAreRememberedForADay(t *testing.T) {
	l, begin := newLedger(t.Context(), &Config{}), time.Unix(1e9, 0)
	submit := func(id, key int64) {
		asked := api.Submission{Job: "count"}
		require.NoError(t, l.record(&entry{Jobs: []record{{ID: id, Key: fingerprintOf(key), Asked: asked, At: begin}}}))
	}
	end := func(id int64, after time.Duration) {
		require.NoError(t, l.record(&entry{ID: id, End: &ending{At: begin.Add(after)}}))
	}
	there := func(after time.Duration) (list []int64) { // the numbers of the jobs with the keys 1 to 4
		for key := range int64(4) {
			if _, r := l.byKey(fingerprintOf(key+1), begin.Add(after)); r != nil {
				list = append(list, r.ID)
			}
		}
		return list
	}
	for id := range int64(4) {
		submit(id+1, id+1)
	}
	const hour = time.Hour
	require.Equal(t, []int64{1, 2, 3, 4}, there(99*hour), "none has ended")
	end(2, 100*hour)
	end(1, 101*hour-1)
	end(3, 124*hour)
	require.Equal(t, []int64{1, 2, 3, 4}, there(124*hour))
	require.Equal(t, []int64{3, 4}, there(125*hour))
	require.Equal(t, []int64{4}, there(149*hour))
	submit(7, 2) // a new job with a key that was forgotten
	l.sweepAt = 0
	end(7, 150*hour)
	require.Len(t, l.keys, 2, "the expired ones are removed")
	require.Equal(t, []int64{7, 4}, there(150*hour))
}
