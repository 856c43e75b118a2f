package actors

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Neighboring small files that are on all nodes share splits and blocks. A large file between them
// has its own.
func TestSmallFilesShareBlocks(t *testing.T) {
	c := start(t, Config{Nodes: 2, Replication: 2, BlockSize: 1 << 20})
	var sources []mapreduce.Source
	for i := range 500 {
		text := fmt.Appendf(nil, "word%d\n", i%7)
		if i == 250 {
			text = make([]byte, 2<<20+1)
		}
		if i == 300 {
			text = nil
		}
		sources = append(sources, mapreduce.Bytes(fmt.Sprint("f", i), text))
	}
	job := mapreduce.MapOnly[[]byte, string]{Map: func(rec []byte, emit func(string)) error { return nil }}
	p, err := job.Bind(mapreduce.Lines(sources...), mapreduce.Text[string](mapreduce.Writer("-", io.Discard)))
	require.NoError(t, err)
	r := newRun(c.env, p, "u", "_jobs/test")
	require.NoError(t, c.prepare(t.Context(), r, SubmitOptions{}))
	defer func() { require.NoError(t, c.env.fs.Remove(r.input)) }()
	entries, err := c.env.fs.ReadDir(r.input)
	require.NoError(t, err)
	require.Less(t, len(entries), 20)
	require.Less(t, len(r.splits), 25)
	at, large := 0, 0
	for _, s := range r.splits {
		if s.Source == 250 {
			at, large = 251, large+1
			require.Zero(t, s.Files*(s.Files-1))
			continue
		}
		require.Equal(t, at, s.Source, "in order, none left out")
		require.Positive(t, s.Files)
		require.Len(t, s.Hosts, 2)
		at += s.Files
	}
	require.Equal(t, 3, large)
	require.Equal(t, 500, at)
}

// splitTail cuts the last blocks into pieces that cover the input without gaps, each with the hosts
// of its block. The blocks before them stay whole.
func TestSplitTailCoversTheInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var blocks []cluster.Block
		var at int64
		for _, n := range rapid.SliceOfN(rapid.Int64Range(1, 9), 0, 8).Draw(t, "lengths") {
			blocks = append(blocks, cluster.Block{Offset: at, Length: n, Hosts: []string{string(rune('a' + at))}})
			at += n
		}
		tail := rapid.IntRange(0, 9).Draw(t, "tail")
		pieces := rapid.Int64Range(1, 8).Draw(t, "pieces")
		got := splitTail(blocks, tail, pieces)
		whole := max(0, len(blocks)-tail)
		require.Equal(t, blocks[:whole], got[:whole])
		var end int64
		for _, b := range got {
			require.Equal(t, end, b.Offset)
			require.Positive(t, b.Length)
			end += b.Length
			for _, old := range blocks {
				if old.Offset <= b.Offset && b.Offset < old.Offset+old.Length {
					require.Equal(t, old.Hosts, b.Hosts)
					require.LessOrEqual(t, end, old.Offset+old.Length)
				}
			}
		}
		require.Equal(t, at, end)
		require.LessOrEqual(t, len(got), whole+int(pieces)*(len(blocks)-whole))
	})
}
