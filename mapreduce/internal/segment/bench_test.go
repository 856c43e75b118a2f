package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

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
