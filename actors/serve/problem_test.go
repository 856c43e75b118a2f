package serve

import (
	"errors"
	"io/fs"
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Who cannot be served because the process has too many files open may try again; who names a file
// that is not there has made a mistake.
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
