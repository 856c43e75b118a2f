package combine

import (
	"fmt"
	"testing"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// BenchmarkPack is the end of a map attempt with 500,000 distinct keys, half of them
// too long for a cell: its table becomes one packed segment for each of 16 reduces.
func BenchmarkPack(b *testing.B) {
	const distinct = 500_000
	pool := memory.NewPool(nil, 1<<30)
	defer pool.Close()
	t := newTable(config[int64]{Options: Options{Partitions: 16, Sum: true, Pool: pool, Distinct: distinct}})
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
