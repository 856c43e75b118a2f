package serve

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// An ended job with a key remains in the list while its key counts, also after restarts; others
// make room for later ones. Another user's equal key, or another submission, is not the same job.
func TestKeysKeepTheirJobs(t *testing.T) {
	dir := t.TempDir()
	few := func(cfg *Config) { cfg.State, cfg.limits.history = filepath.Join(dir, "state"), 1 }
	b := startIn(t, dir, few)
	b.write("in.txt", "a\n")
	ask := func(out, user string) (api.Job, error) {
		return b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{"in.txt", "-o", out}, User: user}, "k")
	}
	first, err := ask("dfs:first", "ann")
	require.NoError(t, err)
	first = b.wait(first.ID)
	var other api.Job
	for i := range 105 {
		other = b.submit("count", "in.txt", "-o", fmt.Sprint("dfs:out/", i))
		j, err := b.s.ledger.find(other.ID)
		require.NoError(t, err)
		<-j.done
	}
	for restart := range 3 {
		_, err := b.Job(t.Context(), first.ID+1)
		refused(t, err, "not-found")
		again, err := ask("dfs:first", "ann")
		require.NoError(t, err, "restart %d", restart)
		again.Resumed = first.Resumed
		require.Equal(t, first, again)
		_, err = ask("dfs:other", "ann")
		refused(t, err, "key-used")
		theirs, err := ask("dfs:bob", "bob")
		require.NoError(t, err)
		require.Greater(t, theirs.ID, other.ID)
		b.wait(theirs.ID)
		b.stop()
		b = startIn(t, dir, few)
	}
}

// The server keeps a key, and its job, until a day after the job's end.
func TestKeysAreRememberedForADay(t *testing.T) {
	l, begin := newLedger(t.Context(), &Config{}), time.Unix(1e9, 0)
	write := func(id int64, key string, ended *time.Time) {
		r := record{ID: id, Key: key, At: begin}
		if ended != nil {
			r.End = &api.Job{Ended: ended}
		}
		require.NoError(t, l.record(&entry{Jobs: []record{r}}))
	}
	end := func(id int64, key string, after time.Duration) { write(id, key, new(begin.Add(after))) }
	there := func(after time.Duration) (list []int64) { // the numbers of the jobs with the keys 1 to 4
		for _, key := range []string{"1", "2", "3", "4"} {
			if j := l.byKey(key, begin.Add(after)); j != nil {
				list = append(list, j.ID)
			}
		}
		return list
	}
	for id, key := range []string{"", "1", "2", "3", "4"} {
		write(int64(id), key, nil)
	}
	const hour = time.Hour
	require.Equal(t, []int64{1, 2, 3, 4}, there(99*hour), "none has ended")
	end(2, "2", 100*hour)
	end(1, "1", 101*hour-1)
	end(3, "3", 124*hour)
	require.Equal(t, []int64{1, 2, 3, 4}, there(124*hour))
	require.Equal(t, []int64{3, 4}, there(125*hour))
	require.Equal(t, []int64{4}, there(149*hour))
	write(7, "2", nil) // a new job with a key that was forgotten
	for id := int64(8); id < 110; id++ {
		end(id, "", 148*hour)
	}
	l.forget(begin.Add(147 * hour))
	require.Len(t, l.list, 4, "jobs that have not ended, and one whose key counts")
	require.Equal(t, []int64{7, 3, 4}, there(147*hour))
}
