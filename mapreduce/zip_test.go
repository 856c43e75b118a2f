package mapreduce

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
)

// zipFile writes an archive of files, in the order of names and contents.
func zipFile(t *testing.T, path string, flags uint16, files ...string) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Deflate, Flags: flags})
		require.NoError(t, err)
		must(io.WriteString(f, files[i+1]))(t)
	}
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
}

func TestZip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	must(io.WriteString(w, "packed\n"))(t)
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "a.zip")
	zipFile(t, path, 0, "b/", "", "b/2", "two\n", "a", "one\n", "_x", "hidden\n", "b/.y/z", "hidden\n", "c.gz", packed.String(), "empty", "")
	src := must(Zip(path))(t)
	var names []string
	for _, s := range src {
		names = append(names, s.Name())
		require.False(t, s.Splittable())
	}
	require.Equal(t, []string{path + "/a", path + "/b/2", path + "/c.gz", path + "/empty"}, names)
	for range 2 { // they serve several jobs
		lines := collected(t, keepLines().On(Lines(src...)))
		require.Equal(t, [][]byte{[]byte("one"), []byte("two"), []byte("packed")}, lines)
	}
}

func TestZipRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.zip")
	zipFile(t, path, 0, "_x", "hidden\n")
	require.ErrorIs(t, errorOf(Zip(path)), input.ErrNoSources)
	zipFile(t, path, 1, "secret", "hidden\n")
	require.ErrorContains(t, errorOf(Zip(path)), "a.zip/secret: is encrypted")
	require.NoError(t, os.WriteFile(path, []byte("no archive"), 0o600))
	require.ErrorIs(t, errorOf(Zip(path)), fault.ErrCorruptInput)
	_, err := Zip(filepath.Join(dir, "none.zip"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotErrorIs(t, err, fault.ErrCorruptInput)

	zipFile(t, path, 0, "a", "some text\n")
	whole := must(os.ReadFile(path))(t)
	damaged := bytes.Replace(whole, []byte("some"), []byte("sane"), 1)
	if bytes.Equal(whole, damaged) { // it is compressed
		damaged[len("PK")+30+3] ^= 0x10
	}
	require.NoError(t, os.WriteFile(path, damaged, 0o600))
	src := must(Zip(path))(t)
	p := must(keepLines().Bind(Lines(src...), unread[[]byte]()))(t)
	require.ErrorContains(t, errorOf(RunLocal(t.Context(), p, LocalOptions{})), "a.zip/a")
}
