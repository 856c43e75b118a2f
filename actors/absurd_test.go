package actors

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
)

// endless is a source that reports 2^62 bytes, too many to be cut into splits.
type endless struct{ dfs.Source }

func (endless) Size() int64                           { return 1 << 62 }
func (endless) ReadAt(p []byte, _ int64) (int, error) { clear(p); return len(p), nil }
func (endless) View(_ int64, n int) ([]byte, func(), error) {
	if n > 1<<20 {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return make([]byte, n), func() {}, nil
}

// Submit and RunLocal reject a source of 2^62 bytes before they split it, and advise larger blocks.
func TestSourceOfAbsurdSize(t *testing.T) {
	c := start(t, Config{Nodes: 2})
	for _, splitSize := range []int64{0, 1000} {
		src, err := mapreduce.Stored(endless{dfs.Bytes("endless", nil)})
		require.NoError(t, err)
		in := mapreduce.Lines(src)
		if splitSize > 0 {
			in = in.SplitSize(splitSize)
		}
		job := mapreduce.MapOnly[[]byte, []byte]{Map: func([]byte, func([]byte)) error { return nil }}
		bind := func() *mapreduce.Plan {
			p, err := job.Bind(in, mapreduce.Raw[[]byte](mapreduce.Writer("nowhere", io.Discard)))
			require.NoError(t, err)
			return p
		}
		_, err = c.Submit(t.Context(), bind(), SubmitOptions{})
		require.ErrorContains(t, err, "endless: 4611686018427387904 bytes are ")
		require.ErrorContains(t, err, "use larger blocks")
		p := bind()
		_, err = mapreduce.RunLocal(t.Context(), p, mapreduce.LocalOptions{Blocks: p.BlocksOf(1 << 20)})
		require.ErrorContains(t, err, "endless: 4611686018427387904 bytes are more than 1048576 splits: use larger blocks or splits")
	}
}
