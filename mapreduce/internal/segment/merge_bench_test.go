//go:build unix

package segment

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// mergeInput returns one segment of each of n attempts, with records of teraText, in memory or in
// spill files.
func mergeInput(b *testing.B, text []byte, attempts int, pool *memory.Pool, spilled bool) []*Segment {
	b.Helper()
	var limit int64
	if spilled {
		limit = 1
	}
	budget, dir := memory.NewBudget(limit), b.TempDir()
	var segments []*Segment
	share := len(text) / 100 / attempts * 100
	for i := range attempts {
		s := NewSorter(Config{Partitions: 1, Budget: budget.Sub(), Pool: pool, SpillDir: dir})
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

// BenchmarkMerge is a reduce's merge of 16 MiB of records from n attempts: of segments in memory,
// which are sorted together; of spilled runs, read at the same time; and of more runs than can be
// read at the same time. Next returns the records, WriteTo writes them.
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
				dir := b.TempDir()
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					m := NewMerge(MergeConfig{Pool: pool, SpillDir: dir, FanIn: c.fanIn}, segments)
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
