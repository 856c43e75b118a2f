package main

import (
	"os"
	"path/filepath"
	"testing"

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
