package cli

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// nobody is the ID of a user that may not read the test's files.
const nobody = 65534

// A command fails with exit code 1 if the user may not read an input. Root may read everything, so
// the reading thread accesses files as nobody.
func TestUnreadableInput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("locked", []byte("text\n"), 0o600))
	require.NoError(t, os.Chmod("locked", 0))
	var out, errs bytes.Buffer
	p := &program{stdout: &out, stderr: &errs, getenv: os.LookupEnv}
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked, so that the thread ends with this goroutine
		var err error
		if os.Getuid() == 0 {
			err = syscall.Setfsuid(nobody)
		}
		if err == nil {
			_, err = p.inputs(context.Background(), []string{"locked"})
		}
		result <- err
	}()
	err := <-result
	require.ErrorIs(t, err, os.ErrPermission)
	require.Equal(t, exitFailed, p.exit(context.Background(), err))
	require.Equal(t, 1, strings.Count(errs.String(), "\n"), "one line: %s", errs.String())
	require.Contains(t, errs.String(), "locked: permission denied")
	require.Empty(t, out.String())
}
