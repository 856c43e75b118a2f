package scan

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// If a text ends where mapped memory ends, Fields and FieldStrings load no byte beyond it.
func TestFieldsBesideNothing(t *testing.T) {
	memory, err := syscall.Mmap(-1, 0, 2*pageSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(memory)) }()
	require.NoError(t, syscall.Mprotect(memory[pageSize:], syscall.PROT_NONE))
	page := memory[:pageSize:pageSize]
	copy(page, strings.Repeat("word ", pageSize))
	for n := range 3 * block {
		text := page[pageSize-n:]
		require.Len(t, collect(Fields, text), len(strings.Fields(string(text))))
		require.Len(t, collect(Fields, page[:n]), len(strings.Fields(string(page[:n]))))
	}
}
