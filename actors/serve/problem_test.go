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
		return statusOf(problemOf(badInput("in", &fs.PathError{Op: "open", Path: "in", Err: err})).Code)
	}
	require.Equal(t, http.StatusServiceUnavailable, status(syscall.EMFILE))
	require.Equal(t, http.StatusServiceUnavailable, status(syscall.ENFILE))
	require.Equal(t, http.StatusUnprocessableEntity, status(syscall.ENOENT))
}

// A full disk is the problem disk-full (507), with a text of one line.
func TestDiskIsFull(t *testing.T) {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		err := errors.Join(&fs.PathError{Op: "write", Path: "state/part/put-1", Err: full}, errors.New("another"))
		p := problemOf(fmt.Errorf("put: %w", err))
		require.Equal(t, http.StatusInsufficientStorage, statusOf(p.Code))
		require.Equal(t, "disk-full", p.Code)
		require.Contains(t, p.Detail, "the server's disk is full: put: write state/part/put-1: ")
		require.NotContains(t, p.Detail, "\n")
	}
}
