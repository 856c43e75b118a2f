package dfs

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesWithoutSize(t *testing.T) {
	for _, path := range []string{"/proc/cpuinfo", "/proc/self/status", "/sys/kernel/mm/transparent_hugepage/enabled"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		_, err := OpenLocal(path)
		require.ErrorIs(t, err, ErrNoSize, path)
	}
	sparse := filepath.Join(t.TempDir(), "sparse")
	require.NoError(t, os.WriteFile(sparse, nil, 0o600))
	for _, size := range []int64{0, 1, 4096, 1 << 30} {
		require.NoError(t, os.Truncate(sparse, size))
		l, err := OpenLocal(sparse)
		require.NoError(t, err)
		require.Equal(t, size, l.Size())
		require.NoError(t, l.Close())
	}
}

// That there are no descriptors left is no change of the file.
func TestTooManyOpenFiles(t *testing.T) {
	l, path := localFile(t, noise(1, 100_000))
	var was syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: was.Max}))
	_, _, viewed := l.View(0, 10)
	_, read := l.ReadAt(make([]byte, 1), 0)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was))
	for _, err := range []error{viewed, read} {
		require.ErrorIs(t, err, syscall.EMFILE)
		require.NotErrorIs(t, err, ErrChanged)
		require.ErrorContains(t, err, path)
	}
	_, release, err := l.View(0, 10)
	require.NoError(t, err)
	release()
}
