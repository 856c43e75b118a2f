package dfs

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

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

// If the path now leads to a file without a size, under /proc, Anew returns ErrNoSize.
func TestAnewOfAFileWithoutSize(t *testing.T) {
	l, path := localFile(t, []byte("x"))
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink("/proc/self/status", path))
	_, err := l.Anew()
	require.ErrorIs(t, err, ErrNoSize)
}

// If the process has no descriptors left, reads fail with that error and not with ErrChanged.
func TestTooManyOpenFiles(t *testing.T) {
	l, path := localFile(t, noise(1, 100_000))
	var was syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 3, Max: was.Max}))
	_, _, viewed := l.View(0, 10)
	_, read := l.ReadAt(make([]byte, 1), 0)
	anew, again := l.Anew()
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was))
	require.NoError(t, again, "a file that is the same need not be opened")
	require.NoError(t, anew.Close())
	for _, err := range []error{viewed, read} {
		require.ErrorIs(t, err, syscall.EMFILE)
		require.NotErrorIs(t, err, ErrChanged)
		require.ErrorContains(t, err, path)
	}
	_, release := viewOf(t, l, 0, 10)
	release()
}

// present returns how many pages of b, a mapping, are in this process's memory.
func present(t *testing.T, b []byte) (pages int) {
	t.Helper()
	f, err := os.Open("/proc/self/pagemap")
	require.NoError(t, err)
	defer f.Close()
	page := uint64(os.Getpagesize())
	first := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) / page
	last := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))+uintptr(len(b))-1) / page
	entries := make([]byte, (last-first+1)*8)
	_, err = f.ReadAt(entries, int64(first*8))
	require.NoError(t, err)
	for at := 0; at < len(entries); at += 8 {
		pages += int(entries[at+7] >> 7)
	}
	return pages
}

// The release of a View of 256 KiB or more drops the pages that lie wholly in it, however the file
// is cut into Views. Smaller Views keep their pages for the next one.
func TestReleasedViewsTakeNoMemory(t *testing.T) {
	page := os.Getpagesize()
	l, _ := localFile(t, noise(1, 3*dropFrom))
	whole, release := viewOf(t, l, 0, 3*dropFrom)
	defer release()
	touch := func(b []byte) {
		sum := 0
		for _, c := range b {
			sum += int(c)
		}
		require.Positive(t, sum)
	}
	for _, off := range []int{0, 1, page - 1, page, page + 1} {
		touch(whole)
		all := present(t, whole)
		b, release := viewOf(t, l, int64(off), dropFrom+off)
		inside := (off+dropFrom+off)/page - (off+page-1)/page
		release()
		require.Equal(t, all-inside, present(t, whole), "offset %d", off)
		require.LessOrEqual(t, present(t, b), 2)
	}
	touch(whole)
	all := present(t, whole)
	_, release = viewOf(t, l, 0, dropFrom-1)
	release()
	require.Equal(t, all, present(t, whole))
}

// Mapped files keep at most an eighth of the process's descriptors open.
func TestKeptDescriptors(t *testing.T) {
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	require.Equal(t, limit.Cur, descriptorLimit())
	require.EqualValues(t, min(limit.Cur/8, 1024), keepable())
	had := kept.Load()
	for kept.Load() < keepable() {
		require.True(t, mayKeep())
	}
	require.False(t, mayKeep())
	require.Equal(t, keepable(), kept.Load(), "what was refused is not counted")
	dropKept()
	require.True(t, mayKeep())
	kept.Store(had)
}

// A file is unmapped once it is closed and its last View is released, in either order.
func TestMappingsGo(t *testing.T) {
	l, path := localFile(t, noise(1, 300_000))
	mapped := func() bool {
		maps, err := os.ReadFile("/proc/self/maps")
		require.NoError(t, err)
		return strings.Contains(string(maps), path)
	}
	_, release := viewOf(t, l, 0, 1)
	require.True(t, mapped())
	require.NoError(t, l.Close())
	require.True(t, mapped(), "a View is held")
	release()
	require.False(t, mapped())
}
