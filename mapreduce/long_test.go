package mapreduce

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// TestLongLine takes a line of 100 MB, and a word of that size, through a sort
// and a word count over a mapped file with small blocks.
func TestLongLine(t *testing.T) {
	size := 5 << 20
	if os.Getenv("LONG_TESTS") != "" {
		size = 100 << 20
	}
	text := append(bytes.Repeat([]byte("x"), size), "\nb c\na\n\x00"...)
	path := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	source := func() Source { src := must(File(path))(t); return src }
	for _, memory := range []int64{0, 1 << 20} {
		res := cluster.Resources{SpillDir: t.TempDir()}
		if memory > 0 {
			res.Budget = cluster.NewMemory(memory).Sub()
		}
		var lines bytes.Buffer
		sort := Job[[]byte, []byte, None, Pair[[]byte, None]]{
			Map: func(line []byte, emit func([]byte, None)) error {
				emit(line, None{})
				return nil
			},
			TotalOrder: true,
		}
		p := must(sort.Bind(Lines(source()), Text[Pair[[]byte, None]](Writer("-", &lines))))(t)
		runEngine(t, p, 2, p.BlocksOf(1<<20), res)
		require.True(t, bytes.Equal(append([]byte("\x00\na\nb c\n"), text[:size+1]...), lines.Bytes()))

		var words bytes.Buffer
		p = must(countJob[[]byte](variant{reduces: 1, combine: "sum"}).Bind(Lines(source()),
			Text[Pair[[]byte, int64]](Writer("-", &words))))(t)
		runEngine(t, p, 1, p.BlocksOf(1<<20), res)
		want := append([]byte("\x00\t1\na\t1\nb\t1\nc\t1\n"), text[:size]...)
		require.True(t, bytes.Equal(append(want, "\t1\n"...), words.Bytes()))
	}
	var out bytes.Buffer
	p := must(keepLines().Bind(Chunks(source()), Raw[[]byte](Writer("-", &out))))(t)
	must(RunLocal(context.Background(), p, LocalOptions{Blocks: p.BlocksOf(1 << 20)}))(t)
	require.True(t, bytes.Equal(text, out.Bytes()))
}
