package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// Jobs that a former process should have killed end while the next one starts, so everything that
// their ends need must exist before they continue. The test starts several times, because the order
// of goroutines varies.
func TestResumedJobsEndAtOnce(t *testing.T) {
	dir, id := t.TempDir(), int64(0)
	for range 5 {
		b := withState(t, dir)
		b.write("in.txt", "a\n")
		first := id + 1
		for range 300 {
			id++
			b.remember(id, &api.Kill{Reason: "no more"})
		}
		b.stop()
		b = withState(t, dir)
		require.Equal(t, api.Killed, b.wait(first).State)
		require.Equal(t, api.Killed, b.wait(id).State)
		b.stop()
	}
}

// Concurrent submissions may be journaled out of order. The next process resumes all of them.
func TestSubmissionsWrittenInAnyOrder(t *testing.T) {
	dir := t.TempDir()
	b := withState(t, dir)
	b.write("in.txt", "a\n")
	for _, id := range []int64{3, 2, 1, 5, 4} {
		b.remember(id, nil)
	}
	b.stop()
	b = withState(t, dir)
	for id := range int64(5) {
		require.Equal(t, api.Succeeded, b.wait(id+1).State)
	}
	require.EqualValues(t, 6, b.submit("count", "in.txt", "-o", "out").ID)
}

// If a job ends while the server replaces the journal, the new snapshot or log contains the end.
func TestEndWaitsForTheShorterJournal(t *testing.T) {
	dir := t.TempDir()
	b := withState(t, dir)
	j := newJob(b.s.ended, record{Asked: api.Submission{Job: "count", Args: []string{"in.txt", "-o", "out"}}})
	require.NoError(t, b.s.ledger.place(j))
	require.NoError(t, b.s.ledger.record(&entry{Jobs: []record{j.now()}, job: j}))
	b.s.ledger.writing.Lock() // like trim, which replaces the journal
	size := b.s.ledger.journal.Size()
	go b.s.finish(j, errors.New("it has failed"))
	for range 100_000 {
		if b.s.ledger.journal.Size() > size {
			break // an error: the snapshot would not contain this end
		}
		runtime.Gosched()
	}
	require.NoError(t, b.s.ledger.compact())
	b.s.ledger.writing.Unlock()
	<-j.done
	b.stop()
	b = withState(t, dir)
	require.Contains(t, b.wait(j.ID).Error, "it has failed")
}

// remember writes a submission to the journal only, as if an earlier process had accepted it.
func (b *bench) remember(id int64, kill *api.Kill) {
	b.t.Helper()
	info, err := os.Stat(filepath.Join(b.dir, "in.txt"))
	require.NoError(b.t, err)
	line, err := json.Marshal(&entry{Jobs: []record{{
		ID: id, Kill: kill, Inputs: []stamp{{filepath.Join(b.dir, "in.txt"), info.Size()}},
		Asked: api.Submission{Job: "count", Args: []string{"in.txt", "-o", fmt.Sprint("dfs:out/", id)}},
	}}})
	require.NoError(b.t, err)
	require.NoError(b.t, b.s.ledger.journal.Append(line))
}

// Concurrent submissions under one key are one job. One that cannot be recorded leaves nothing.
func TestOneJobForConcurrentSubmissions(t *testing.T) {
	b := withState(t, t.TempDir())
	b.write("in.txt", "a\n")
	ask := api.Submission{Job: "held", Args: []string{"in.txt", "-o", "out"}}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			j, err := b.Submit(t.Context(), ask, "key")
			if err != nil || j.ID != 1 {
				t.Errorf("job %d: %v", j.ID, err)
			}
		})
	}
	all.Wait()
	require.Len(t, b.s.ledger.all(), 1)
	j := newJob(b.s.ended, record{})
	j.target = "other"
	require.NoError(t, b.s.ledger.place(j))
	b.s.ledger.drop(j)
	require.Equal(t, 1, b.s.ledger.unfinished())
	_, err := b.Job(t.Context(), 2)
	refused(t, err, "not-found")
}
