package globs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// globbed returns the files to which a pattern expands, sorted and without duplicates.
func globbed(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := glob(pattern)
	require.NoError(t, err)
	for i, f := range files {
		files[i] = filepath.ToSlash(f)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

func TestGlob(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{
		"a", "b.txt", "d/a", "d/e/a", "d/e/b.txt", "d/.h/a", "d/_SUCCESS",
		"d/.h/.h/x", "{x", "d/f,g", "däd/a",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	require.NoError(t, os.Symlink("..", "d/up"))
	require.NoError(t, os.Symlink("e", "d/down"))
	cwd, err := os.Getwd()
	require.NoError(t, err)
	for pattern, want := range map[string]string{
		"*":              "a b.txt d/a d/e/a d/e/b.txt d/f,g däd/a {x",
		"**":             "a b.txt d/a d/e/a d/e/b.txt d/f,g däd/a {x",
		"**/a":           "a d/a d/e/a däd/a",
		"./**/a":         "a d/a d/e/a däd/a",
		"**/**/**/a":     "a d/a d/e/a däd/a",
		"d/**":           "d/a d/e/a d/e/b.txt d/f,g",
		"d/**/a":         "d/a d/e/a",
		"d/**/e":         "d/e/a d/e/b.txt",
		"d/**/e/**/a":    "d/e/a",
		"**/*.txt":       "b.txt d/e/b.txt",
		"d/.*/**":        "d/.h/.h/x d/.h/a",
		"d/**/.h":        "d/.h/.h/x d/.h/a",
		"d/**/_*":        "d/_SUCCESS",
		"{a,b.txt}":      "a b.txt",
		"{**/,}a":        "a d/a d/e/a däd/a",
		"d/{e/{a,b*},a}": "d/a d/e/a d/e/b.txt",
		"d/{e,.h}/a":     "d/.h/a d/e/a",
		`\{x`:            "{x",
		"[{]x":           "{x",
		"d?d/*":          "däd/a",
		"d/down/*":       "d/down/a d/down/b.txt",
		"*/*/b.txt":      "d/e/b.txt d/up/b.txt d/down/b.txt",
		"nothing/**/a":   "",
		"**/nothing/**":  "",
	} {
		want := strings.Fields(want)
		slices.Sort(want)
		require.Equal(t, want, append([]string{}, globbed(t, pattern)...), pattern)
	}
	require.Equal(t, []string{cwd + "/d/a", cwd + "/d/e/a"}, globbed(t, cwd+"/d/**/a"))
}

// With many ** and with links to parent directories, a glob takes no longer than one walk.
func TestGlobIsLinear(t *testing.T) {
	t.Chdir(t.TempDir())
	for i := range 8 {
		dir := filepath.Join(fmt.Sprint("d", i), strings.Repeat("x/", 20))
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.WriteFile(dir+"/f", nil, 0o600))
		require.NoError(t, os.Symlink("../..", dir+"/back"))
		require.NoError(t, os.Symlink("..", dir+"/up"))
	}
	began := time.Now()
	require.Len(t, globbed(t, strings.Repeat("**/", 500)+"f"), 8)
	require.Len(t, globbed(t, strings.Repeat("**/x/", 15)+"**/f"), 8)
	require.Empty(t, globbed(t, strings.Repeat("**/*/", 15)+"**/nothing"))
	require.Empty(t, globbed(t, strings.Repeat("*x*", 50)+"/**/"+strings.Repeat("*x", 50)))
	_, err := glob(strings.Repeat("{a,b}", 40))
	require.ErrorContains(t, err, "stand for more than 1000 globs")
	_, err = glob(strings.Repeat("{", 5000) + strings.Repeat("}", 5000))
	require.NoError(t, err)
	require.Less(t, time.Since(began), 20*time.Second, "each of them takes milliseconds")
}
