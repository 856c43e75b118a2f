package globs

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestExpandFS(t *testing.T) {
	fsys := fstest.MapFS{}
	for _, name := range []string{
		"a.txt", "b.csv", "_SUCCESS", "d/c.txt", "d/.hidden", "d/_tmp/x.txt", "d/e/f.txt", "d/e/g.csv", "x[1].txt",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(name)}
	}
	fsys["pipe"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	for arg, want := range map[string][]string{
		".":               {"a.txt", "b.csv", "d/c.txt", "d/e/f.txt", "d/e/g.csv", "x[1].txt"},
		"d":               {"d/c.txt", "d/e/f.txt", "d/e/g.csv"},
		"a.txt":           {"a.txt"},
		"x[1].txt":        {"x[1].txt"},
		"*.txt":           {"a.txt", "x[1].txt"},
		"**/*.txt":        {"a.txt", "d/c.txt", "d/e/f.txt", "x[1].txt"},
		"d/*":             {"d/c.txt", "d/e/f.txt", "d/e/g.csv"},
		"d/_*":            {"d/_tmp/x.txt"},
		"{a.txt,d/e/*}":   {"a.txt", "d/e/f.txt", "d/e/g.csv"},
		"*/?.txt":         {"d/c.txt"},
		"d/_tmp/../c.txt": nil,
		"./a.txt":         nil,
		"/a.txt":          nil,
		"nothing":         nil,
		"no/*":            nil,
		"*.md":            nil,
		"[":               nil,
	} {
		got, err := ExpandFS(fsys, arg)
		require.Equal(t, want, got, arg)
		require.Equal(t, want == nil, err != nil, "%s: %v", arg, err)
	}
	_, err := ExpandFS(fsys, "./a.txt")
	require.ErrorContains(t, err, `"./a.txt": names of an fs.FS`)
	_, err = ExpandFS(fstest.MapFS{"d/_x": {}}, "d")
	require.ErrorContains(t, err, "directory without files")
}
