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
		_, err = io.WriteString(f, files[i+1])
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
}

func TestZip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := io.WriteString(w, "packed\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "a.zip")
	zipFile(t, path, 0, "b/", "", "b/2", "two\n", "a", "one\n", "_x", "hidden\n", "b/.y/z", "hidden\n", "c.gz", packed.String(), "empty", "")
	src, err := Zip(path)
	require.NoError(t, err)
	var names []string
	for _, s := range src {
		names = append(names, s.Name())
		require.False(t, s.Splittable())
	}
	require.Equal(t, []string{path + "/a", path + "/b/2", path + "/c.gz", path + "/empty"}, names)
	for range 2 { // they serve several jobs
		var out Collected[[]byte]
		p, err := keepLines().Bind(Lines(src...), out.Output())
		require.NoError(t, err)
		_, err = RunLocal(t.Context(), p, LocalOptions{})
		require.NoError(t, err)
		lines, err := out.Records()
		require.NoError(t, err)
		require.Equal(t, [][]byte{[]byte("one"), []byte("two"), []byte("packed")}, lines)
	}
}

func TestZipRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.zip")
	zipFile(t, path, 0, "_x", "hidden\n")
	_, err := Zip(path)
	require.ErrorIs(t, err, input.ErrNoSources)
	zipFile(t, path, 1, "secret", "hidden\n")
	_, err = Zip(path)
	require.ErrorContains(t, err, "a.zip/secret: is encrypted")
	require.NoError(t, os.WriteFile(path, []byte("no archive"), 0o600))
	_, err = Zip(path)
	require.ErrorIs(t, err, fault.ErrCorruptInput)
	_, err = Zip(filepath.Join(dir, "none.zip"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotErrorIs(t, err, fault.ErrCorruptInput)

	zipFile(t, path, 0, "a", "some text\n")
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	damaged := bytes.Replace(whole, []byte("some"), []byte("sane"), 1)
	if bytes.Equal(whole, damaged) { // it is compressed
		damaged[len("PK")+30+3] ^= 0x10
	}
	require.NoError(t, os.WriteFile(path, damaged, 0o600))
	src, err := Zip(path)
	require.NoError(t, err)
	var out Collected[[]byte]
	p, err := keepLines().Bind(Lines(src...), out.Output())
	require.NoError(t, err)
	_, err = RunLocal(t.Context(), p, LocalOptions{})
	require.ErrorContains(t, err, "a.zip/a")
}
