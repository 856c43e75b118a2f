package mapreduce

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// TestCompressedPartsReadBack: a part is read back by its extension, whatever its compression.
func TestCompressedPartsReadBack(t *testing.T) {
	for _, kind := range []Compression{NoCompression, Gzip, Zstd, S2} {
		var parsed Compression
		require.NoError(t, parsed.UnmarshalText([]byte(kind.String())))
		require.Equal(t, kind, parsed)
		out := filepath.Join(t.TempDir(), "out")
		c := output.NewCommitter(Dir(out).Compressed(kind))
		require.NoError(t, c.SetupJob())
		id := AttemptID{Kind: attempt.Reduce, Index: 0, Try: 0}
		putPart(t, c, id, "one\ntwo\n")
		require.NoError(t, c.CommitTask(id))
		src := must(File(filepath.Join(out, "part-r-00000"+kind.Extension())))(t)
		require.Equal(t, []string{"one", "two"}, readAll(t, Lines(src), read.UsualWindows(), 1<<20))
	}
	err := new(Compression).UnmarshalText([]byte("rar"))
	require.ErrorContains(t, err, "want none, gzip, zstd or s2")
}

func TestOutputInDFSIsInputOfTheNextJob(t *testing.T) {
	fsys := must(dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}, {ID: "b"}}, BlockSize: 5}))(t)
	text := []byte("one\ntwo\nthree\nfour")
	p := must(keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](InDFS(fsys, "d/out"))))(t)
	runEngine(t, p, 0, p.BlocksOf(6), cluster.Resources{})
	p = must(keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](InDFS(fsys, "d/out"))))(t)
	require.ErrorIs(t, p.SetupJob(), ErrOutputExists)

	entries := must(fsys.ReadDir("d/out"))(t)
	var sources []Source
	for _, e := range entries {
		if e.Name() == "_SUCCESS" {
			continue
		}
		data := must(fsys.OpenSource("d/out/" + e.Name()))(t)
		src := must(Stored(data))(t)
		sources = append(sources, src)
	}
	require.Len(t, sources, 3)
	var out Collected[[]byte]
	p = must(keepLines().Bind(Lines(sources...), out.Output()))(t)
	runEngine(t, p, 0, func(i int) (list []cluster.Block) {
		blocks := must(fsys.Blocks(sources[i].Name()))(t)
		for _, b := range blocks {
			list = append(list, cluster.Block{Offset: b.Offset, Length: b.Length})
		}
		return list
	}, cluster.Resources{})
	require.Equal(t, "one two three four", string(bytes.Join(must(out.Records())(t), []byte(" "))))

	p = must(keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](InDFS(fsys, "e"))))(t)
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.AbortJob())
	require.ErrorIs(t, errorOf(fsys.Stat("e")), os.ErrNotExist)
}

// putPart writes the part of an attempt.
func putPart(t *testing.T, c *output.Committer, id AttemptID, text string) {
	t.Helper()
	w := must(c.Open(id))(t)
	must(io.WriteString(w, text))(t)
	require.NoError(t, w.Close())
}
