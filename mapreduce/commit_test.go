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

// tree lists the files below dir with their contents.
func TestCompressedPartsReadBack(t *testing.T) {
	for _, kind := range []Compression{NoCompression, Gzip, Zstd, S2} {
		var parsed Compression
		err := parsed.UnmarshalText([]byte(kind.String()))
		require.NoError(t, err)
		require.Equal(t, kind, parsed)
		out := filepath.Join(t.TempDir(), "out")
		c := output.NewCommitter(Dir(out).Compressed(kind))
		require.NoError(t, c.SetupJob())
		id := AttemptID{Kind: attempt.Reduce, Index: 0, Try: 0}
		putPart(t, c, id, "one\ntwo\n")
		require.NoError(t, c.CommitTask(id))
		src, err := File(filepath.Join(out, "part-r-00000"+kind.Extension()))
		require.NoError(t, err)
		require.Equal(t, []string{"one", "two"}, readAll(t, Lines(src), read.UsualWindows(), 1<<20))
	}
	err := new(Compression).UnmarshalText([]byte("rar"))
	require.ErrorContains(t, err, "want none, gzip, zstd or s2")
}

func TestOutputInDFSIsInputOfTheNextJob(t *testing.T) {
	fsys, err := dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}, {ID: "b"}}, BlockSize: 5})
	require.NoError(t, err)
	text := []byte("one\ntwo\nthree\nfour")
	p, err := keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](InDFS(fsys, "d/out")))
	require.NoError(t, err)
	runEngine(t, p, 0, p.BlocksOf(6), cluster.Resources{})
	p, err = keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](InDFS(fsys, "d/out")))
	require.NoError(t, err)
	require.ErrorIs(t, p.SetupJob(), ErrOutputExists)

	entries, err := fsys.ReadDir("d/out")
	require.NoError(t, err)
	var sources []Source
	for _, e := range entries {
		if e.Name() == "_SUCCESS" {
			continue
		}
		data, err := fsys.OpenSource("d/out/" + e.Name())
		require.NoError(t, err)
		src, err := Stored(data)
		require.NoError(t, err)
		sources = append(sources, src)
	}
	require.Len(t, sources, 3)
	var out Collected[[]byte]
	p, err = keepLines().Bind(Lines(sources...), out.Output())
	require.NoError(t, err)
	runEngine(t, p, 0, func(i int) (list []cluster.Block) {
		blocks, err := fsys.Blocks(sources[i].Name())
		require.NoError(t, err)
		for _, b := range blocks {
			list = append(list, cluster.Block{Offset: b.Offset, Length: b.Length})
		}
		return list
	}, cluster.Resources{})
	records, err := out.Records()
	require.NoError(t, err)
	require.Equal(t, "one two three four", string(bytes.Join(records, []byte(" "))))

	p, err = keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](InDFS(fsys, "e")))
	require.NoError(t, err)
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.AbortJob())
	_, err = fsys.Stat("e")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// putPart writes the part of an attempt.
func putPart(t *testing.T, c *output.Committer, id AttemptID, text string) {
	t.Helper()
	w, err := c.Open(id)
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
}
