package limit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Plain versions of the programs, written in the simplest way: the programs must equal them.

func plainWordCount(text string) string {
	blank := func(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) }
	counts := map[string]int{}
	for _, word := range strings.FieldsFunc(text, blank) {
		counts[word]++
	}
	var words []string
	for word := range counts {
		words = append(words, word)
	}
	slices.Sort(words)
	var out strings.Builder
	for _, word := range words {
		fmt.Fprintf(&out, "%s\t%d\n", word, counts[word])
	}
	return out.String()
}

func plainTeraSort(data []byte) []byte {
	records := slices.Collect(slices.Chunk(data, teraRecord))
	slices.SortStableFunc(records,
		func(a, b []byte) int { return bytes.Compare(a[:teraKey], b[:teraKey]) })
	return bytes.Join(records, nil)
}

// readParts returns the part files of dir, joined in order.
func readParts(t *testing.T, dir string, parts int) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	require.Len(t, names, parts)
	slices.Sort(names)
	var all []byte
	for _, name := range names {
		part, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, part...)
	}
	return string(all)
}
