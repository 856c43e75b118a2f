package mapreduce

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
)

// tree lists the files below dir with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[rel] = string(b)
		return err
	}))
	return files
}

func writePart(t *testing.T, c *committer, id AttemptID, text string) {
	t.Helper()
	w, err := c.open(id)
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.close())
}

func TestOneAttemptOfATaskIsCommitted(t *testing.T) {
	out := filepath.Join(t.TempDir(), "a", "out")
	c := newCommitter(Dir(out))
	require.NoError(t, c.setupJob())
	first, second := AttemptID{ReduceKind, 3, 0}, AttemptID{ReduceKind, 3, 1}
	writePart(t, c, first, "slow")
	writePart(t, c, second, "fast")
	writePart(t, c, AttemptID{ReduceKind, 0, 0}, "killed")
	require.NoError(t, c.commitTask(second))
	require.ErrorIs(t, c.commitTask(first), ErrCommitted)
	require.NoError(t, c.abortTask(first))
	require.NoError(t, c.abortTask(AttemptID{ReduceKind, 0, 0}))
	require.NoError(t, c.abortTask(second), "aborting what is committed does nothing")
	require.NoError(t, c.commitJob())
	require.Equal(t, map[string]string{"part-r-00003": "fast", "_SUCCESS": ""}, tree(t, out))
}

func TestAbortJobLeavesNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	c := newCommitter(Dir(out))
	require.NoError(t, c.setupJob())
	writePart(t, c, AttemptID{MapKind, 0, 0}, "part")
	require.NoError(t, c.commitTask(AttemptID{MapKind, 0, 0}))
	require.FileExists(t, filepath.Join(out, "part-m-00000"))
	require.NoError(t, c.abortJob())
	require.NoDirExists(t, out)
}

func TestExistingOutputIsRefusedAndKept(t *testing.T) {
	out := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(out, "precious"), []byte("x"), 0o600))
	c := newCommitter(Dir(out))
	require.ErrorIs(t, c.setupJob(), ErrOutputExists)
	require.NoError(t, c.abortJob())
	require.FileExists(t, filepath.Join(out, "precious"))
}

func TestUnwritableOutputFailsAtSetup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, newCommitter(Dir(filepath.Join(file, "out"))).setupJob())
}

func TestWriterSendsPartsInOrder(t *testing.T) {
	var b bytes.Buffer
	c := newCommitter(Writer("-", &b))
	require.NoError(t, c.setupJob())
	id := func(i int) AttemptID { return AttemptID{MapKind, i, 0} }
	large := strings.Repeat("x", holdLimit+holdLimit/2)
	writePart(t, c, id(2), "two ")
	writePart(t, c, id(1), large)
	writePart(t, c, id(0), "zero ")
	require.NoError(t, c.commitTask(id(2)))
	require.NoError(t, c.commitTask(id(1)))
	require.Zero(t, b.Len())
	require.NoError(t, c.commitTask(id(0)))
	require.Equal(t, "zero "+large+"two ", b.String(), "sent before the job ends")
	writePart(t, c, id(4), "never")
	require.NoError(t, c.commitTask(id(4)))
	require.Error(t, c.commitTask(id(5)))
	require.NoError(t, c.abortJob())
	require.Equal(t, len(large)+9, b.Len())
}

// failingWriter fails like a full disk or a closed pipe.
type failingWriter struct{}

var errFull = errors.New("no space left on device")

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

func TestFailingWriterFailsTheCommit(t *testing.T) {
	c := newCommitter(Writer("-", failingWriter{}))
	writePart(t, c, AttemptID{MapKind, 0, 0}, "text")
	require.ErrorIs(t, c.commitTask(AttemptID{MapKind, 0, 0}), errFull)
}

func TestCompressedPartsReadBack(t *testing.T) {
	for _, kind := range []Compression{NoCompression, Gzip, Zstd, S2} {
		parsed, err := ParseCompression(kind.String())
		require.NoError(t, err)
		require.Equal(t, kind, parsed)
		out := filepath.Join(t.TempDir(), "out")
		c := newCommitter(Dir(out).Compressed(kind))
		require.NoError(t, c.setupJob())
		id := AttemptID{ReduceKind, 0, 0}
		writePart(t, c, id, "one\ntwo\n")
		require.NoError(t, c.commitTask(id))
		src, err := File(filepath.Join(out, "part-r-00000"+kind.Extension()))
		require.NoError(t, err)
		require.Equal(t, []string{"one", "two"}, readAll(t, Lines(src), usualWindows(), 1<<20))
	}
	_, err := ParseCompression("rar")
	require.ErrorContains(t, err, "want none, gzip, zstd or s2")
}

func TestOutputInDFSIsInputOfTheNextJob(t *testing.T) {
	fsys, err := dfs.New(dfs.Config{Nodes: []dfs.Node{{ID: "a"}, {ID: "b"}}, BlockSize: 5})
	require.NoError(t, err)
	text := []byte("one\ntwo\nthree\nfour")
	p, err := keepLines().Bind(Lines(Bytes("text", text)), Text[[]byte](InDFS(fsys, "d/out")))
	require.NoError(t, err)
	runEngine(t, p, 0, p.BlocksOf(6), Resources{})
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
	runEngine(t, p, 0, func(i int) (list []Block) {
		blocks, err := fsys.Blocks(sources[i].Name())
		require.NoError(t, err)
		for _, b := range blocks {
			list = append(list, Block{Offset: b.Offset, Length: b.Length})
		}
		return list
	}, Resources{})
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
