package combine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// BenchmarkMerge is a reduce over 8 maps; each map has half of 400,000 keys of 3 to 12 bytes.
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
		t := newTable(config[int64]{Options: Options{Partitions: 1, Sum: true, Pool: pool}})
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
		m := newMerge(config[int64]{Options: Options{Sum: true, Pool: pool}}, list)
		n = 0
		for _, _, ok := m.Next(); ok; _, _, ok = m.Next() {
			n++
		}
		m.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
}
