package mapreduce

import (
	"context"
	"iter"
	"os"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// variant is one way to run one job.
type variant struct {
	reduces  int
	block    int64
	memory   int64 // budget in bytes; 0 means none
	identity bool  // no Reduce
	strings  bool  // string keys instead of []byte ones
	combine  string
	order    string // hash, total, custom
	down     bool
	compress Compression
}

func drawVariant(t *rapid.T) variant {
	return variant{
		reduces:  rapid.IntRange(1, 5).Draw(t, "reduces"),
		block:    int64(rapid.SampledFrom([]int{1, 3, 10, 100, 1 << 20}).Draw(t, "block")),
		memory:   int64(rapid.SampledFrom([]int{0, 0, 1, 1 << 12, 1 << 16}).Draw(t, "memory")),
		identity: rapid.Bool().Draw(t, "identity"),
		strings:  rapid.Bool().Draw(t, "strings"),
		combine:  rapid.SampledFrom([]string{"none", "combine", "sum"}).Draw(t, "combine"),
		order:    rapid.SampledFrom([]string{"hash", "total", "custom"}).Draw(t, "order"),
		down:     rapid.Bool().Draw(t, "down"),
		compress: Compression(rapid.IntRange(0, 3).Draw(t, "compress")),
	}
}

// plus is the Combine that Sum stands for.
func plus(a, b int64) int64 { return a + b }

// countJob is a word count over keys of type K.
func countJob[K []byte | string](v variant) Job[[]byte, K, int64, Pair[K, int64]] {
	j := Job[[]byte, K, int64, Pair[K, int64]]{
		Map: func(line []byte, emit func(K, int64)) error {
			scratch := make([]byte, 0, 8)
			for w := range Fields(line) {
				scratch = append(scratch[:0], w...) // emit must not keep it
				emit(K(scratch), 1)
			}
			return nil
		},
		Reduce: func(key K, values iter.Seq[int64], emit func(Pair[K, int64])) error {
			var n int64
			for x := range values {
				n += x
			}
			emit(MakePair(key, n))
			return nil
		},
		Descending: v.down,
		TotalOrder: v.order == "total",
		Reducers:   v.reduces,
	}
	if v.identity {
		j.Reduce = nil
	}
	switch v.combine {
	case "combine":
		j.Combine = plus
	case "sum":
		j.Sum = true
	}
	if v.order == "custom" {
		j.Partition = func(key K, reduces int) int { return len(key) % reduces }
	}
	return j
}

// outputs runs the plan by RunLocal or by the engine and returns what it wrote.
func outputs(t *rapid.T, dir string, v variant, local bool, bind func(Destination) (*Plan, error)) map[string]string {
	out := must(os.MkdirTemp(dir, "run"))(t)
	p := must(bind(Dir(out + "/out").Compressed(v.compress)))(t)
	if local {
		must(RunLocal(context.Background(), p, LocalOptions{Reduces: v.reduces}))(t)
	} else {
		res := cluster.Resources{SpillDir: out}
		if v.memory > 0 {
			res.Budget = cluster.NewMemory(v.memory).Sub()
		}
		engine(t, p, v.reduces, p.BlocksOf(v.block), res)
	}
	files := map[string]string{}
	entries := must(os.ReadDir(out + "/out"))(t)
	for _, e := range entries {
		b := must(os.ReadFile(out + "/out/" + e.Name()))(t)
		files[e.Name()] = string(b)
	}
	left := must(os.ReadDir(out))(t)
	require.Len(t, left, 1, "spill files left")
	return files
}

func drawText(t *rapid.T) []byte {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{
		"a", "b", "word", "longer than sixteen bytes", "\n", "\n", " ", "\x00", "\xff\xfe", "eightbyt", "eightbyte", "\r\n",
		strings.Repeat("long", 100),
	}), 0, 60).Draw(t, "words")
	return []byte(strings.Join(words, rapid.SampledFrom([]string{" ", ""}).Draw(t, "separator")))
}
