package combine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// BenchmarkEmit measures emits of one goroutine, over a vocabulary of few words and of many.
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
			t := newTable(withJSON(config[int64]{Options: Options{Partitions: 1, Distinct: distinct}, combine: func(x, y int64) int64 { return x + y }}))
			defer t.Close()
			for i := range b.N {
				t.emit(keys[i%distinct], 1)
			}
		})
	}
}

// BenchmarkMerge measures the merge of 8 maps; each has half of 400,000 keys of 3 to 12 bytes.
func BenchmarkMerge(b *testing.B) {
	const distinct, maps = 400_000, 8
	pool := memory.NewPool(nil, 1<<30)
	defer pool.Close()
	r := rand.New(rand.NewPCG(1, 2))
	keys := make([][]byte, distinct)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "%c%c%x", 'a'+r.IntN(26), 'a'+r.IntN(26), r.Uint64()>>(28+r.IntN(36)))
	}
	var list []*Segment
	for range maps {
		t := newTable(config[int64]{Options: Options{Partitions: 1, Sum: true, Resources: segment.Resources{Pool: pool}}})
		for _, i := range r.Perm(distinct)[:distinct/2] {
			t.emit(keys[i], 1)
		}
		s, _, err := t.Finish()
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, s[0])
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		m := newMerge(config[int64]{Options: Options{Sum: true, Resources: segment.Resources{Pool: pool}}}, list)
		n = 0
		for _, _, ok := m.Next(); ok; _, _, ok = m.Next() {
			n++
		}
		m.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
}

// BenchmarkPack measures the end of a map attempt: 500,000 distinct keys, half of them too long for
// a cell, become a packed segment for each of 16 reduces.
func BenchmarkPack(b *testing.B) {
	const distinct = 500_000
	pool := memory.NewPool(nil, 1<<30)
	defer pool.Close()
	t := newTable(config[int64]{Options: Options{Partitions: 16, Sum: true, Resources: segment.Resources{Pool: pool}, Distinct: distinct}})
	defer t.Close()
	for i := range distinct {
		t.emit(fmt.Appendf(nil, "k%d%s", i*7919%distinct, "/of/a/longer/one"[:i%2*16]), 1)
	}
	t.acc.flush()
	t.acc.flushLong()
	b.ReportAllocs()
	for b.Loop() {
		d := t.acc.pack(t.acc.keys())
		for _, s := range d.slabs {
			pool.Put(s)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/distinct, "ns/key")
}
