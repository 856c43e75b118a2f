package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// teraText returns n records of 100 bytes, with random keys of 10 printable characters.
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

// BenchmarkSortEntries measures the radix sort of entries.
func BenchmarkSortEntries(b *testing.B) {
	const n = 1 << 20
	text := teraText(n)
	entries := make([]entry, n)
	for i := range entries {
		at := uint32(i * 100)
		entries[i] = entry{prefix: binary.BigEndian.Uint64(text[at:]), key: at, value: at, vlen: 100, klen: 10}
	}
	pool := memory.NewPool(nil, 256<<20)
	l, s := &list{}, newStore(nil, pool)
	s.regions = regions{text}
	for i := range entries {
		l.push(s, &entries[i], firstBlock, true)
	}
	all := l.whole()
	for b.Loop() {
		slab := pool.Get(n * entrySize)
		memorySource([]run{{store: s, entries: all}}, pool, slab)
		pool.Put(slab)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
}

// mergeInput returns one segment of each of n map attempts, with records of text, in memory or
// spilled.
func mergeInput(b *testing.B, text []byte, attempts int, pool *memory.Pool, spilled bool) []*Segment {
	b.Helper()
	var limit int64
	if spilled {
		limit = 1
	}
	budget, files := memory.NewBudget(limit), NewFiles(b.TempDir())
	var segments []*Segment
	share := len(text) / 100 / attempts * 100
	for i := range attempts {
		s := NewSorter(Config{Resources: Resources{budget.Sub(), pool, files}, Partitions: 1})
		s.minStore = 1 << 40 // one run an attempt
		for r := text[i*share : (i+1)*share]; len(r) > 0; r = r[100:] {
			require.NoError(b, s.Add(0, r[:10], r[10:100]))
		}
		out, stats, err := s.Finish()
		require.NoError(b, err)
		require.Equal(b, spilled, stats.Spills == 1)
		segments = append(segments, out[0])
	}
	b.Cleanup(func() {
		for _, s := range segments {
			s.Release()
		}
	})
	return segments
}

// BenchmarkMerge measures a reduce's merge of 16 MiB from many attempts. Segments are in memory and
// sorted together, spilled and read at once, or spilled and too many for that. Next returns each
// record, WriteTo writes all.
func BenchmarkMerge(b *testing.B) {
	const records = 16 << 20 / 100
	text := teraText(records)
	for _, c := range []struct {
		name     string
		attempts int
		spilled  bool
		fanIn    int
	}{
		{"memory/4", 4, false, 0},
		{"memory/64", 64, false, 0},
		{"spilled/4", 4, true, 0},
		{"spilled/64", 64, true, 0},
		{"passes/64by8", 64, true, 8},
	} {
		pool := memory.NewPool(nil, 256<<20)
		segments := mergeInput(b, text, c.attempts, pool, c.spilled)
		run := func(name string, drain func(m *Merge) (int64, error)) {
			b.Run(fmt.Sprint(c.name, "/", name), func(b *testing.B) {
				res := Resources{Pool: pool, Files: NewFiles(b.TempDir())}
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					m := NewMerge(MergeConfig{Resources: res, FanIn: c.fanIn}, segments)
					n, err := drain(m)
					m.Close()
					require.NoError(b, err)
					require.EqualValues(b, records/c.attempts*c.attempts, n)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
			})
		}
		run("next", func(m *Merge) (n int64, err error) {
			for _, _, ok := m.Next(); ok; _, _, ok = m.Next() {
				n++
			}
			return n, m.Err()
		})
		run("write", func(m *Merge) (int64, error) {
			n, _, err := m.WriteTo(io.Discard, Layout{Key: true, Value: true})
			return n, err
		})
		pool.Close()
	}
}
