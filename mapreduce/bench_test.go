package mapreduce

import (
	"bytes"
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/tarry-mr/tarry/internal/gen"
)

// benchSlots is how many goroutines run attempts in benchmarks.
const benchSlots = 2

// benchInput writes a generated file once a benchmark; TARRY_BENCH_MIB sets its
// size in MiB.
func benchInput(b *testing.B, kind gen.Kind) string {
	b.Helper()
	size := int64(64)
	if s := os.Getenv("TARRY_BENCH_MIB"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		require.NoError(b, err)
		size = n
	}
	dir := os.Getenv("TARRY_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	path := filepath.Join(dir, string(kind)+"-"+strconv.FormatInt(size, 10))
	if _, err := os.Stat(path); err != nil {
		require.NoError(b, gen.WriteFile(context.Background(), path, gen.Config{Kind: kind, Bytes: size << 20, Seed: 1}, false))
	}
	return path
}

// benchDir returns a new directory, in TARRY_BENCH_DIR if that is set: it may
// name a file system in memory.
func benchDir(b *testing.B) string {
	b.Helper()
	base := os.Getenv("TARRY_BENCH_DIR")
	if base == "" {
		return b.TempDir()
	}
	dir := filepath.Join(base, "bench")
	b.Cleanup(func() { require.NoError(b, os.RemoveAll(dir)) })
	require.NoError(b, os.RemoveAll(dir))
	require.NoError(b, os.MkdirAll(dir, 0o700))
	return dir
}

// each runs fn(0) … fn(n-1) in benchSlots goroutines.
func each(b *testing.B, n int, fn func(i int) error) {
	b.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, benchSlots)
	for slot := range benchSlots {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && errs[slot] == nil; i = next.Add(1) - 1 {
				errs[slot] = fn(int(i))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(b, err)
	}
}

// benchPlan runs a plan as a cluster of benchSlots slots would.
func benchPlan(b *testing.B, memory *Memory, pool *Buffers, bind func(Destination) (*Plan, error)) *Counters {
	b.Helper()
	ctx := context.Background()
	dir := benchDir(b)
	p, err := bind(Dir(dir + "/out"))
	require.NoError(b, err)
	require.NoError(b, p.SetupJob())
	require.NoError(b, p.Prepare(ctx, PrepareOptions{Reduces: benchSlots}))
	splits, err := p.Splits(ctx, everyBytes(p, 32<<20))
	require.NoError(b, err)
	outs := make([]*MapOutput, len(splits))
	counters := make([]Counters, len(splits)+p.Reduces())
	each(b, len(splits), func(i int) (err error) {
		budget := memory.Sub()
		defer budget.Close()
		a := &MapAttempt{Index: i, Split: splits[i]}
		a.Resources = Resources{Budget: budget, Pool: pool, SpillDir: dir, Counters: &counters[i]}
		outs[i], err = p.RunMap(ctx, a)
		if err == nil && p.MapOnly() {
			err = p.CommitTask(a.ID())
		}
		return err
	})
	each(b, p.Reduces(), func(i int) error {
		next := 0
		budget := memory.Sub()
		defer budget.Close()
		a := &ReduceAttempt{Index: i}
		a.Resources = Resources{Budget: budget, Pool: pool, SpillDir: dir, Counters: &counters[len(splits)+i]}
		a.Next = func(context.Context) (Segment, error) {
			if next++; next > len(outs) {
				return Segment{}, io.EOF
			}
			return outs[next-1].Segment(i), nil
		}
		if err := p.RunReduce(ctx, a); err != nil {
			return err
		}
		return p.CommitTask(a.ID())
	})
	for _, o := range outs {
		o.Release()
	}
	require.NoError(b, p.CommitJob())
	total := new(Counters)
	for i := range counters {
		total.Merge(&counters[i])
	}
	return total
}

// benchJob measures a job over a generated file; share, if not 0, limits its
// memory to that part of the file's size.
func benchJob(b *testing.B, kind gen.Kind, share float64, bind func(src Source, d Destination) (*Plan, error)) {
	b.Helper()
	path := benchInput(b, kind)
	info, err := os.Stat(path)
	require.NoError(b, err)
	var memory *Memory
	if share > 0 {
		memory = NewMemory(int64(share * float64(info.Size())))
	}
	pool := NewBuffers(memory, 4<<30)
	defer pool.Close()
	b.SetBytes(info.Size())
	b.ReportAllocs()
	before := cpuSeconds(b)
	var spilled int64
	for b.Loop() {
		src, err := File(path)
		require.NoError(b, err)
		c := benchPlan(b, memory, pool, func(d Destination) (*Plan, error) { return bind(src, d) })
		spilled = c.Get(FileBytesWritten)
	}
	b.ReportMetric(float64(spilled)/(1<<20), "spilled-MiB/op")
	b.ReportMetric((cpuSeconds(b)-before)/float64(b.N), "cpu-s/op")
}

// cpuSeconds is what the process has used: steadier than time on a busy machine.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func benchWords(lines bool, words func(text []byte, emit func([]byte, int64)) error, sum bool) func(Source, Destination) (*Plan, error) {
	return func(src Source, d Destination) (*Plan, error) {
		j := Job[[]byte, []byte, int64, Pair[[]byte, int64]]{
			Map: words,
			Reduce: func(word []byte, counts iter.Seq[int64], emit func(Pair[[]byte, int64])) error {
				var n int64
				for c := range counts {
					n += c
				}
				emit(MakePair(word, n))
				return nil
			},
			Sum: sum,
		}
		if !sum {
			j.Combine = func(a, b int64) int64 { return a + b }
		}
		in := Chunks(src)
		if lines {
			in = Lines(src)
		}
		return j.Bind(in, Text[Pair[[]byte, int64]](d))
	}
}

func fieldWords(text []byte, emit func([]byte, int64)) error {
	for w := range Fields(text) {
		emit(w, 1)
	}
	return nil
}

// byteWords is a mapper as a user would write it, byte by byte.
func byteWords(text []byte, emit func([]byte, int64)) error {
	for i := 0; i < len(text); {
		for i < len(text) && text[i] <= ' ' {
			i++
		}
		start := i
		for i < len(text) && text[i] > ' ' {
			i++
		}
		if i > start {
			emit(text[start:i], 1)
		}
	}
	return nil
}

func BenchmarkWordCountChunks(b *testing.B) {
	benchJob(b, gen.Text, 0, benchWords(false, fieldWords, true))
}

func BenchmarkWordCountWords(b *testing.B) {
	benchJob(b, gen.Text, 0, func(src Source, d Destination) (*Plan, error) {
		j := Job[[]byte, []byte, int64, Pair[[]byte, int64]]{
			MapTask: func(*Task) (Mapper[[]byte, []byte, int64], error) {
				return Mapper[[]byte, []byte, int64]{MapWords: func(text []byte, words func([]byte, int64)) error {
					words(text, 1)
					return nil
				}}, nil
			},
			Reduce: func(word []byte, counts iter.Seq[int64], emit func(Pair[[]byte, int64])) error {
				for c := range counts {
					emit(MakePair(word, c))
				}
				return nil
			},
			Sum: true,
		}
		return j.Bind(Chunks(src), Text[Pair[[]byte, int64]](d))
	})
}

func BenchmarkWordCountCombine(b *testing.B) {
	benchJob(b, gen.Text, 0, benchWords(false, fieldWords, false))
}

func BenchmarkWordCountByteLoop(b *testing.B) {
	benchJob(b, gen.Text, 0, benchWords(true, byteWords, false))
}

func BenchmarkTeraSort(b *testing.B) { benchJob(b, gen.Tera, 0, benchTera) }

func BenchmarkTeraSortSpilling(b *testing.B) { benchJob(b, gen.Tera, 0.5, benchTera) }

func BenchmarkWordCountSpilling(b *testing.B) {
	benchJob(b, gen.Text, 0.25, benchWords(false, fieldWords, true))
}

func benchTera(src Source, d Destination) (*Plan, error) {
	j := Job[[]byte, []byte, []byte, Pair[[]byte, []byte]]{
		Map: func(rec []byte, emit func([]byte, []byte)) error {
			emit(rec[:10], rec[10:])
			return nil
		},
		TotalOrder: true,
	}
	return j.Bind(FixedSize(100, src), Raw[Pair[[]byte, []byte]](d))
}

func BenchmarkSortLines(b *testing.B) {
	benchJob(b, gen.Text, 0, func(src Source, d Destination) (*Plan, error) {
		j := Job[[]byte, []byte, None, Pair[[]byte, None]]{
			Map: func(line []byte, emit func([]byte, None)) error {
				emit(line, None{})
				return nil
			},
			TotalOrder: true,
		}
		return j.Bind(Lines(src), Text[Pair[[]byte, None]](d))
	})
}

func BenchmarkGrepLines(b *testing.B) {
	benchJob(b, gen.Text, 0, func(src Source, d Destination) (*Plan, error) {
		j := MapOnly[[]byte, []byte]{Map: func(line []byte, emit func([]byte)) error {
			if bytes.Contains(line, []byte("zqzq")) {
				emit(line)
			}
			return nil
		}}
		return j.Bind(Lines(src), Text[[]byte](d))
	})
}

func BenchmarkGrepChunks(b *testing.B) {
	benchJob(b, gen.Text, 0, func(src Source, d Destination) (*Plan, error) {
		j := MapOnly[[]byte, []byte]{Map: func(text []byte, emit func([]byte)) error {
			if bytes.Contains(text, []byte("zqzq")) {
				emit(text)
			}
			return nil
		}}
		return j.Bind(Chunks(src), Text[[]byte](d))
	})
}

// BenchmarkTinyJob binds and runs a job of a few words, from start to end.
func BenchmarkTinyJob(b *testing.B) {
	pool := NewBuffers(nil, 64<<20)
	defer pool.Close()
	b.ReportAllocs()
	bind := benchWords(false, fieldWords, true)
	for b.Loop() {
		p, err := bind(Bytes("text", []byte("to be or not to be\n")), Writer("-", io.Discard))
		require.NoError(b, err)
		engine(b, p, 1, nil, Resources{Pool: pool})
	}
}
