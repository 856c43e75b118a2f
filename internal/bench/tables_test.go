package bench

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tables have the rows that were asked for and are the same each time; what is there stays.
func TestTables(t *testing.T) {
	a, err := makeTables(t.TempDir(), 21_000, io.Discard)
	require.NoError(t, err)
	b, err := makeTables(t.TempDir(), 21_000, io.Discard)
	require.NoError(t, err)
	for i, rows := range []int{1000, 200, 20} {
		one, err := os.ReadFile([]string{a.Sales, a.Orders, a.Users}[i])
		require.NoError(t, err)
		two, err := os.ReadFile([]string{b.Sales, b.Orders, b.Users}[i])
		require.NoError(t, err)
		require.Equal(t, one, two)
		require.Equal(t, rows, bytes.Count(one, []byte("\n")))
	}
	require.NoError(t, os.WriteFile(a.Users, nil, 0o600))
	dir := a.Users[:len(a.Users)-len("/users-20.tsv")]
	_, err = makeTables(dir, 21_000, io.Discard)
	require.NoError(t, err)
	require.Zero(t, sizeOf(a.Users))
	require.Positive(t, sizeOf(a.Sales, a.Users, "nowhere"))
}
