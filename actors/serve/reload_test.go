package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// reloadBench runs a reloader on an allocation file, in a synctest bubble with a fake clock.
type reloadBench struct {
	t       *testing.T
	r       *reloader
	name    string
	log     bytes.Buffer
	weights []float64 // weights of the pool that the reloader has applied, in order
	failed  []string
	refuse  error        // the cluster's error for a valid file; nil: the cluster accepts it
	passed  atomic.Int64 // orders steps of the test and of the reloader, for the race detector
}

// write writes the file; its modification time, which must not matter, is long ago.
func (b *reloadBench) write(text string) {
	require.NoError(b.t, os.WriteFile(b.name, []byte(text), 0o600))
	require.NoError(b.t, os.Chtimes(b.name, time.Unix(1, 0), time.Unix(1, 0)))
}

// pass advances the fake clock by d and waits until the reloader is idle.
func (b *reloadBench) pass(d time.Duration) {
	b.passed.Add(1)
	time.Sleep(d)
	synctest.Wait()
}

// load is the reloader's load function: it reads the file and records the pool's weight as applied.
func (b *reloadBench) load() (Configuration, error) {
	b.passed.Load()
	read, err := allocation.ReadFiles(allocation.FileNames{Pools: b.name}, func(name string) (io.ReadCloser, error) { return os.Open(name) })
	if err = errors.Join(err, b.refuse); err != nil {
		return Configuration{}, err
	}
	b.weights = append(b.weights, read.Pools.Pools[0].Weight)
	return Configuration{Files: read.Names}, nil
}

// pool returns an allocation file that gives pool a that weight.
func pool(weight string) string {
	return "<allocations>\n<pool name='a'><weight>" + weight + "</weight></pool></allocations>"
}

// withReload calls f while a reloader watches a file, at first with weight 1.
func withReload(t *testing.T, f func(b *reloadBench)) {
	name := filepath.Join(t.TempDir(), "pools.xml")
	synctest.Test(t, func(t *testing.T) {
		b := &reloadBench{t: t, name: name}
		b.write(pool("1"))
		s := &Server{cfg: Config{Log: slog.New(slog.NewTextHandler(&b.log, nil))}}
		s.ended, s.end = context.WithCancel(t.Context())
		b.r = s.watch(&reloader{what: "files", files: []string{name}, load: b.load, failed: func(err error) error {
			b.passed.Load()
			b.failed = append(b.failed, err.Error())
			return nil
		}})
		f(b)
		s.end()
		s.work.Wait()
	})
}

// The reloader applies a change once, 5 to 15 seconds after it was made, also one that it has first
// seen half-written. It does not apply a file that was only touched.
func TestReloadTakesUpChanges(t *testing.T) {
	for _, seconds := range []float64{0, 3, 4.9, 6, 9} {
		withReload(t, func(b *reloadBench) {
			after := time.Duration(seconds * float64(time.Second))
			b.pass(after)
			b.write(pool("2")[:20])
			b.pass(4900 * time.Millisecond)
			b.write(pool("2"))
			b.pass(4900 * time.Millisecond)
			require.Empty(t, b.weights)
			require.Empty(t, b.failed)
			b.pass(5100 * time.Millisecond)
			require.Equal(t, []float64{2}, b.weights, "%v", after)
			require.NoError(t, os.Chtimes(b.name, time.Now(), time.Now()))
			b.pass(time.Minute)
			require.Len(t, b.weights, 1)
			require.Equal(t, 1, strings.Count(b.log.String(), "are reloaded"))
		})
	}
}

// For an invalid or missing file, the reloader keeps the old configuration and reports one error
// with file and line. It applies a corrected file.
func TestReloadKeepsTheOldFilesOnError(t *testing.T) {
	withReload(t, func(b *reloadBench) {
		b.write(pool("0"))
		b.pass(2 * time.Minute)
		require.Empty(t, b.weights)
		require.Len(t, b.failed, 1)
		require.Contains(t, b.failed[0], b.name+":2: pool a: weight: 0")
		require.Equal(t, 1, strings.Count(b.log.String(), "the server keeps the old ones"))
		b.write(pool("3"))
		b.pass(20 * time.Second)
		require.Equal(t, []float64{3}, b.weights)
		require.NoError(t, os.Remove(b.name))
		b.pass(time.Minute)
		require.Len(t, b.failed, 2)
		require.Contains(t, b.failed[1], "no such file")
		b.write(pool("4"))
		b.pass(20 * time.Second)
		require.Equal(t, []float64{3, 4}, b.weights)
	})
}

// If the cluster refuses a valid file, the reloader reports the error and retries. If the applied
// content is unknown, it loads the files.
func TestReloadTriesAgainWhatTheClusterRefuses(t *testing.T) {
	withReload(t, func(b *reloadBench) {
		b.refuse = errors.New("a job's queue is gone")
		b.write(pool("5"))
		b.pass(time.Minute)
		require.Equal(t, []string{"a job's queue is gone"}, b.failed)
		b.refuse = nil
		b.pass(11 * time.Second)
		require.Equal(t, []float64{5}, b.weights)
		b.r.mu.Lock()
		b.r.applied = nil
		b.r.mu.Unlock()
		b.pass(time.Minute)
		require.Equal(t, []float64{5, 5}, b.weights)
	})
}

// An immediate check applies a change that has not settled, and reports every error.
func TestReloadAtOnce(t *testing.T) {
	withReload(t, func(b *reloadBench) {
		b.pass(time.Second)
		b.write(pool("2"))
		require.NoError(t, b.r.check(true))
		require.NoError(t, b.r.check(true))
		require.Equal(t, []float64{2}, b.weights)
		b.write(pool("0"))
		require.Error(t, b.r.check(true))
		require.Error(t, b.r.check(true))
		require.Len(t, b.failed, 2)
		b.write(pool("3"))
		b.pass(11 * time.Second)
		require.Equal(t, []float64{2, 3}, b.weights)
	})
}

// The reloader reports only the first of several errors. After the applied content has returned, it
// reports the next error.
func TestReloadReportsEachRowOfErrorsOnce(t *testing.T) {
	withReload(t, func(b *reloadBench) {
		for row := 1; row <= 3; row++ {
			b.write(pool("0"))
			b.pass(time.Minute)
			b.write("<allocations>") // another error, same row
			b.pass(time.Minute)
			require.Len(t, b.failed, row)
			b.write(pool("1"))
			b.pass(time.Minute)
		}
		require.Empty(t, b.weights)
	})
}
