package mapreduce

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// A changed bit in a map's spill makes the reduce that reads it fail with an error that says so,
// with Combine and without. Without the change, the reduce succeeds.
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
				require.NoError(t, p.Prepare(ctx, cluster.PrepareOptions{Reduces: 1}))
				res := cluster.Resources{Budget: cluster.NewMemory(1).Sub(), SpillDir: dir}
				out, err := p.RunMap(ctx, &cluster.MapAttempt{Split: cluster.Split{Length: int64(text.Len())}, Resources: res})
				require.NoError(t, err)
				defer out.Release()
				if damaged {
					flipBits(t, dir)
				}
				err = p.RunReduce(ctx, &cluster.ReduceAttempt{Resources: res, Next: sent(0, out)})
				if damaged {
					require.ErrorIs(t, err, cluster.ErrDamagedSpill)
					var d *cluster.DamagedOutputError
					require.ErrorAs(t, err, &d)
					require.Equal(t, []int{0}, d.Maps)
					require.Contains(t, err.Error(), dir)
				} else {
					require.NoError(t, err)
				}
			})
		}
	}
}

// flipBits changes one bit in each open spill file of dir; these files have no names.
func flipBits(t *testing.T, dir string) {
	t.Helper()
	open := must(filepath.Glob("/proc/self/fd/*"))(t)
	flipped := 0
	for _, fd := range open {
		if name, err := os.Readlink(fd); err != nil || !strings.HasPrefix(name, filepath.Join(dir, "spill-")) {
			continue
		}
		f := must(os.OpenFile(fd, os.O_RDWR, 0))(t)
		st := must(f.Stat())(t)
		var b [1]byte
		must(f.ReadAt(b[:], st.Size()/2))(t)
		must(f.WriteAt([]byte{b[0] ^ 4}, st.Size()/2))(t)
		require.NoError(t, f.Close())
		flipped++
	}
	require.NotZero(t, flipped)
}
