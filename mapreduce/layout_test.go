package mapreduce_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Adopt refuses a layout of a job with other types, whose bytes this process would misread.
func TestOtherTypesAreRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	in := mr.Lines(mr.Bytes("lines", []byte("a\n")))
	words := bound(t, in, dir, func(line []byte, emit func(string, int64)) error { return nil })
	require.NoError(t, words.SetupJob())
	require.NoError(t, words.Prepare(t.Context(), cluster.PrepareOptions{Reduces: 2}))
	layout, err := words.Job().Layout(nil)
	require.NoError(t, err)
	for _, other := range []*mr.Plan{
		bound(t, in, dir, func(line []byte, emit func(string, int32)) error { return nil }),
		bound(t, in, dir, func(line []byte, emit func([]byte, int64)) error { return nil }),
	} {
		_, err := layout.Adopt(t.Context(), other)
		require.ErrorContains(t, err, "the one that submitted it")
	}
}

func bound[K, V any](t *testing.T, in mr.Input[[]byte], dir string, words func([]byte, func(K, V)) error) *mr.Plan {
	t.Helper()
	plan, err := mr.Job[[]byte, K, V, mr.Pair[K, V]]{Map: words}.Bind(in, mr.Text[mr.Pair[K, V]](mr.Dir(dir)))
	require.NoError(t, err)
	return plan
}
