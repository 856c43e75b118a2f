package actors

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// spillFile is a spill file in memory. write is called before each write, and read with what each
// read returns.
type spillFile struct {
	write func() error
	read  func(p []byte) error
	close func()

	mu    sync.Mutex
	bytes []byte
}

func (f *spillFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.write(); err != nil {
		return 0, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if need := off + int64(len(p)) - int64(len(f.bytes)); need > 0 {
		f.bytes = append(f.bytes, make([]byte, need)...)
	}
	return copy(f.bytes[off:], p), nil
}

func (f *spillFile) ReadAt(p []byte, off int64) (int, error) {
	f.mu.Lock()
	n := copy(p, f.bytes[min(off, int64(len(f.bytes))):])
	f.mu.Unlock()
	if n > 0 {
		if err := f.read(p[:n]); err != nil {
			return 0, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *spillFile) Close() error {
	f.close()
	return nil
}

// disk has the spill files of a cluster, which its method open creates.
type disk struct {
	mu    sync.Mutex
	files []*spillFile
}

func (d *disk) open() (cluster.SpillFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := &spillFile{write: func() error { return nil }, read: func([]byte) error { return nil }, close: func() {}}
	d.files = append(d.files, f)
	return f, nil
}

// spoil changes the files that have content, and returns their number.
func (d *disk) spoil(change func(content []byte) []byte) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.files {
		f.mu.Lock()
		if len(f.bytes) > 0 {
			f.bytes = change(f.bytes)
			n++
		}
		f.mu.Unlock()
	}
	return n
}

// damaged returns a change that clears or truncates the content at a random place, or flips a bit.
func damaged(rng *rand.Rand) func([]byte) []byte {
	return func(content []byte) []byte {
		at := rng.IntN(len(content))
		switch rng.IntN(4) {
		case 0:
			clear(content[at:min(at+8, len(content))])
		case 1:
			return content[:at]
		default:
			content[at] ^= 1 << rng.IntN(8)
		}
		return content
	}
}

// sorting returns a job that counts lines and does not combine, so that maps keep every record.
func sorting(reducers int) countJob {
	j := mapped(reducers, func(line []byte, emit func(string, int64)) error {
		emit(string(line), 1)
		return nil
	})
	j.Sum = false
	return j
}

// If the spill files of a running job are damaged anywhere, the job still succeeds with the right
// output. The maps of the damaged files rerun, and no task counts as failed.
func TestDamagedMapOutputRunsTheMapAgain(t *testing.T) {
	var text strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&text, "line %d\n", i*7919%30_011)
	}
	for name, j := range map[string]countJob{"sort": sorting(3), "combine": counting(3)} {
		t.Run(name, func(t *testing.T) {
			want := oracle(t, j, text.String())
			rng := rand.New(rand.NewPCG(1, 2))
			again := 0
			for range 15 {
				d, spoiled := new(disk), 0
				cfg := Config{MapSlots: 2, ReduceSlots: 1, BlockSize: 100 << 10, Memory: 1, spillFile: d.open, Events: func(e Event) {
					if e.Type == event.Launched && e.Attempt.Task.Kind == scheduling.Reduce && spoiled < 3 {
						spoiled += d.spoil(damaged(rng))
					}
					if e.Type == event.OutputLost {
						again++
					}
				}}
				bubble(t, cfg, func(t *testing.T, c *Cluster) {
					_, got := runLines(t, c, j, text.String())
					require.Equal(t, want, got)
				})
				require.NotZero(t, spoiled)
			}
			require.NotZero(t, again, "no map ran again")
		})
	}
}

// If the disk damages every spill, the job fails. Its error names the folder of the spills.
func TestDiskThatDamagesAllTheTime(t *testing.T) {
	d, dir := new(disk), t.TempDir()
	var attempts atomic.Int64
	j := sorting(1)
	j.Reduce = nil
	j.ReduceTask = func(*mapreduce.Task) (mapreduce.Reducer[string, int64, pair], error) {
		attempts.Add(1)
		d.spoil(func([]byte) []byte { return nil })
		return mapreduce.Reducer[string, int64, pair]{Reduce: sum}, nil
	}
	bubble(t, Config{Memory: 1, SpillDir: dir, spillFile: d.open}, func(t *testing.T, c *Cluster) {
		_, err := failLines(t, c, j, "a\nb\nc\n")
		require.ErrorIs(t, err, cluster.ErrDamagedSpill)
		require.ErrorContains(t, err, dir)
	})
	require.EqualValues(t, 8, attempts.Load(), "four forgiven, four not")
}
