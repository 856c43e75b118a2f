package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// If the process has too many open files, the answer tells the client to retry. A missing file is
// the client's error.
func TestTooManyFilesIsNobodysFault(t *testing.T) {
	status := func(err error) int {
		f, ok := errors.AsType[*fault](badInput("in", &fs.PathError{Op: "open", Path: "in", Err: err}))
		require.True(t, ok)
		return f.status
	}
	require.Equal(t, http.StatusServiceUnavailable, status(syscall.EMFILE))
	require.Equal(t, http.StatusServiceUnavailable, status(syscall.ENFILE))
	require.Equal(t, http.StatusUnprocessableEntity, status(syscall.ENOENT))
}

// The server rejects outputs and uploads whose directory is a file of the block store, with and
// without Config.State.
func TestNamesBelowFiles(t *testing.T) {
	for _, state := range []string{"", t.TempDir()} {
		b := start(t, func(cfg *Config) { cfg.State = state })
		require.NoError(t, b.Put(t.Context(), "in/x", strings.NewReader("a b\n")))
		for _, name := range []string{"in/x/out", "in/x/y/out"} {
			_, err := b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{"dfs:in", "-o", "dfs:" + name}}, "")
			require.Equal(t, "dfs:"+name+": dfs:in/x is a file", refused(t, err, "bad-name").Detail)
			err = b.Put(t.Context(), name, strings.NewReader("a"))
			require.Equal(t, http.StatusUnprocessableEntity, refused(t, err, "bad-name").Status)
		}
	}
}

// Every call rejects names of users, pools and queues that are too long or not printable.
func TestNamesWithControlCharacters(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a\n")
	held := b.submit("held", "in.txt", "-o", "held")
	for _, name := range []string{"a\x00b", "a\nb", strings.Repeat("x", 201)} {
		args := []string{"in.txt", "-o", "out"}
		for _, ask := range []api.Submission{
			{Args: args, Pool: name},
			{Args: args, Queue: name},
			{Args: args, User: name},
			{Args: append([]string{"--pool", name}, args...)},
		} {
			ask.Job = "count"
			_, err := b.Submit(t.Context(), ask, "")
			require.Equal(t, http.StatusUnprocessableEntity, refused(t, err, "bad-name").Status)
		}
		_, err := b.SetPool(t.Context(), held.ID, name)
		refused(t, err, "bad-name")
		_, err = b.Reconfigure(t.Context(), api.PolicyChange{Weights: map[string]float64{name: 2}})
		refused(t, err, "bad-name")
	}
}

// A full disk is the problem disk-full (507), with a text of one line.
func TestDiskIsFull(t *testing.T) {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		err := errors.Join(&fs.PathError{Op: "write", Path: "state/part/put-1", Err: full}, errors.New("another"))
		f, known := faultOf(fmt.Errorf("put: %w", err))
		require.True(t, known)
		require.Equal(t, http.StatusInsufficientStorage, f.status)
		require.Equal(t, "disk-full", f.code)
		require.Contains(t, f.text, "the server's disk is full: put: write state/part/put-1: ")
		require.NotContains(t, f.text, "\n")
	}
}
