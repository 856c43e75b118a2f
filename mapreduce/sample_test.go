package mapreduce

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
)

// TestSampleOfLongKeys: the ranges of a total order store only prefixes of long keys, and still
// divide them.
func TestSampleOfLongKeys(t *testing.T) {
	var text []byte
	for i := range 200 {
		text = append(append(text, byte('a'+i%20)), bytes.Repeat([]byte("x"), 100_000)...)
		text = append(text, '\n')
	}
	var parts [4]int
	job := Job[[]byte, []byte, None, Pair[[]byte, None]]{
		Map:        func(line []byte, emit func([]byte, None)) error { emit(line, None{}); return nil },
		TotalOrder: true, Reducers: len(parts),
	}
	key := must(codec.Key[[]byte](false, ""))(t)
	in := Lines(Bytes("lines", text))
	b := &boundJob{jobFacts: jobFacts{ordered: true}, key: key.Placed}
	b.typed = &typedJob[[]byte, []byte, None, Pair[[]byte, None]]{job: &job, in: in.bare(), watch: &b.State}
	p := &cluster.Bound{Sources: in.sources, Inputs: in.bySource(), Reduces: len(parts)}
	require.NoError(t, b.Prepare(context.Background(), p))
	find := b.partitioner(len(parts))
	for line := range bytes.Lines(text) {
		parts[find(bytes.TrimSuffix(line, []byte("\n")))]++
	}
	for _, n := range parts {
		require.InDelta(t, 50, n, 20)
	}
	s := &sampler{bound: b, ctx: context.Background(), p: p}
	require.NoError(t, s.sample(in.sources[0], cluster.Split{Length: int64(len(text))}))
	require.NotEmpty(t, s.keys)
	for _, k := range s.keys {
		require.LessOrEqual(t, cap(k), 2*maxBoundBytes)
	}
}
