package serve

import (
	"errors"
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
		return f.status
	}
	require.Equal(t, http.StatusServiceUnavailable, status(syscall.EMFILE))
	require.Equal(t, http.StatusServiceUnavailable, status(syscall.ENFILE))
	require.Equal(t, http.StatusUnprocessableEntity, status(syscall.ENOENT))
}
