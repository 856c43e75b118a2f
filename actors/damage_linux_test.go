package actors

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// spillFiles opens this process's spill files in dir. They have no names, only descriptors.
func spillFiles(t *testing.T, dir string) (files []*os.File) {
	t.Helper()
	open, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, fd := range open {
		if name, err := os.Readlink(fd); err != nil || !strings.HasPrefix(name, filepath.Join(dir, "spill-")) {
			continue
		}
		f, err := os.OpenFile(fd, os.O_RDWR, 0)
		require.NoError(t, err)
		files = append(files, f)
	}
	return files
}

// spoil damages each of this process's spill files in dir at one place, and returns their number.
func spoil(t *testing.T, dir string, rng *rand.Rand) (n int) {
	for _, f := range spillFiles(t, dir) {
		st, err := f.Stat()
		require.NoError(t, err)
		if st.Size() > 0 {
			at := rng.Int64N(st.Size())
			var b [8]byte
			_, _ = f.ReadAt(b[:], at) // missing bytes are zero
			switch rng.IntN(4) {
			case 0:
				clear(b[:])
			case 1:
				require.NoError(t, f.Truncate(at))
			default:
				b[0] ^= 1 << rng.IntN(8)
			}
			_, err = f.WriteAt(b[:], at)
			require.NoError(t, err)
			n++
		}
		require.NoError(t, f.Close())
	}
	return n
}

// sorting returns a job that counts lines and does not combine, so that maps keep every record.
func sorting(reducers int) mapreduce.Job[[]byte, string, int64, pair] {
	j := counting(reducers)
	j.Sum = false
	j.Map = func(line []byte, emit func(string, int64)) error {
		emit(string(line), 1)
		return nil
	}
	return j
}

// If the spill files of a running job are damaged anywhere, the job still succeeds with the right
// output. The maps of the damaged files rerun, and no task counts as failed.
func TestDamagedMapOutputRunsTheMapAgain(t *testing.T) {
	var text strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&text, "line %d\n", i*7919%30_011)
	}
	run := func(cfg Config, j mapreduce.Job[[]byte, string, int64, pair]) (string, Result) {
		cfg.MapSlots, cfg.ReduceSlots, cfg.BlockSize, cfg.Memory = 2, 1, 100<<10, 1
		var res Result
		var out *bytes.Buffer
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			var p *mapreduce.Plan
			p, out = bindLines(t, j, text.String())
			var err error
			res, err = c.submit(t, p, SubmitOptions{}).Wait(context.Background())
			require.NoError(t, err)
		})
		return out.String(), res
	}
	for name, j := range map[string]mapreduce.Job[[]byte, string, int64, pair]{"sort": sorting(3), "combine": counting(3)} {
		t.Run(name, func(t *testing.T) {
			want, _ := run(Config{SpillDir: t.TempDir()}, j)
			rng := rand.New(rand.NewPCG(1, 2))
			again := 0
			for range 15 {
				dir, damaged := t.TempDir(), 0
				cfg := Config{SpillDir: dir, Events: func(e Event) {
					if e.Type == event.Launched && e.Attempt.Task.Kind == scheduling.Reduce && damaged < 3 {
						damaged += spoil(t, dir, rng)
					}
					if e.Type == event.OutputLost {
						again++
					}
				}}
				got, _ := run(cfg, j)
				require.Equal(t, want, got)
				require.NotZero(t, damaged)
			}
			require.NotZero(t, again, "no map ran again")
		})
	}
}

// If the disk damages every spill, the job fails. Its error names the folder of the spills.
func TestDiskThatDamagesAllTheTime(t *testing.T) {
	dir := t.TempDir()
	var attempts atomic.Int64
	j := sorting(1)
	j.Reduce = nil
	j.ReduceTask = func(*mapreduce.Task) (mapreduce.Reducer[string, int64, pair], error) {
		attempts.Add(1)
		for _, f := range spillFiles(t, dir) {
			require.NoError(t, f.Truncate(0))
			require.NoError(t, f.Close())
		}
		return mapreduce.Reducer[string, int64, pair]{Reduce: func(k string, vs iter.Seq[int64], emit func(pair)) error {
			return sum(k, vs, emit)
		}}, nil
	}
	bubble(t, Config{SpillDir: dir, Memory: 1}, func(t *testing.T, c *Cluster) {
		p, _ := bindLines(t, j, "a\nb\nc\n")
		_, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorIs(t, err, cluster.ErrDamagedSpill)
		require.ErrorContains(t, err, dir)
	})
	require.EqualValues(t, 8, attempts.Load(), "four forgiven, four not")
}
