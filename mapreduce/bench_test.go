package mapreduce

import (
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/cputime"
	"github.com/tarry-mr/tarry/internal/gen"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// benchWords counts the words of chunks.
func benchWords(src Source, d Destination) (*Plan, error) {
	j := Job[[]byte, []byte, int64, Pair[[]byte, int64]]{Map: fieldWords, Sum: true}
	j.Reduce = func(word []byte, counts iter.Seq[int64], emit func(Pair[[]byte, int64])) error {
		var n int64
		for c := range counts {
			n += c
		}
		emit(MakePair(word, n))
		return nil
	}
	return j.Bind(Chunks(src), Text[Pair[[]byte, int64]](d))
}

func fieldWords(text []byte, emit func([]byte, int64)) error {
	for w := range Fields(text) {
		emit(w, 1)
	}
	return nil
}

func BenchmarkWordCountChunks(b *testing.B) {
	benchJob(b, gen.Text, 0, benchWords)
}

func BenchmarkTeraSort(b *testing.B) { benchJob(b, gen.Tera, 0, benchTera) }

func BenchmarkTeraSortSpilling(b *testing.B) { benchJob(b, gen.Tera, 0.5, benchTera) }

func BenchmarkWordCountSpilling(b *testing.B) {
	benchJob(b, gen.Text, 0.25, benchWords)
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
		return sorting[[]byte](0).Bind(Lines(src), Text[Pair[[]byte, None]](d))
	})
}

// BenchmarkTinyJob measures the binding and the whole run of a job over one line.
func BenchmarkTinyJob(b *testing.B) {
	pool := cluster.NewBuffers(nil, 64<<20)
	defer pool.Close()
	b.ReportAllocs()
	for b.Loop() {
		p := must(benchWords(Bytes("text", []byte("to be or not to be\n")), Writer("-", io.Discard)))(b)
		engine(b, p, 1, nil, cluster.Resources{Pool: pool})
	}
}

// benchInput generates a file of 64 MiB, or of TARRY_BENCH_MIB, in TMPDIR and returns its path.
func benchInput(b *testing.B, kind gen.Kind) string {
	b.Helper()
	size := int64(64)
	if s := os.Getenv("TARRY_BENCH_MIB"); s != "" {
		size = must(strconv.ParseInt(s, 10, 64))(b)
	}
	path := filepath.Join(b.TempDir(), string(kind))
	config := gen.Config{Kind: kind, Bytes: size << 20, Seed: 1}
	require.NoError(b, gen.WriteFile(context.Background(), path, config, false))
	return path
}

// benchJob measures a job over a generated file, one attempt after the other. If share is not 0,
// the memory budget is that fraction of the file's size.
func benchJob(b *testing.B, kind gen.Kind, share float64, bind func(src Source, d Destination) (*Plan, error)) {
	b.Helper()
	path := benchInput(b, kind)
	size := must(os.Stat(path))(b).Size()
	var memory *cluster.Memory
	if share > 0 {
		memory = cluster.NewMemory(int64(share * float64(size)))
	}
	pool := cluster.NewBuffers(memory, 4<<30)
	defer pool.Close()
	b.SetBytes(size)
	b.ReportAllocs()
	before := cputime.Used()
	var spilled int64
	for b.Loop() {
		dir := b.TempDir()
		p := must(bind(must(File(path))(b), Dir(dir+"/out")))(b)
		budget := memory.Sub()
		res := cluster.Resources{Budget: budget, Pool: pool, SpillDir: dir}
		spilled = engine(b, p, 2, p.BlocksOf(32<<20), res).Get(counter.FileBytesWritten)
		budget.Close()
		require.NoError(b, os.RemoveAll(dir))
	}
	b.ReportMetric(float64(spilled)/(1<<20), "spilled-MiB/op")
	b.ReportMetric((cputime.Used()-before).Seconds()/float64(b.N), "cpu-s/op")
}
