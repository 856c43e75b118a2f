package mapreduce

import (
	"io"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

func benchWords(lines bool, words func(text []byte, emit func([]byte, int64)) error, sum bool,
) func(Source, Destination) (*Plan, error) {
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
			j.Combine = plus
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

func BenchmarkWordCountChunks(b *testing.B) {
	benchJob(b, gen.Text, 0, benchWords(false, fieldWords, true))
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

// BenchmarkTinyJob binds and runs a job of a few words, from start to end.
func BenchmarkTinyJob(b *testing.B) {
	pool := cluster.NewBuffers(nil, 64<<20)
	defer pool.Close()
	b.ReportAllocs()
	bind := benchWords(false, fieldWords, true)
	for b.Loop() {
		p, err := bind(Bytes("text", []byte("to be or not to be\n")), Writer("-", io.Discard))
		require.NoError(b, err)
		engine(b, p, 1, nil, cluster.Resources{Pool: pool})
	}
}
