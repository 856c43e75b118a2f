package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each fault of the list still has its place.
func TestTheListFits(t *testing.T) {
	list, err := readList("list.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, list)
	for _, m := range list {
		text, err := os.ReadFile(filepath.Join("..", "..", m.File))
		require.NoError(t, err)
		faulty, err := m.apply(text)
		require.NoError(t, err, m.Name)
		require.NotEqual(t, string(text), string(faulty), m.Name)
	}
}

func TestRandomPlaces(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(file, []byte("package a\n\nfunc f(x int) int {\n\tif x < 3 {\n\t\tprintln(x)\n\t}\n\tx += 2\n\treturn x - 1\n}\n"), 0o666))
	list, err := placesIn(file)
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var got []string
	for _, m := range list {
		faulty, err := m.apply(text)
		require.NoError(t, err)
		require.NotEqual(t, string(text), string(faulty))
		got = append(got, m.Old+" → "+m.New)
	}
	require.Equal(t, []string{"x < 3 → !(x < 3)", "< → <=", "println(x) → ", "+= → -=", "- → +"}, got)
}

// A test that does not end notices a fault only if it would have ended in time without it.
func TestTestsThatDoNotEnd(t *testing.T) {
	tr := trial{limit: 30 * time.Second, sound: map[string]time.Duration{"./quick": 9 * time.Second, "./slow": 10 * time.Second}}
	late := []byte("panic: test timed out after 30s\nrunning tests:\n")
	require.Equal(t, timeout, tr.failed("./quick", late))
	require.Equal(t, tooSlow, tr.failed("./slow", late))
	require.Equal(t, noticed, tr.failed("./slow", []byte("--- FAIL: TestA (0.00s)\n")))
	require.Equal(t, noGo, tr.failed("./slow", []byte("FAIL\tx/slow [build failed]\n")))
}

// A fault that does not build, one that no test notices, and one that only another package's tests
// notice.
func TestVerdicts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module x\n",
		"a/a.go":      "package a\n\nfunc F() int { return 1 + 1 }\n",
		"b/b.go":      "package b\n",
		"b/b_test.go": "package b\n\nimport (\n\t\"testing\"\n\t\"x/a\"\n)\n\nfunc TestF(t *testing.T) {\n\tif a.F() != 2 {\n\t\tt.Fatal()\n\t}\n}\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for _, c := range []struct {
		with string
		also []string
		want verdict
	}{{"x", nil, noGo}, {"-", nil, lives}, {"-", []string{"./b"}, noticed}} {
		tr := trial{dir: dir, limit: time.Minute, also: c.also}
		got, err := tr.try(&mutant{File: "a/a.go", Old: "+", New: c.with, at: -1})
		require.NoError(t, err)
		require.Equal(t, c.want, got, c)
		text, err := os.ReadFile(filepath.Join(dir, "a/a.go"))
		require.NoError(t, err)
		require.Contains(t, string(text), "1 + 1")
	}
}
