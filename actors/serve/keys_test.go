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
		j, err := b.s.jobs.find(id)
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
	begin := time.Unix(1e9, 0)
	k := keys{all: map[fingerprint]*keyedJob{}}
	key := func(i int64) fingerprint { return keyID("ann", fmt.Sprint(i)) }
	for i := range int64(4) {
		k.begin(&job{record: record{ID: i, Key: key(i), At: begin}})
	}
	there := func(after int) (list []int64) {
		for i := range int64(4) {
			if at := k.get(key(i), begin.Add(time.Duration(after)*time.Hour)); at != nil && at.ID == i {
				list = append(list, i)
			}
		}
		return list
	}
	const hour = time.Hour
	require.Equal(t, []int64{0, 1, 2, 3}, there(99), "none has ended")
	k.end(key(1), api.Failed, begin.Add(100*hour))
	k.end(key(0), api.Succeeded, begin.Add(101*hour-1))
	k.end(key(2), api.Killed, begin.Add(124*hour))
	require.Len(t, k.ended(), 3)
	require.Equal(t, []int64{0, 1, 2, 3}, there(124))
	require.Equal(t, []int64{2, 3}, there(125))
	require.Equal(t, []int64{3}, there(149))
	k.begin(&job{record: record{ID: 7, Key: key(1)}}) // a new job with a key that was forgotten
	k.sweepAt = 0
	k.end(key(1), api.Succeeded, begin.Add(150*hour))
	require.Len(t, k.all, 2, "the expired ones are removed")
	require.EqualValues(t, 7, k.get(key(1), begin.Add(150*hour)).ID)
}
