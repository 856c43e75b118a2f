package mapreduce_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Files as xz writes them, in base64: xzipped is "hello\nworld\n", xzEmpty is an empty file, xzWide
// needs a window of 512 MiB.
const (
	xzipped = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQALaGVsbG8Kd29ybGQKAIfGznfORiuuAAEkDKYY2NgftvN9AQAAAAAEWVo="
	xzEmpty = "/Td6WFoAAATm1rRGAAAAABzfRCEftvN9AQAAAAAEWVo="
	xzWide  = "/Td6WFoAAATm1rRGAgAhASIAAACCQKzcAQALaGVsbG8Kd29ybGQKAIfGznfORiuuAAEkDKYY2NgftvN9AQAAAAAEWVo="
)

// bzipped is "hello\nworld\n" as bzip2 packs it.
const bzipped = "QlpoOTFBWSZTWWtfsd0AAAJBgAAQBkSQgCAAMQwIIaNpCAcjroeLuSKcKEg1r9jugA=="

// packed returns a text compressed by c.
func packed(t require.TestingT, c Compression, text string) []byte {
	var b bytes.Buffer
	w := must(output.Compress(&b, c))(t)
	must(io.WriteString(w, text))(t)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestPackedInputIsReadByExtension(t *testing.T) {
	const text = "hello\nworld\n"
	files := map[string][]byte{"t.txt": []byte(text), "empty.gz": nil}
	for _, c := range []Compression{Gzip, Zstd, S2} {
		files["t"+c.Extension()] = packed(t, c, text)
		files["t"+strings.ToUpper(c.Extension())] = packed(t, c, text)
	}
	files["t.bz2"], files["t.xz"] = unbase64(t, bzipped), unbase64(t, xzipped)
	files["two.gz"] = append(bytes.Clone(files["t.gz"]), files["t.gz"]...) // two members
	for name, data := range files {
		src := must(Stored(dfs.Bytes(name, data)))(t)
		require.Equal(t, name == "t.txt", src.Splittable())
		got := readAll(t, Lines(src), tiny(4, 2, 8), 3)
		want := []string{"hello", "world"}
		switch name {
		case "empty.gz":
			want = nil
		case "two.gz":
			want = append(want, want...)
		}
		require.Equal(t, want, got, name)
	}
}

func TestDamagedInputIsAClearError(t *testing.T) {
	_, err := linesOf(".gz", []byte("plain text"))
	require.ErrorIs(t, err, fault.ErrCorruptInput)
	require.ErrorContains(t, err, "the-file.gz: named .gz but does not begin with its signature")
	whole := packed(t, Gzip, strings.Repeat("some text\n", 1000))
	for _, n := range []int{5, len(whole) / 2, len(whole) - 1} {
		_, err = linesOf(".gz", whole[:n])
		require.Equal(t, 1, strings.Count(err.Error(), "EOF"), "said once: %v", err)
	}
	whole[len(whole)/2] ^= 0x55
	require.ErrorIs(t, errorOf(linesOf(".gz", whole)), fault.ErrCorruptInput)
}

// A compressed file that is cut anywhere, or has trailing bytes, is an error.
func TestPackedInputCutAnywhere(t *testing.T) {
	text := strings.Repeat("some text, some more\n", 20)
	files := map[string][]byte{".bz2": unbase64(t, bzipped), ".xz": unbase64(t, xzipped)}
	for _, c := range []Compression{Gzip, Zstd, S2} {
		files[c.Extension()] = packed(t, c, text)
	}
	for ext, whole := range files {
		once := must(linesOf(ext, whole))(t)
		twice := must(linesOf(ext, slices.Concat(whole, whole)))(t)
		require.Equal(t, slices.Concat(once, once), twice, ext)
		for n := range whole {
			if n == 0 {
				continue // a file without bytes is an empty file
			}
			_, err := linesOf(ext, whole[:n])
			require.ErrorIs(t, err, fault.ErrCorruptInput, "%s cut to %d of %d bytes", ext, n, len(whole))
			require.ErrorContains(t, err, "the-file"+ext)
			if ext == ".s2" && n == 10 {
				continue // a header alone, which may be anywhere
			}
			_, err = linesOf(ext, slices.Concat(whole, whole[:n]))
			require.ErrorIs(t, err, fault.ErrCorruptInput, "%s and %d bytes of another", ext, n)
		}
		_, err := linesOf(ext, append(bytes.Clone(whole), "garbage"...))
		require.ErrorIs(t, err, fault.ErrCorruptInput, "%s and garbage", ext)
	}
}

// An empty xz file has no lines. One that needs too large a window is an error.
func TestXZ(t *testing.T) {
	require.Empty(t, must(linesOf(".xz", unbase64(t, xzEmpty)))(t))
	_, err := linesOf(".xz", unbase64(t, xzWide))
	require.ErrorIs(t, err, fault.ErrCorruptInput)
	require.ErrorContains(t, err, "a window of 536870912 bytes")
}

func unbase64(t *testing.T, text string) []byte {
	t.Helper()
	return must(base64.StdEncoding.DecodeString(text))(t)
}

// linesOf returns the lines of a file with this extension and content.
func linesOf(ext string, data []byte) ([]string, error) {
	src, err := Stored(dfs.Bytes("the-file"+ext, data))
	if err != nil {
		return nil, err
	}
	var out Collected[string]
	if err := ran(passOn[string]().Bind(LineStrings(src), out.Output())); err != nil {
		return nil, err
	}
	return out.Records()
}

// A zstd file may begin with a skippable frame, as pzstd's do. One that needs too large a window is
// an error.
func TestOddZstd(t *testing.T) {
	skipped := append([]byte("\x50\x2a\x4d\x18\x02\x00\x00\x00xx"), packed(t, Zstd, "hello\n")...)
	require.Equal(t, []string{"hello"}, must(linesOf(".zst", skipped))(t))
	_, err := linesOf(".zst", []byte("\x28\xb5\x2f\xfd\x00\x98\x01\x00\x00")) // a window of 512 MiB
	require.ErrorContains(t, err, "window")
}

// keepLines returns a map-only job that writes each line of its input.
func keepLines() MapOnly[[]byte, []byte] {
	job := passOn[[]byte]()
	job.Name = "keep"
	return job
}

// Files accepts paths and globs as the command line does, with the same results.
func TestFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"b", "a.txt", "_SUCCESS", ".hidden", "sub/c.txt", "sub/deep/d.txt", "sub/_no/e.txt", "odd[1]"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(name), 0o600))
	}
	require.NoError(t, os.Mkdir("empty", 0o700))
	for paths, want := range map[string]string{
		".":              "a.txt b odd[1] sub/c.txt sub/deep/d.txt",
		"sub .hidden":    "sub/c.txt sub/deep/d.txt .hidden",
		"*.txt":          "a.txt",
		"**/*.txt":       "a.txt sub/c.txt sub/deep/d.txt",
		"s*":             "sub/c.txt sub/deep/d.txt",
		"{b,sub/*.txt}":  "b sub/c.txt",
		"odd[1] [a-b]*":  "odd[1] a.txt b",
		"sub/_no/e.txt":  "sub/_no/e.txt",
		"sub/_no/?.txt":  "sub/_no/e.txt",
		"b sub/c.txt b":  "b sub/c.txt b",
		"sub/deep/d.txt": "sub/deep/d.txt",
	} {
		list := must(Files(strings.Fields(paths)...))(t)
		var names []string
		for _, s := range list {
			names = append(names, filepath.ToSlash(s.Name()))
		}
		require.Equal(t, strings.Fields(want), names, paths)
	}
	require.ErrorContains(t, errorOf(File("sub")), "is a directory")
}

// A path without files is an error that names the path.
func TestFilesThatAreNotThere(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("empty", 0o700))
	for path, want := range map[string]string{
		"empty": "empty: directory without files",
		"none":  "none: no such file",
		"*.log": "*.log: no file matches",
		"a[":    "a[: not a valid glob",
	} {
		require.ErrorContains(t, errorOf(Files(path)), want)
	}
	require.ErrorIs(t, errorOf(Files("none")), os.ErrNotExist)
}

// An input without files is an error at Bind, and not an empty output.
func TestNothingToRead(t *testing.T) {
	require.ErrorIs(t, errorOf(Files()), input.ErrNoSources)
	_, err := keepLines().Bind(Lines(), Text[[]byte](Writer("w", io.Discard)))
	require.ErrorIs(t, err, input.ErrNoSources)
	require.ErrorContains(t, err, `job "keep"`)
	require.ErrorIs(t, errorOf(wordCount(true).Bind(Lines(), unread[Pair[string, int64]]())), input.ErrNoSources)
}

// Progress counts the compressed bytes read, in which an input's size is measured, so that half of
// a file is half of the work.
func TestPackedInputCountsItsBytesAsStored(t *testing.T) {
	text := strings.Repeat("a line of text that packs well\n", 50_000)
	for _, c := range []Compression{Gzip, Zstd, S2} {
		file := packed(t, c, text)
		src := must(Stored(dfs.Bytes("text"+c.Extension(), file)))(t)
		p := must(wordCount(true).Bind(Lines(src), unread[Pair[string, int64]]()))(t)
		counters := engine(t, p, 1, nil, cluster.Resources{})
		require.Equal(t, int64(len(file)), counters.Get(counter.InputBytesRead), c)
		require.Equal(t, int64(50_000), counters.Get(counter.MapInputRecords))
	}
	stream := Stream("pipe", strings.NewReader(text))
	p := must(wordCount(true).Bind(Lines(stream), unread[Pair[string, int64]]()))(t)
	require.Equal(t, int64(len(text)), engine(t, p, 1, nil, cluster.Resources{}).Get(counter.InputBytesRead))
}

// zipFile writes an archive at path: files has names and contents in turn.
func zipFile(t *testing.T, path string, flags uint16, files ...string) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f := must(w.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Deflate, Flags: flags}))(t)
		must(io.WriteString(f, files[i+1]))(t)
	}
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
}

func TestZip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.zip")
	zipFile(t, path, 0, "b/", "", "b/2", "two\n", "a", "one\n", "_x", "hidden\n", "b/.y/z", "hidden\n",
		"c.gz", string(packed(t, Gzip, "packed\n")), "empty", "")
	src := must(Files(filepath.Dir(path)))(t)
	var names []string
	for _, s := range src {
		names = append(names, s.Name())
		require.False(t, s.Splittable())
	}
	require.Equal(t, []string{path + "/a", path + "/b/2", path + "/c.gz", path + "/empty"}, names)
	for range 2 { // they serve several jobs
		lines := collected(t, keepLines().Over(Lines(src...)))
		require.Equal(t, [][]byte{[]byte("one"), []byte("two"), []byte("packed")}, lines)
	}
}

func TestZipRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.zip")
	zipFile(t, path, 0, "_x", "hidden\n")
	require.ErrorIs(t, errorOf(Files(path)), input.ErrNoSources)
	zipFile(t, path, 1, "secret", "hidden\n")
	require.ErrorContains(t, errorOf(Files(path)), "a.zip/secret: is encrypted")
	require.NoError(t, os.WriteFile(path, []byte("no archive"), 0o600))
	require.ErrorIs(t, errorOf(Files(path)), fault.ErrCorruptInput)
	_, err := Files(filepath.Join(dir, "none.zip"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NotErrorIs(t, err, fault.ErrCorruptInput)

	zipFile(t, path, 0, "a", "some text\n")
	whole := must(os.ReadFile(path))(t)
	damaged := bytes.Replace(whole, []byte("some"), []byte("sane"), 1)
	if bytes.Equal(whole, damaged) { // it is compressed
		damaged[len("PK")+30+3] ^= 0x10
	}
	require.NoError(t, os.WriteFile(path, damaged, 0o600))
	src := must(Files(path))(t)
	require.ErrorContains(t, ran(keepLines().Bind(Lines(src...), unread[[]byte]())), "a.zip/a")
}
