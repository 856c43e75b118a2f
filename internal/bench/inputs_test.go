package bench

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
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
	for path, size := range map[string]int64{in.Zipf: 1000, in.Tera: 1000, in.Tera4: 4000, in.Real: 1000, in.Small: smallSize} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, size, info.Size(), path)
	}
	real, err := os.ReadFile(in.Real)
	require.NoError(t, err)
	require.Equal(t, string(bytes.Repeat([]byte("to tarry\n"), 111))+"\n", string(real))

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
