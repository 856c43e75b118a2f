package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// One program contains all faults and has the one whose number the environment gives, or none.
// Faults are in functions and methods, with results and without.
func TestAllFaultsInOneProgram(t *testing.T) {
	dir := t.TempDir()
	const text = `package main

type counter struct{ n int }

func (c *counter) add(_ string, by int) {
	c.n += by
}

func twice(x int) int { return 2 * x }

func main() {
	c := &counter{}
	c.add("", twice(3))
	print(c.n)
}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n\ngo 1.26\n"), 0o666))
	edit := func(old, with string) mutant { return mutant{File: "main.go", Old: old, New: with, at: -1} }
	require.NoError(t, together(dir, []flaw{
		{Name: "three times", Edits: []mutant{edit("return 2 * x", "return 3 * x")}},
		{Name: "four times, less", Edits: []mutant{edit("return 2 * x", "return 4 * x"), edit("c.n += by", "c.n -= by")}},
	}))
	build := exec.Command("go", "build", "-o", "program")
	build.Dir = dir
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	for fault, want := range map[string]string{"": "6", "0": "6", "1": "9", "2": "-12"} {
		run := exec.Command(filepath.Join(dir, "program"))
		run.Env = append(os.Environ(), number+"="+fault)
		out, err := run.CombinedOutput()
		require.NoError(t, err)
		require.Equal(t, want, string(out), "fault %s", fault)
	}
}

func TestFaultsAreInFunctions(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\nconst x = 1\n"), 0o666))
	err := together(dir, []flaw{{Name: "outside", Edits: []mutant{{File: "a.go", Old: "x = 1", New: "x = 2", at: -1}}}})
	require.ErrorIs(t, err, errOutside)
}
