package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// If the process has too many open files, the answer tells the client to retry. A missing file is
// the client's error.
func TestTooManyFilesIsNobodysFault(t *testing.T) {
	status := func(err error) int {
		f, ok := errors.AsType[*fault](badInput("in", &fs.PathError{Op: "open", Path: "in", Err: err}))
		require.True(t, ok)
		return f.status()
	}
	require.Equal(t, http.StatusServiceUnavailable, status(syscall.EMFILE))
	require.Equal(t, http.StatusServiceUnavailable, status(syscall.ENFILE))
	require.Equal(t, http.StatusUnprocessableEntity, status(syscall.ENOENT))
}

// A full disk is the problem disk-full (507), with a text of one line.
func TestDiskIsFull(t *testing.T) {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		err := errors.Join(&fs.PathError{Op: "write", Path: "state/part/put-1", Err: full}, errors.New("another"))
		f, known := faultOf(fmt.Errorf("put: %w", err))
		require.True(t, known)
		require.Equal(t, http.StatusInsufficientStorage, f.status())
		require.Equal(t, "disk-full", f.code)
		require.Contains(t, f.text, "the server's disk is full: put: write state/part/put-1: ")
		require.NotContains(t, f.text, "\n")
	}
}
