package mapreduce_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// odd is a user's source of bytes in memory, some of whose methods a test replaces.
type odd struct {
	dfs.Source
	size    func() int64
	readAt  func(p []byte, off int64) (int, error)
	view    func(off int64, n int) ([]byte, func(), error)
	release func()
	close   func() error
}

func (o *odd) Size() int64 {
	if o.size != nil {
		return o.size()
	}
	return o.Source.Size()
}

func (o *odd) ReadAt(p []byte, off int64) (int, error) {
	if o.readAt != nil {
		return o.readAt(p, off)
	}
	return o.Source.ReadAt(p, off)
}

func (o *odd) View(off int64, n int) ([]byte, func(), error) {
	if o.view != nil {
		return o.view(off, n)
	}
	b, release, err := o.Source.View(off, n)
	if o.release != nil {
		release = o.release
	}
	return b, release, err
}

func (o *odd) Close() error {
	if o.close != nil {
		return o.close()
	}
	return o.Source.Close()
}

// Whatever a user's source does wrong becomes an error that names it, and never ends the process.
func TestSourcesThatMisbehave(t *testing.T) {
	gone := errors.New("the tape is torn")
	for _, c := range []struct {
		name string
		ext  string
		odd  odd
		says string
	}{
		{"a panic of Size", "", odd{size: func() int64 { panic("no idea") }}, "no idea"},
		{"a negative size", "", odd{size: func() int64 { return -1 }}, "a size of -1 bytes"},
		{"a panic of View", "", odd{view: func(int64, int) ([]byte, func(), error) { panic("no view") }}, "no view"},
		{"a short view", "", odd{view: func(int64, int) ([]byte, func(), error) { return nil, func() {}, nil }}, "gave 0 bytes"},
		{"an error of View", "", odd{view: func(int64, int) ([]byte, func(), error) { return nil, nil, gone }}, gone.Error()},
		{"a panic of a release", "", odd{release: func() { panic("mine") }}, "mine"},
		{"a panic of ReadAt", ".gz", odd{readAt: func([]byte, int64) (int, error) { panic("no reading") }}, "no reading"},
		{"more than was asked for", ".gz", odd{readAt: func(p []byte, _ int64) (int, error) { return len(p) + 1, nil }}, "ReadAt says"},
		{"a panic of Close", "", odd{close: func() error { panic("stuck") }}, "stuck"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.odd.Source = dfs.Bytes("the-tape"+c.ext, []byte("a\nb\nc\n"))
			src, err := Stored(&c.odd)
			if err == nil {
				err = ran(keepLines().Bind(Lines(src), unread[[]byte]()))
			}
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "the-tape")
		})
	}
}

// stuck is a reader whose Read reads nothing and returns k and err.
type stuck struct {
	k   int
	err error
}

func (s stuck) Read([]byte) (int, error) { return s.k, s.err }

func TestStreamsThatMisbehave(t *testing.T) {
	for _, c := range []struct {
		r    io.Reader
		says string
	}{
		{stuck{}, io.ErrNoProgress.Error()},
		{stuck{k: -1}, "-1 bytes"},
		{stuck{k: 1 << 40}, "1099511627776 bytes"},
		{stuck{err: errors.New("torn")}, "torn"},
	} {
		var out Collected[[]byte]
		err := ran(keepLines().Bind(Lines(Stream("the-pipe", c.r)), out.Output()))
		require.ErrorContains(t, err, c.says)
		require.ErrorContains(t, err, "the-pipe")
	}
}

// If a map modifies its record, the error says so, and not that a file has changed.
func TestMapThatWritesIntoItsRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(path, make([]byte, 100_000), 0o600))
	src := must(File(path))(t)
	job := keepLines()
	job.Map = func(line []byte, _ func([]byte)) error { line[0] = 'x'; return nil }
	err := ran(job.Bind(Lines(src), unread[[]byte]()))
	require.NotErrorIs(t, err, ErrInputChanged)
	require.ErrorContains(t, err, "records show the input itself, copy what is to be changed")
	var panicked *fault.PanicError
	require.ErrorAs(t, err, &panicked)
	require.Contains(t, panicked.Stack, "foreign_test.go", "where it was")
}

// CommitJob verifies the inputs once more, so that a change after the last map fails the job.
func TestInputThatChangesBeforeTheJobIsCommitted(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "text"), filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(path, make([]byte, 100_000), 0o600))
	src := must(File(path))(t)
	p := must(keepLines().Bind(Lines(src), Raw[[]byte](Dir(out))))(t)
	ctx := context.Background()
	splits := begun(t, p, nil)
	a := &cluster.MapAttempt{Split: splits[0]}
	must(p.RunMap(ctx, a))(t)
	require.NoError(t, p.Job().CommitTask(a.ID()))
	require.NoError(t, os.WriteFile(path, make([]byte, 200_000), 0o600))
	err := p.CommitJob()
	require.ErrorIs(t, err, ErrInputChanged)
	require.ErrorContains(t, err, path)
	require.NoFileExists(t, filepath.Join(out, "_SUCCESS"))
	require.NoError(t, p.AbortJob())
	require.NoDirExists(t, out)
}
