package globs

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// For any pattern, ExpandFS returns an error, or existing files in order, none of them twice.
func FuzzExpandFS(f *testing.F) {
	files := fstest.MapFS{}
	for _, name := range []string{"a", "b.txt", "d/a", "d/e/a", "d/e/b.txt", "d/.h/a", "d/_SUCCESS", "{x", "d/f,g", "däd/a"} {
		files[name] = &fstest.MapFile{}
	}
	for _, pattern := range []string{"*", "**/a", "d/{e/{a,b*},a}", `\{x`, "[{]x", "d?d/*", "d/**/.h", "{**/,}a", "[", "d/[^a-", "d"} {
		f.Add(pattern)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		list, err := ExpandFS(files, pattern)
		if err != nil {
			return
		}
		for _, name := range list {
			require.Contains(t, files, name)
		}
		require.True(t, slices.IsSorted(list), list)
		require.Len(t, slices.Compact(list), len(list))
	})
}
