package limit

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWordCountEqualsPlain(t *testing.T) {
	eachText(t, func(t *testing.T, text string) {
		dir := t.TempDir()
		words, distinct, err := WordCount([]byte(text), 2, 3, dir)
		require.NoError(t, err)
		want := plainWordCount(text)
		require.Equal(t, want, readParts(t, dir, 3))
		require.Equal(t, strings.Count(want, "\n"), distinct)
		require.Len(t,
			strings.FieldsFunc(text, func(r rune) bool { return r < 128 && isBlank(byte(r)) }),
			int(words))
	})
}

// Words that cross the borders of chunks are counted once.
func TestWordCountAcrossChunks(t *testing.T) {
	var text strings.Builder
	random := rand.New(rand.NewPCG(3, 4))
	for text.Len() < 3<<20 {
		text.WriteString(randomText(random, "abcdefghij", 1+random.IntN(40)))
		text.WriteByte(' ')
	}
	dir := t.TempDir()
	_, _, err := WordCount([]byte(text.String()), 2, 1, dir)
	require.NoError(t, err)
	require.Equal(t, plainWordCount(text.String()), readParts(t, dir, 1))
}

func TestTeraSortEqualsPlain(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, alphabet := range []string{"ab", "\x00\x01", " !\"#$%&'()*+,-./0123456789"} {
		for _, records := range []int{0, 1, 2, 1000, 20_000} {
			data := []byte(randomText(random, alphabet, records*teraRecord))
			dir := t.TempDir()
			n, err := TeraSort(data, 2, 2, dir)
			require.NoError(t, err)
			require.Equal(t, records, n)
			require.Equal(t, string(plainTeraSort(data)), readParts(t, dir, 2))
		}
	}
	_, err := TeraSort(make([]byte, 150), 2, 2, "")
	require.ErrorContains(t, err, "150 bytes are not a whole number of 100-byte records")
}

func TestMap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"", "some text\n"} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		data, unmap, err := Map(path)
		require.NoError(t, err)
		require.Equal(t, text, string(data))
		require.NoError(t, unmap())
	}
	_, _, err := Map(filepath.Dir(path))
	require.ErrorContains(t, err, "not a regular file")
	_, _, err = Map(path + "-missing")
	require.ErrorIs(t, err, os.ErrNotExist)
}
