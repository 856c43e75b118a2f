package serve

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
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

// reloadBench is a reloader at work on a file of pools, in a bubble of fake time.
type reloadBench struct {
	t       *testing.T
	r       *reloader
	name    string
	log     bytes.Buffer
	weights []float64 // of the pool, as they were applied
	failed  []string
	refuse  error        // returned for a valid file, if not nil
	during  func()       // what happens to the file while it is read, once; nil: nothing
	passed  atomic.Int64 // orders what the test did before time passes and what the reloader does then
}

// write changes the file; its time is that of the bubble.
func (b *reloadBench) write(text string) { b.writeAt(0, text) }

// writeAt changes the file; its time is that of the bubble and d.
func (b *reloadBench) writeAt(d time.Duration, text string) {
	at := time.Now().Add(d)
	require.NoError(b.t, os.WriteFile(b.name, []byte(text), 0o600))
	require.NoError(b.t, os.Chtimes(b.name, at, at))
}

// pass lets time pass.
func (b *reloadBench) pass(d time.Duration) {
	b.passed.Add(1)
	time.Sleep(d)
	synctest.Wait()
}

// load reads the file and applies it.
func (b *reloadBench) load() (files, warnings []string, err error) {
	b.passed.Load()
	read, err := allocation.ReadFiles(allocation.FileNames{Pools: b.name}, func(name string) (io.ReadCloser, error) { return os.Open(name) })
	if err = errors.Join(err, b.refuse); err != nil {
		return nil, nil, err
	}
	b.weights = append(b.weights, read.Pools.Pools[0].Weight)
	return read.Names, nil, nil
}

// open opens the file, and lets during happen after its first bytes were read.
func (b *reloadBench) open(name string) (fs.File, error) {
	f, err := os.Open(name)
	return &changingFile{File: f, bench: b}, err
}

// changingFile is a file that changes while it is read.
type changingFile struct {
	*os.File
	bench *reloadBench
}

func (f *changingFile) Read(p []byte) (int, error) {
	f.bench.passed.Load()
	n, err := f.File.Read(p[:min(len(p), 20)])
	if f.bench.during != nil {
		f.bench.during()
		f.bench.during = nil
	}
	return n, err
}

// pool is a file with a pool of that weight.
func pool(weight string) string {
	return "<allocations>\n<pool name='a'><weight>" + weight + "</weight></pool></allocations>"
}

// withReload runs a reloader while f does things.
func withReload(t *testing.T, f func(b *reloadBench)) {
	name := filepath.Join(t.TempDir(), "pools.xml")
	synctest.Test(t, func(t *testing.T) {
		b := &reloadBench{t: t, name: name}
		b.write(pool("1"))
		r := &reloader{what: "files", log: slog.New(slog.NewTextHandler(&b.log, nil)), files: []string{name}, load: b.load}
		r.open = b.open
		r.failed = func(err error) error {
			b.passed.Load()
			b.failed = append(b.failed, err.Error())
			return nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		r = r.start()
		b.r = r
		go func() { r.run(ctx); close(ended) }()
		f(b)
		cancel()
		<-ended
	})
}

// A change is applied once, 5 to 15 seconds after it was made; a file that was only touched is not
// read again.
func TestReloadTakesUpChanges(t *testing.T) {
	for _, seconds := range []float64{0, 3, 4.9, 6, 9} {
		withReload(t, func(b *reloadBench) {
			after := time.Duration(seconds * float64(time.Second))
			b.pass(after)
			b.write(pool("2"))
			b.pass(5 * time.Second)
			require.Empty(t, b.weights)
			b.pass(11 * time.Second)
			require.Len(t, b.weights, 1, after)
			require.Equal(t, 2.0, b.weights[0])
			b.write(pool("2"))
			b.pass(time.Minute)
			require.Len(t, b.weights, 1)
			require.Equal(t, 1, strings.Count(b.log.String(), "are reloaded"))
		})
	}
}

// A wrong or missing file changes nothing and is reported once, with its place; a corrected file is
// applied.
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
		require.Equal(t, 3.0, b.weights[0])
		require.NoError(t, os.Remove(b.name))
		b.pass(time.Minute)
		require.Len(t, b.failed, 2)
		require.Contains(t, b.failed[1], "no such file")
		b.write(pool("4"))
		b.pass(20 * time.Second)
		require.Equal(t, 4.0, b.weights[1])
	})
}

// A file that is written while it is read is not applied before it rests.
func TestReloadWaitsForAFileThatChangesWhileItIsRead(t *testing.T) {
	withReload(t, func(b *reloadBench) {
		b.write(pool("2"))
		b.during = func() { b.write(pool("30")) }
		b.pass(11 * time.Second)
		require.Nil(t, b.during, "the file was read")
		require.Empty(t, b.weights)
		b.pass(11 * time.Second)
		require.Equal(t, []float64{30}, b.weights)
	})
}

// What the cluster refuses counts as wrong, and is tried again.
func TestReloadTriesAgainWhatTheClusterRefuses(t *testing.T) {
	withReload(t, func(b *reloadBench) {
		b.refuse = errors.New("a job's queue is gone")
		b.write(pool("5"))
		b.pass(time.Minute)
		require.Equal(t, []string{"a job's queue is gone"}, b.failed)
		b.refuse = nil
		b.pass(11 * time.Second)
		require.Equal(t, 5.0, b.weights[0])
	})
}

// A change that is exactly 5 s old has not settled; one that is a nanosecond older has.
func TestReloadAtTheEdgeOfSettling(t *testing.T) {
	for older, want := range []int{0, 1} {
		withReload(t, func(b *reloadBench) {
			b.pass(5 * time.Second)
			b.writeAt(-time.Duration(older), pool("2"))
			b.pass(5 * time.Second)
			require.Len(t, b.weights, want)
		})
	}
}

// Hadoop ignores a file that is older than the one it replaces; the reloader compares contents. So a
// file that was only touched is not applied, and an earlier one is applied again.
func TestReloadSeesOlderFilesAndIgnoresTouching(t *testing.T) {
	withReload(t, func(b *reloadBench) {
		b.writeAt(-24*time.Hour, pool("3"))
		b.pass(10 * time.Second)
		require.Equal(t, []float64{3}, b.weights)
		b.write(pool("3"))
		b.pass(20 * time.Second)
		require.Equal(t, []float64{3}, b.weights)
		b.writeAt(-48*time.Hour, pool("1"))
		b.pass(10 * time.Second)
		require.Equal(t, []float64{3, 1}, b.weights)
	})
}

// A file whose clock is ahead counts as settled once its modification time stops changing.
func TestReloadFromTheFuture(t *testing.T) {
	withReload(t, func(b *reloadBench) {
		b.writeAt(24*time.Hour, pool("2"))
		b.pass(10 * time.Second)
		require.Empty(t, b.weights)
		b.pass(10 * time.Second)
		require.Equal(t, []float64{2}, b.weights)
	})
}

// If the applied content is unknown, the first check loads the files.
func TestReloadOfUnknownContent(t *testing.T) {
	withReload(t, func(b *reloadBench) {
		b.r.applied = nil
		b.pass(time.Minute)
		require.Equal(t, []float64{1}, b.weights)
	})
}

// A check at once waits for nothing, reports every error and delays the next check.
func TestReloadAtOnce(t *testing.T) {
	withReload(t, func(b *reloadBench) {
		b.pass(time.Second)
		b.write(pool("2"))
		require.NoError(t, b.r.check(true))
		require.NoError(t, b.r.check(true))
		require.Equal(t, []float64{2}, b.weights)
		b.writeAt(-time.Minute, pool("0"))
		require.Error(t, b.r.check(true))
		require.Error(t, b.r.check(true))
		require.Len(t, b.failed, 2)
		b.writeAt(-time.Minute, pool("3"))
		b.pass(9999 * time.Millisecond)
		require.Equal(t, []float64{2}, b.weights)
		b.pass(time.Millisecond)
		require.Equal(t, []float64{2, 3}, b.weights)
	})
}

// The return of the applied content ends a row of errors: the next error is reported again.
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
