//go:build unix

package combine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/scan"
)

// benchText returns the file that TARRY_BENCH_TEXT names, or 32 MiB of text whose words follow
// Zipf's law: 200,000 words, skew 1.05.
func benchText(b *testing.B) []byte {
	if name := os.Getenv("TARRY_BENCH_TEXT"); name != "" {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		st, err := f.Stat()
		if err != nil {
			b.Fatal(err)
		}
		text, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_SHARED)
		if err != nil {
			b.Fatal(err)
		}
		return text
	}
	rng := rand.New(rand.NewPCG(42, 42))
	z := rand.NewZipf(rng, 1.05, 1, 200_000)
	const size = 32 << 20
	text := make([]byte, 0, size+32)
	for col := 0; len(text) < size; col++ {
		k := z.Uint64()
		for n := 1 + int(0.4*math.Log2(float64(k+2))); n > 0; n-- {
			text = append(text, byte('a'+k%26))
			k = k/26 + uint64(n)*7
		}
		text = append(text, " \n"[col/12%2])
		if col == 12 {
			col = -1
		}
	}
	return text
}

// wordCount runs maps of at most 64 MiB and two reduces, two at a time, and returns the number of
// distinct words and of all words.
func wordCount(b *testing.B, text []byte, root *memory.Budget, pool *memory.Pool,
	emit func(t *table[int64], chunk []byte),
) (distinct, words int64) {
	block := min(64<<20, len(text)/4+1)
	maps := (len(text) + block - 1) / block
	segments := make([][]*Segment, maps)
	cfg := config[int64]{Options: Options{Partitions: 2, Sum: true, Pool: pool, SpillDir: b.TempDir()}}
	var learned atomic.Int64
	var mu sync.Mutex
	parallel(maps, func(i int) {
		c := cfg
		c.Budget, c.Distinct = root.Sub(), int(learned.Load())
		defer c.Budget.Close()
		t := newTable(c)
		from, to := wordStart(text, i*block), wordStart(text, min((i+1)*block, len(text)))
		emit(t, text[from:to])
		out, stats, err := t.Finish()
		if err != nil {
			b.Error(err)
		}
		learned.Store(stats.Output)
		segments[i] = out
	})
	parallel(2, func(p int) {
		c := cfg
		c.Budget = root.Sub()
		defer c.Budget.Close()
		var in []*Segment
		for _, s := range segments {
			in = append(in, s[p])
		}
		m := newMerge(c, in)
		buf := make([]byte, 0, 1<<20)
		var keys, sum int64
		for k, v, ok := m.Next(); ok; k, v, ok = m.Next() {
			buf = append(append(buf, k...), '\t')
			buf = append(strconv.AppendInt(buf, v, 10), '\n')
			if len(buf) > 1<<20-1<<10 {
				buf = buf[:0]
			}
			keys, sum = keys+1, sum+v
		}
		if m.Err() != nil {
			b.Error(m.Err())
		}
		m.Close()
		for _, s := range in {
			s.Release()
		}
		mu.Lock()
		distinct, words = distinct+keys, words+sum
		mu.Unlock()
	})
	return distinct, words
}

// wordStart moves i to the end of the word that contains it.
func wordStart(text []byte, i int) int {
	for i > 0 && i < len(text) && !scan.IsSpace(text[i]) {
		i++
	}
	return i
}

func parallel(n int, f func(i int)) {
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	wg.Wait()
}

func emitFields(t *table[int64], text []byte) {
	emit := emitterOf[[]byte](t, t.PutBytes)
	scan.Fields(text, func(w []byte) bool { emit(w, 1); return true })
}

func BenchmarkWordCount(b *testing.B) {
	text := benchText(b)
	for _, c := range []struct {
		name  string
		limit int64
		emit  func(t *table[int64], chunk []byte)
	}{
		{"Emit", 0, func(t *table[int64], chunk []byte) {
			scan.Fields(chunk, func(w []byte) bool { t.emit(w, 1); return true })
		}},
		{"Emitter", 0, emitFields},
		{"spill", 16 << 20, emitFields},
	} {
		b.Run(c.name, func(b *testing.B) {
			root := memory.NewBudget(c.limit)
			pool := memory.NewPool(root, 256<<20)
			defer pool.Close()
			b.SetBytes(int64(len(text)))
			var distinct, words int64
			cpu := cpuTime(b)
			for b.Loop() {
				distinct, words = wordCount(b, text, root, pool, c.emit)
			}
			b.ReportMetric(float64(distinct), "distinct")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(words), "ns/word")
			b.ReportMetric(float64(cpuTime(b)-cpu)/float64(b.N)/float64(words), "cpu-ns/word")
			b.ReportMetric(float64(root.Peak())/(1<<20), "peak-MiB")
		})
	}
}

// cpuTime returns the processor time of this process: it varies less than the clock on a machine
// that others use, too.
func cpuTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSmallJob is the engine's part of a job of ten words.
func BenchmarkSmallJob(b *testing.B) {
	root := memory.NewBudget(1 << 30)
	cfg := config[int64]{Options: Options{Partitions: 1, Sum: true, Budget: root, Pool: memory.NewPool(root, 1<<20)}}
	b.ReportAllocs()
	for b.Loop() {
		t := newTable(cfg)
		emitFields(t, []byte("ten words or so are enough for a small job"))
		segments, _, err := t.Finish()
		if err != nil {
			b.Fatal(err)
		}
		m := newMerge(cfg, segments)
		n := 0
		for _, _, ok := m.Next(); ok; _, _, ok = m.Next() {
			n++
		}
		if n != 10 {
			b.Fatal(n)
		}
		m.Close()
		segments[0].Release()
	}
}

// BenchmarkEmit measures one goroutine emitting words of a vocabulary in turn.
func BenchmarkEmit(b *testing.B) {
	for _, distinct := range []int{1000, 100_000} {
		keys := make([][]byte, distinct)
		for i := range keys {
			keys[i] = fmt.Appendf(nil, "word%d", i*7919)
		}
		b.Run(fmt.Sprint("table/", distinct), func(b *testing.B) {
			t := newTable(config[int64]{Options: Options{Partitions: 1, Sum: true, Distinct: distinct}})
			defer t.Close()
			for i := range b.N {
				t.emit(keys[i%distinct], 1)
			}
		})
		b.Run(fmt.Sprint("combine/", distinct), func(b *testing.B) {
			t := newTable(codec(config[int64]{Options: Options{Partitions: 1, Distinct: distinct}, combine: func(x, y int64) int64 { return x + y }}))
			defer t.Close()
			for i := range b.N {
				t.emit(keys[i%distinct], 1)
			}
		})
		b.Run(fmt.Sprint("map/", distinct), func(b *testing.B) {
			m := make(map[string]int64, distinct)
			for i := range b.N {
				m[string(keys[i%distinct])]++
			}
		})
	}
}
