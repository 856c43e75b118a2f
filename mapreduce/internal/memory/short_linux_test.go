package memory

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// If the bytes end where mapped memory ends, AppendShort loads no byte beyond.
func TestAppendShortBesideNothing(t *testing.T) {
	all, err := syscall.Mmap(-1, 0, 2*pageSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(all)) }()
	require.NoError(t, syscall.Mprotect(all[pageSize:], syscall.PROT_NONE))
	dst := make([]byte, 0, 64)
	for n := range 40 {
		require.Len(t, AppendShort(dst, all[pageSize-n:pageSize]), n)
		require.Len(t, AppendShort(dst, all[:n]), n)
	}
}
