package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// withState starts a server whose state is in dir.
func withState(t *testing.T, dir string) *bench {
	t.Helper()
	return startIn(t, dir, func(cfg *Config) { cfg.State = filepath.Join(dir, "state") })
}

// stop closes the server. Unfinished jobs remain for the next server.
func (b *bench) stop() {
	b.t.Helper()
	b.s.end()
	require.NoError(b.t, b.s.Close())
}

// A job that waits for its preparation can be killed. One that still waits when the server ends
// continues in the next server.
func TestPreparationWaitsForItsTurn(t *testing.T) {
	dir := t.TempDir()
	b := withState(t, dir)
	b.write("in.txt", "a b\n")
	for range maxPreparing {
		b.s.preparing <- struct{}{}
	}
	killed, waits := b.submit("count", "in.txt", "-o", "killed"), b.submit("count", "in.txt", "-o", "out")
	require.Equal(t, api.Waiting, waits.State)
	_, err := b.Kill(t.Context(), killed.ID, "no more")
	require.NoError(t, err)
	killed = b.wait(killed.ID)
	require.Equal(t, api.Killed, killed.State)
	require.Contains(t, killed.Error, "no more")
	require.NoDirExists(t, filepath.Join(dir, "killed"))
	b.stop()
	require.NoDirExists(t, filepath.Join(dir, "out"))
	b = withState(t, dir)
	require.Equal(t, api.Succeeded, b.wait(waits.ID).State)
}

// If the output of an unfinished job is outside the roots of the next server, the job fails there
// and writes nothing.
func TestOutputOutsideTheNextRoots(t *testing.T) {
	dir := t.TempDir()
	b := withState(t, dir)
	require.NoError(t, b.Put(t.Context(), "in", strings.NewReader("a b\n")))
	j := b.submit("held", "dfs:in", "-o", filepath.Join(dir, "out"))
	b.stop()
	b = startIn(t, dir, func(cfg *Config) { cfg.State, cfg.Roots = filepath.Join(dir, "state"), []string{t.TempDir()} })
	close(b.gate)
	j = b.wait(j.ID)
	require.Equal(t, api.Failed, j.State)
	require.Contains(t, j.Error, "after a restart of the server: ")
	require.Contains(t, j.Error, "outside the roots of this server")
	require.NoFileExists(t, filepath.Join(dir, "out", "_SUCCESS"))
	require.NoDirExists(t, fmt.Sprint("job ", j.ID), "a place of no root")
}

// Start rejects a state directory that is in use or not a server's.
func TestStateOfSomethingElse(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine"), []byte("x"), 0o600))
	_, err := Start(Config{State: dir})
	require.ErrorContains(t, err, "it holds something else than the state of a server")
	b := withState(t, t.TempDir())
	_, err = Start(Config{State: b.s.cfg.State})
	require.ErrorContains(t, err, "another process is using it")
}

// Start rejects a state directory that has lost a log. It accepts one whose first process was
// killed at its start.
func TestLostLogs(t *testing.T) {
	for _, log := range []string{jobsDir, coreDir} {
		for _, all := range []bool{false, true} {
			dir := t.TempDir()
			b := withState(t, dir)
			b.write("in.txt", "a\n")
			b.wait(b.submit("count", "in.txt", "-o", "out").ID)
			b.stop()
			state := filepath.Join(dir, "state")
			at := filepath.Join(state, log)
			require.NoError(t, os.RemoveAll(at))
			if !all {
				require.NoError(t, os.Mkdir(at, 0o700))
			}
			_, err := Start(b.s.cfg)
			require.EqualError(t, err, "serve: "+state+": "+log+"/log-* is lost: put it back, or begin with an empty directory")
		}
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "state", jobsDir), 0o700))
	b := withState(t, dir)
	require.NoError(t, os.WriteFile(filepath.Join(b.s.ledger.dir, jobsDir, "log-00000009.new"), []byte("torn"), 0o600))
	b.stop()
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "state", coreDir)))
	withState(t, dir)
}

// Waiting jobs keep no output files open, but nobody else can write to their outputs.
func TestWaitingJobsHaveNoFilesOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files are counted in /proc")
	}
	dir := t.TempDir()
	b := withState(t, dir)
	b.write("in.txt", "a b\n")
	for i := range 4 {
		require.NoError(t, b.s.cluster.Cordon(fmt.Sprintf("node-%02d", i), true))
	}
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(list)
	}
	before, last := open(), int64(0)
	const waiting = 100
	for i := range waiting {
		last = b.submit("count", "in.txt", "-o", fmt.Sprint("dfs:out/", i)).ID
	}
	j, err := b.s.ledger.find(last)
	require.NoError(t, err)
	<-j.begun
	require.Less(t, open()-before, waiting, "one each would be as many")
	require.NoDirExists(t, b.s.ledger.stored("out/7"))
	for _, name := range []string{"out", "out/7", "out/7/x"} {
		require.ErrorContains(t, b.Put(t.Context(), name, strings.NewReader("x")), "writes "+name)
	}
	_, err = b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{"in.txt", "-o", "dfs:out/7/x"}}, "")
	require.ErrorContains(t, err, "dfs:out/7/x is in the output of job")
	b.stop()
	b = withState(t, dir)
	for i := range 4 {
		require.NoError(t, b.s.cluster.Cordon(fmt.Sprintf("node-%02d", i), false))
	}
	require.Equal(t, api.Succeeded, b.wait(last).State)
	require.Equal(t, "a\t1\nb\t1\n", b.content(fmt.Sprintf("out/%d/part-r-00000", waiting-1)))
}
