//go:build unix

package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// benchText returns the file of 100-byte records that TARRY_BENCH_TERA names, or 100 MiB of them.
func benchText(b *testing.B) []byte {
	if name := os.Getenv("TARRY_BENCH_TERA"); name != "" {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		return text
	}
	return teraText(1 << 20)
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

// teraText returns n records of 100 bytes with random 10-byte keys of printable ASCII.
func teraText(n int) []byte {
	rng := rand.New(rand.NewPCG(7, 7))
	b := bytes.Repeat([]byte("          0123456789abcdef0123456789abcdef0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW\n"), n)
	b = b[:n*100]
	for i := range n {
		for j := range 10 {
			b[i*100+j] = byte(' ' + rng.IntN(95))
		}
		b[i*100+99] = '\n'
	}
	return b
}

// teraSort runs maps over blocks of text and two reduces, two at a time.
func teraSort(b *testing.B, text []byte, maps int, root *memory.Budget, pool *memory.Pool, dir string,
	w []io.Writer,
) Stats {
	const reduces = 2
	block := len(text) / 100 / maps * 100
	segments := make([][]*Segment, maps)
	var mu sync.Mutex
	var total Stats
	parallel(maps, func(i int) {
		budget := root.Sub()
		defer budget.Close()
		s := NewSorter(Config{Partitions: reduces, Budget: budget, Pool: pool, SpillDir: dir})
		chunk := text[i*block:]
		if i < maps-1 {
			chunk = chunk[:block]
		}
		s.Pin(chunk, nil)
		for r := chunk; len(r) >= 100; r = r[100:] {
			p := 0
			if r[0] > 79 {
				p = 1
			}
			if err := s.Add(p, r[:10:10], r[:100:100]); err != nil {
				b.Error(err)
			}
		}
		out, stats, err := s.Finish()
		if err != nil {
			b.Error(err)
		}
		mu.Lock()
		total.SpilledRecords += stats.SpilledRecords
		total.FileBytes += stats.FileBytes
		mu.Unlock()
		segments[i] = out
	})
	parallel(reduces, func(p int) {
		var in []*Segment
		for _, s := range segments {
			in = append(in, s[p])
		}
		budget := root.Sub()
		defer budget.Close()
		m := NewMerge(MergeConfig{Budget: budget, Pool: pool, SpillDir: dir}, in)
		if _, _, err := m.WriteTo(w[p], Layout{Value: true}); err != nil {
			b.Error(err)
		}
		m.Close()
		for _, s := range in {
			s.Release()
		}
	})
	return total
}

// outputs returns two writers, to new files in dir or to nowhere, and a function that closes and
// removes them.
func outputs(b *testing.B, dir string, files bool) (out []io.Writer, done func()) {
	if !files {
		return []io.Writer{io.Discard, io.Discard}, func() {}
	}
	var made []*os.File
	for range 2 {
		f, err := os.CreateTemp(dir, "part-")
		if err != nil {
			b.Fatal(err)
		}
		made, out = append(made, f), append(out, f)
	}
	return out, func() {
		for _, f := range made {
			if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
				b.Fatal(err)
			}
		}
	}
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

func BenchmarkTeraSort(b *testing.B) {
	text := benchText(b)
	for _, c := range []struct {
		name  string
		share int64 // the budget is the input's size divided by it; 0: no limit
		maps  int
		files bool
	}{{"memory", 0, 16, false}, {"files", 0, 16, true}, {"spill", 3, 16, true}, {"spillmore", 8, 64, true}} {
		b.Run(c.name, func(b *testing.B) {
			limit := int64(0)
			if c.share > 0 {
				limit = int64(len(text)) / c.share
			}
			root := memory.NewBudget(limit)
			pool := memory.NewPool(root, 1<<30)
			defer pool.Close()
			dir := b.TempDir()
			b.SetBytes(int64(len(text)))
			cpu := cpuTime(b)
			var s Stats
			for b.Loop() {
				out, done := outputs(b, dir, c.files)
				s = teraSort(b, text, c.maps, root, pool, dir, out)
				done()
			}
			n := float64(len(text) / 100)
			b.ReportMetric(float64(s.SpilledRecords)/n, "spilled")
			b.ReportMetric(float64(cpuTime(b)-cpu)/float64(b.N)/n, "cpu-ns/record")
			b.ReportMetric(float64(root.Peak())/(1<<20), "peak-MiB")
		})
	}
}

// BenchmarkSmallJob is the engine's part of a job of ten records.
func BenchmarkSmallJob(b *testing.B) {
	root := memory.NewBudget(1 << 30)
	pool := memory.NewPool(root, 1<<20)
	key := []byte("key 0")
	b.ReportAllocs()
	for b.Loop() {
		s := NewSorter(Config{Partitions: 1, Budget: root, Pool: pool})
		for i := range byte(10) {
			key[4] = '0' + i*7%10
			if err := s.Add(0, key, key); err != nil {
				b.Fatal(err)
			}
		}
		segments, _, err := s.Finish()
		if err != nil {
			b.Fatal(err)
		}
		m := NewMerge(MergeConfig{Budget: root, Pool: pool}, segments)
		if n, _, err := m.WriteTo(io.Discard, Layout{Key: true}); n != 10 || err != nil {
			b.Fatal(n, err)
		}
		m.Close()
		segments[0].Release()
	}
}

// BenchmarkSortEntries compares the radix sort with the sort that it replaces.
func BenchmarkSortEntries(b *testing.B) {
	const n = 1 << 20
	text := teraText(n)
	entries := make([]entry, n)
	for i := range entries {
		at := uint32(i * 100)
		entries[i] = entry{prefix: binary.BigEndian.Uint64(text[at:]), key: at, value: at, vlen: 100, klen: 10}
	}
	g := regions{text}
	b.Run("radix", func(b *testing.B) {
		pool := memory.NewPool(nil, 256<<20)
		l, s := &list{}, newStore(nil, pool)
		s.regions = regions{text}
		for i := range entries {
			l.push(s, &entries[i], firstBlock, true)
		}
		all := l.whole()
		for b.Loop() {
			var c collector
			c.add(&all, 0)
			slab := pool.Get(n * entrySize)
			c.sortInto(g, pool, slab)
			pool.Put(slab)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
	})
	b.Run("slices", func(b *testing.B) {
		for b.Loop() {
			c := slices.Clone(entries)
			slices.SortFunc(c, func(x, y entry) int {
				if d := cmp.Compare(x.prefix, y.prefix); d != 0 {
					return d
				}
				return bytes.Compare(g.key(&x), g.key(&y))
			})
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
	})
}

// BenchmarkSortLines sorts the lines of the file that TARRY_BENCH_TEXT names,
// or of words in 8 MiB, by one map and one reduce.
func BenchmarkSortLines(b *testing.B) {
	text := bytes.Repeat([]byte("some lines\nrepeat and\nothers do\nnot, if one looks closely\n"), 1<<17)
	rng := rand.New(rand.NewPCG(3, 3))
	for i := 0; i < len(text); i += 1 + rng.IntN(60) {
		if text[i] != '\n' {
			text[i] = byte('a' + rng.IntN(26))
		}
	}
	if name := os.Getenv("TARRY_BENCH_TEXT"); name != "" {
		var err error
		if text, err = os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
	}
	pool := memory.NewPool(nil, 1<<30)
	defer pool.Close()
	b.SetBytes(int64(len(text)))
	cpu := cpuTime(b)
	for b.Loop() {
		s := NewSorter(Config{Partitions: 1, Pool: pool})
		s.Pin(text, nil)
		for rest := text; len(rest) > 0; {
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				break
			}
			if err := s.Add(0, rest[:n:n], nil); err != nil {
				b.Fatal(err)
			}
			rest = rest[n+1:]
		}
		segments, _, err := s.Finish()
		if err != nil {
			b.Fatal(err)
		}
		m := NewMerge(MergeConfig{Pool: pool}, segments)
		if _, _, err := m.WriteTo(io.Discard, Layout{Key: true, End: []byte("\n")}); err != nil {
			b.Fatal(err)
		}
		m.Close()
		segments[0].Release()
	}
	b.ReportMetric(float64(cpuTime(b)-cpu)/float64(b.N)/1e9, "cpu-s")
}
