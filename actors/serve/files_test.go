package serve

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// damages are ways to damage a stored file while no server runs.
var damages = map[string]func(file string, content []byte) error{
	"flipped bit": func(file string, content []byte) error {
		content[len(content)/2] ^= 1
		return os.WriteFile(file, content, 0o600)
	},
	"truncated": func(file string, content []byte) error { return os.Truncate(file, int64(len(content)-1)) },
	"emptied":   func(file string, _ []byte) error { return os.Truncate(file, 0) },
	"grown": func(file string, content []byte) error {
		return os.WriteFile(file, append(content, "more\n"...), 0o600)
	},
	"missing": func(file string, _ []byte) error { return os.Remove(file) },
}

// If a stored file was damaged while no server ran, clients and jobs that read it get an error with
// its name. Clients can remove and upload it.
func TestDamagedFiles(t *testing.T) {
	for what, damage := range damages {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			b := withState(t, dir)
			text := strings.Repeat("a b c\n", 30_000) // in several chunks
			require.NoError(t, b.Put(t.Context(), "in/x", strings.NewReader(text)))
			require.NoError(t, b.Put(t.Context(), "in/y", strings.NewReader(text)))
			b.wait(b.submit("count", "dfs:in/x", "-o", "dfs:out").ID)
			b.stop()
			for _, name := range []string{"in/x", "out/part-r-00000"} {
				file := b.s.ledger.stored(name)
				content, err := os.ReadFile(file)
				require.NoError(t, err)
				require.NoError(t, damage(file, content))
			}
			b = withState(t, dir)
			for _, name := range []string{"in/x", "out/part-r-00000"} {
				_, err := b.Get(t.Context(), name)
				require.ErrorContains(t, err, b.s.ledger.stored(name)+": ")
				require.Equal(t, http.StatusInternalServerError, refused(t, err, "damaged").Status)
			}
			j := b.wait(b.submit("count", "dfs:in/x", "-o", "dfs:again").ID)
			require.Equal(t, api.Failed, j.State)
			require.Contains(t, j.Error, b.s.ledger.stored("in/x")+": ")
			require.Equal(t, text, b.content("in/y"))
			require.NoError(t, b.Remove(t.Context(), "in/x"))
			require.NoError(t, b.Put(t.Context(), "in/x", strings.NewReader("new")))
			require.Equal(t, "new", b.content("in/x"))
			b.stop()
			b = withState(t, dir)
			require.Equal(t, "new", b.content("in/x"))
		})
	}
}

// content returns the content of a file of the block store.
func (b *bench) content(name string) string {
	b.t.Helper()
	r, err := b.Get(b.t.Context(), name)
	require.NoError(b.t, err)
	text, err := io.ReadAll(r)
	require.NoError(b.t, err)
	require.NoError(b.t, r.Close())
	return string(text)
}

// The server reports missing files and wrong lengths at its start, and other damage when the file
// is read.
func TestDamageIsTold(t *testing.T) {
	dir := t.TempDir()
	b := withState(t, dir)
	for i := range 3 {
		require.NoError(t, b.Put(t.Context(), fmt.Sprint("in/", i), strings.NewReader("text")))
	}
	b.stop()
	require.NoError(t, os.Remove(b.s.ledger.stored("in/0")))
	require.NoError(t, os.Truncate(b.s.ledger.stored("in/1"), 2))
	var said bytes.Buffer
	startIn(t, dir, func(cfg *Config) {
		cfg.State = filepath.Join(dir, "state")
		cfg.Log = slog.New(slog.NewTextHandler(&said, nil))
	})
	require.Contains(t, said.String(), `msg="a stored file is missing" file=`+b.s.ledger.stored("in/0"))
	require.Contains(t, said.String(), `msg="a stored file is damaged" file=`+b.s.ledger.stored("in/1")+" bytes=2 want=4")
	require.NotContains(t, said.String(), b.s.ledger.stored("in/2"))
}

// A process that is killed during an upload or a removal leaves the whole file, with checksums, or
// no file.
func TestKilledWithinPutAndRemove(t *testing.T) {
	dir := t.TempDir()
	b := withState(t, dir)
	require.NoError(t, b.Put(t.Context(), "in/gone", strings.NewReader("gone")))
	b.stop()
	require.NoError(t, os.WriteFile(b.s.ledger.stored("in/linked"), []byte("whole"), 0o600)) // stored, but not in the journal
	b = withState(t, dir)
	require.Equal(t, "whole", b.content("in/linked"))
	require.NoError(t, b.s.ledger.record(&entry{Removed: "in/gone"})) // in the journal, but the file still exists
	b.stop()
	b = withState(t, dir)
	require.Equal(t, "gone", b.content("in/gone"))
	require.NoError(t, b.Remove(t.Context(), "in/gone"))
	b.stop()
	require.NoError(t, os.Truncate(b.s.ledger.stored("in/linked"), 1))
	b = withState(t, dir)
	_, err := b.Get(t.Context(), "in/gone")
	refused(t, err, "not-found")
	_, err = b.Get(t.Context(), "in/linked")
	refused(t, err, "damaged")
}

// The checksums survive the replacement of the journal while files are uploaded, removed and
// written by jobs.
func TestFilesOutliveShorterJournals(t *testing.T) {
	dir := t.TempDir()
	b := withState(t, dir)
	b.write("in.txt", "a b\n")
	var all sync.WaitGroup
	for c := range 4 {
		all.Go(func() {
			for i := range 10 {
				name := fmt.Sprintf("in/%d-%d", c, i)
				if err := b.Put(t.Context(), name, strings.NewReader(name)); err != nil {
					t.Error(err)
				}
				if i%2 == 0 {
					if err := b.Remove(t.Context(), name); err != nil {
						t.Error(err)
					}
				}
				j, err := b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{"in.txt", "-o", "dfs:out/" + name}}, "")
				if err == nil {
					_, err = b.Wait(t.Context(), j.ID, nil)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			b.s.ledger.writing.Lock()
			if err := b.s.ledger.compact(); err != nil {
				t.Error(err)
			}
			b.s.ledger.writing.Unlock()
		}
	}()
	all.Wait()
	close(stop)
	<-done
	want := b.s.ledger.files
	require.Len(t, want, 4*5+4*10*2, "files that stay, and of each job a part and _SUCCESS")
	b.stop()
	l := newLedger(t.Context(), &b.s.cfg)
	require.NoError(t, l.open(&b.s.cfg))
	require.NoError(t, l.close())
	require.Equal(t, want, l.files)
	for _, j := range l.list {
		require.True(t, j.over())
	}
}

// Parts that a killed server has left of an unfinished output are no files of the block store.
func TestUnfinishedOutputsAreNoFiles(t *testing.T) {
	dir := t.TempDir()
	b := withState(t, dir)
	b.write("in.txt", "a b\n")
	b.submit("held", "in.txt", "-o", "dfs:out")
	b.stop()
	for _, name := range []string{"_out.new/part-m-00001", "_out.new/_temporary/part"} {
		file := b.s.ledger.stored(name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	b = withState(t, dir)
	list, err := b.Files(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, list)
}
