package jobs

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// However lists are united, inOrder returns each name once, in sorted order.
func TestUniteIsAnUnion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var lists [][]byte
		want := map[string]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "lists") {
			name := fmt.Sprint(rapid.IntRange(0, 40).Draw(t, "name"))
			if rapid.IntRange(0, 20).Draw(t, "empty") == 0 {
				name = ""
			}
			lists, want[name] = append(lists, slices.Clip([]byte(name))), true
		}
		for len(lists) > 1 {
			i := rapid.IntRange(0, len(lists)-2).Draw(t, "which")
			a, b := bytes.Clone(lists[i]), bytes.Clone(lists[i+1])
			both := unite(lists[i], lists[i+1])
			require.Equal(t, string(a), string(lists[i]), "an operand was changed")
			require.Equal(t, string(b), string(lists[i+1]), "an operand was changed")
			lists = slices.Replace(lists, i, i+2, both)
		}
		got, n := inOrder(string(lists[0]))
		require.Equal(t, strings.Join(slices.Sorted(maps.Keys(want)), ","), got)
		require.Equal(t, len(want), n)
	})
}

// unite copies a number of bytes proportional to n, not to n², for a word in n files.
func TestUniteIsNotQuadratic(t *testing.T) {
	const n = 20_000
	var list []byte
	copied, names := 0, 0
	for i := range n {
		name := fmt.Appendf(nil, "file-%06d", i*7919%n)
		names += len(name) + 1
		room := cap(list)
		if list = unite(list, name); cap(list) != room {
			copied += len(list)
		}
	}
	require.Less(t, copied, 10*names)
	_, got := inOrder(string(list[1:]))
	require.Equal(t, n, got)
}

// unite allocates no memory if the list already ends with the name, as for a repeated word.
func TestUniteWithTheLastNameIsFree(t *testing.T) {
	for _, list := range []string{"a.txt", "b.txt\x00a.txt", "", "b\x00"} {
		name := []byte(list[strings.LastIndexByte(list, nameSeparator)+1:])
		a := slices.Clip([]byte(list))
		require.Equal(t, list, string(unite(a, name)))
		require.Zero(t, testing.AllocsPerRun(10, func() { unite(a, name) }))
	}
	require.Equal(t, "aa\x00a", string(unite([]byte("aa"), []byte("a"))))
}
