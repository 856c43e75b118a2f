package bench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMakeInputs(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.txt")
	require.NoError(t, os.WriteFile(text, []byte("to tarry\n"), 0o600))
	var log bytes.Buffer
	in, err := MakeInputs(context.Background(), filepath.Join(dir, "in"), 1000, text, true, &log)
	require.NoError(t, err)
	for path, size := range map[string]int64{
		in.Zipf: 1000, in.Tera: 1000, in.Tera4: 4000, in.Real: 1000,
	} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, size, info.Size(), path)
	}
	real, err := os.ReadFile(in.Real)
	require.NoError(t, err)
	require.Equal(t, "to tarry\n", string(real[:9]), "the first time as it is")
	require.Equal(t, byte('\n'), real[len(real)-1])

	log.Reset()
	again, err := MakeInputs(context.Background(), filepath.Join(dir, "in"), 1000, text, true, &log)
	require.NoError(t, err)
	require.Equal(t, in, again)
	require.Empty(t, log.String(), "nothing is made twice")

	empty := filepath.Join(dir, "empty.txt")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	_, err = MakeInputs(context.Background(), filepath.Join(dir, "in"), 1000, empty, false, &log)
	require.ErrorContains(t, err, "no text in")
}

// A misspeller changes only a few letters of a text, and not its length. It changes the same
// letters whatever pieces the text is written in.
func TestMisspeller(t *testing.T) {
	text := bytes.Repeat([]byte("to tarry\n"), 20000)
	var whole, cut bytes.Buffer
	_, err := newMisspeller(&whole).Write(text)
	require.NoError(t, err)
	m := newMisspeller(&cut)
	for p := range slices.Chunk(text, 777) {
		_, err := m.Write(p)
		require.NoError(t, err)
	}
	require.Equal(t, whole.Bytes(), cut.Bytes())
	require.Len(t, whole.Bytes(), len(text))
	changed := 0
	for i, c := range whole.Bytes() {
		if c != text[i] {
			changed++
			require.NotContains(t, " \n", string(text[i]))
		}
	}
	letters := len(text) * 7 / 9
	require.InDelta(t, letters/misspellEvery, changed, 30)
}
