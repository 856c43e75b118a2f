package combine

import (
	"fmt"
	"testing"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/scan"
)

func emitFields(t *table[int64], text []byte) {
	emit := emitterOf[[]byte](t, t.PutBytes)
	scan.Fields(text, func(w []byte) bool { emit(w, 1); return true })
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
