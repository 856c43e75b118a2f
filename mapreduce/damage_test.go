package mapreduce

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// TestDamagedSpillsFailTheReduce flips a bit in what a map has spilled, of a job that
// combines and of one that does not: the reduce ends with an error that says so, and
// without it succeeds.
func TestDamagedSpillsFailTheReduce(t *testing.T) {
	var text bytes.Buffer
	for i := range 30_000 {
		fmt.Fprintf(&text, "word%d\n", i*7919%20_011)
	}
	for _, combine := range []string{"none", "sum"} {
		for _, damaged := range []bool{false, true} {
			t.Run(fmt.Sprintf("combine=%s damaged=%t", combine, damaged), func(t *testing.T) {
				ctx, dir := context.Background(), t.TempDir()
				p, err := countJob[[]byte](variant{reduces: 1, combine: combine}).Bind(
					Lines(Bytes("text", text.Bytes())), Text[Pair[[]byte, int64]](Writer("-", io.Discard)))
				require.NoError(t, err)
				require.NoError(t, p.SetupJob())
				require.NoError(t, p.Prepare(ctx, PrepareOptions{Reduces: 1}))
				res := Resources{Budget: NewMemory(1).Sub(), SpillDir: dir}
				out, err := p.RunMap(ctx, &MapAttempt{Split: Split{Length: int64(text.Len())}, Resources: res})
				require.NoError(t, err)
				defer out.Release()
				if damaged {
					flipBits(t, dir)
				}
				given := false
				err = p.RunReduce(ctx, &ReduceAttempt{Resources: res, Next: func(context.Context) (Segment, error) {
					if given {
						return Segment{}, io.EOF
					}
					given = true
					return out.Segment(0), nil
				}})
				if damaged {
					require.ErrorIs(t, err, segment.ErrCorrupt)
				} else {
					require.NoError(t, err)
				}
			})
		}
	}
}

// flipBits changes one bit in the middle of each spill file.
func flipBits(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "spill-*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		b[len(b)/2] ^= 4
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteAt(b, 0)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
}
