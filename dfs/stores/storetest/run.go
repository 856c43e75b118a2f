package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs/stores"
)

// Run tests that a store has the properties that package stores documents. It writes to dir, which
// must not exist yet.
func Run(t *testing.T, s stores.Store, dir string) {
	for _, c := range []struct {
		name string
		test func(*testing.T, stores.Store, string)
	}{
		{"files", files}, {"lists", lists}, {"exclusive", exclusive}, {"parts", completes}, {"large", large}, {"reads", reads},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.test(t, s, dir+"/"+c.name)
			require.NoError(t, s.RemoveAll(dir+"/"+c.name))
			require.False(t, there(t, s, dir+"/"+c.name))
		})
	}
	require.NoError(t, s.RemoveAll(dir))
}

func there(t *testing.T, s stores.Store, name string) bool {
	_, err := s.Stat(name)
	if err != nil {
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
	return err == nil
}

func content(t *testing.T, s stores.Store, name string) string {
	b, err := fs.ReadFile(s, name)
	require.NoError(t, err)
	return string(b)
}

// files checks that a file appears only when it is closed, and that a new one replaces it.
func files(t *testing.T, s stores.Store, dir string) {
	name := dir + "/a b/ü+%.txt"
	_, err := s.Open(name)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, s.RemoveAll(name))
	f, err := stores.Create(s, name)
	require.NoError(t, err)
	_, err = io.WriteString(f, "first")
	require.NoError(t, err)
	require.False(t, there(t, s, name), "it is not whole")
	require.NoError(t, f.Close())
	require.Equal(t, "first", content(t, s, name))
	before, err := s.Stat(name)
	require.NoError(t, err)
	require.Equal(t, int64(5), before.Size())
	require.False(t, before.IsDir())
	require.NoError(t, stores.WriteFile(s, name, []byte("other")))
	require.Equal(t, "other", content(t, s, name))
	after, err := s.Stat(name)
	require.NoError(t, err)
	require.NotEqual(t, [2]any{before.Sys(), before.ModTime()}, [2]any{after.Sys(), after.ModTime()}, "another content")
	require.NoError(t, stores.WriteFile(s, dir+"/empty", nil))
	require.Empty(t, content(t, s, dir+"/empty"))
	require.NoError(t, s.RemoveAll(name))
	require.False(t, there(t, s, name))
}

// lists checks that ReadDir returns the entries of one directory and no others, sorted by name.
func lists(t *testing.T, s stores.Store, dir string) {
	for i := range 12 {
		require.NoError(t, stores.WriteFile(s, fmt.Sprintf("%s/x/%02d", dir, 11-i), []byte("data")[:i%5]))
	}
	require.NoError(t, stores.WriteFile(s, dir+"/x/05d/deep/er", []byte("1")))
	require.NoError(t, stores.WriteFile(s, dir+"/xx", []byte("1")))
	list, err := s.ReadDir(dir + "/x")
	require.NoError(t, err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
		require.Equal(t, e.Name() == "05d", e.IsDir(), e.Name())
		if !e.IsDir() {
			info, err := e.Info()
			require.NoError(t, err)
			require.LessOrEqual(t, info.Size(), int64(4))
			require.False(t, info.ModTime().IsZero())
		}
	}
	require.Equal(t, []string{"00", "01", "02", "03", "04", "05", "05d", "06", "07", "08", "09", "10", "11"}, names)
	info, err := s.Stat(dir + "/x")
	require.NoError(t, err)
	require.True(t, info.IsDir())
	_, err = s.ReadDir(dir + "/none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	var found []string
	require.NoError(t, fs.WalkDir(s, dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			found = append(found, path)
		}
		return err
	}))
	require.Len(t, found, 14)
	require.NoError(t, s.RemoveAll(dir+"/x"))
	require.True(t, there(t, s, dir+"/xx"), "it only begins alike")
}

// exclusive checks that one of several CreateNew at once succeeds, and the others get fs.ErrExist.
func exclusive(t *testing.T, s stores.Store, dir string) {
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() { errs[i] = s.CreateNew(dir+"/mine", fmt.Appendf(nil, "I am %d", i)) })
	}
	all.Wait()
	won := -1
	for i, err := range errs {
		if err == nil {
			require.Equal(t, -1, won)
			won = i
			continue
		}
		require.ErrorIs(t, err, fs.ErrExist)
	}
	require.Equal(t, fmt.Sprint("I am ", won), content(t, s, dir+"/mine"))
}

// completes checks that only the completed one of several parts for a name becomes visible.
func completes(t *testing.T, s stores.Store, dir string) {
	name := dir + "/out/part-r-00000"
	var parts []stores.Part
	for _, attempt := range []string{"r-00000-0", "r-00000-1", "r-00000-2"} {
		p, err := s.Begin(name, attempt)
		require.NoError(t, err)
		_, err = io.WriteString(p, "by "+attempt)
		require.NoError(t, err)
		parts = append(parts, p)
	}
	require.NoError(t, parts[0].Abort())
	require.NoError(t, parts[1].Close())
	require.NoError(t, parts[2].Close())
	require.False(t, there(t, s, name))
	require.NotContains(t, parts[1].Receipt(), "\n")
	require.NoError(t, s.Complete(name, parts[1].Receipt()))
	require.NoError(t, s.Complete(name, parts[1].Receipt()), "done again")
	require.Equal(t, "by r-00000-1", content(t, s, name))
	require.NoError(t, parts[2].Abort())
	require.Error(t, s.Complete(dir+"/out/other", parts[2].Receipt()))

	lost, err := s.Begin(dir+"/out/part-r-00001", "r-00001-0")
	require.NoError(t, err)
	_, err = lost.Write(bytes.Repeat([]byte("x"), 6<<20))
	require.NoError(t, err)
	require.NoError(t, lost.Close())
	empty, err := s.Begin(dir+"/out/part-r-00002", "r-00002-0")
	require.NoError(t, err)
	require.NoError(t, empty.Close())
	require.NoError(t, s.Complete(dir+"/out/part-r-00002", empty.Receipt()))
	require.Empty(t, content(t, s, dir+"/out/part-r-00002"))
	require.NoError(t, s.AbandonAll(dir+"/out"))
	require.Error(t, s.Complete(dir+"/out/part-r-00001", lost.Receipt()))
	require.False(t, there(t, s, dir+"/out/part-r-00001"))
	require.Equal(t, "by r-00000-1", content(t, s, name))
}

// large checks that a file of many pieces reads back unchanged, also by concurrent ReadAt calls.
func large(t *testing.T, s stores.Store, dir string) {
	var want bytes.Buffer
	for i := 0; want.Len() < 40_000_000; i++ {
		fmt.Fprintf(&want, "line %d of it\n", i*i)
	}
	p, err := s.Begin(dir+"/large", "m-00000-0")
	require.NoError(t, err)
	for b := want.Bytes(); len(b) > 0; {
		n, err := p.Write(b[:min(len(b), 777_777)])
		require.NoError(t, err)
		b = b[n:]
	}
	require.NoError(t, p.Close())
	require.NoError(t, s.Complete(dir+"/large", p.Receipt()))
	f, err := s.Open(dir + "/large")
	require.NoError(t, err)
	got, err := io.ReadAll(f)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want.Bytes(), got), "%d of %d bytes", len(got), want.Len())
	at := f.(io.ReaderAt)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 5 {
				off := (i*7919 + k*104729) * 37 % (want.Len() - 300_000)
				b := make([]byte, 300_000)
				n, err := at.ReadAt(b, int64(off))
				if err != nil || !bytes.Equal(want.Bytes()[off:off+n], b) {
					t.Errorf("ReadAt %d: %d bytes, %v, or others", off, n, err)
				}
			}
		})
	}
	all.Wait()
	require.NoError(t, f.Close())
}

// reads checks that ReadAt behaves as io.ReaderAt specifies.
func reads(t *testing.T, s stores.Store, dir string) {
	require.NoError(t, stores.WriteFile(s, dir+"/ten", []byte("0123456789")))
	f, err := s.Open(dir + "/ten")
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	at := f.(io.ReaderAt)
	b := make([]byte, 4)
	n, err := at.ReadAt(b, 6)
	require.True(t, n == 4 && (err == nil || errors.Is(err, io.EOF)), err)
	require.Equal(t, "6789", string(b))
	n, err = at.ReadAt(b, 8)
	require.Equal(t, 2, n)
	require.ErrorIs(t, err, io.EOF)
	n, err = at.ReadAt(b, 10)
	require.Zero(t, n)
	require.ErrorIs(t, err, io.EOF)
	n, err = at.ReadAt(nil, 3)
	require.Zero(t, n)
	require.NoError(t, err)
}
