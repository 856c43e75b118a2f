package worker

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func umask(t *testing.T, mask int) {
	was := syscall.Umask(mask)
	t.Cleanup(func() { syscall.Umask(was) })
}

// forAll permits all users to enter a temporary folder and its parents.
func forAll(t testing.TB, dir string) {
	for ; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		require.NoError(t, os.Chmod(dir, info.Mode()|0o755)) // only folders of this test
	}
}
