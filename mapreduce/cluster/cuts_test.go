package cluster

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// With SplitSize, the pieces of a block cover it, and none is larger than asked. There are as few
// as possible, and their sizes differ by at most one byte.
func TestPiecesAreEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 50).Draw(t, "size")
		var blocks []Block
		at := rapid.Int64Range(0, 9).Draw(t, "from")
		for i := range rapid.IntRange(1, 4).Draw(t, "blocks") {
			n := rapid.Int64Range(0, 200).Draw(t, "length")
			blocks = append(blocks, Block{Offset: at, Length: n, Hosts: []string{fmt.Sprint("node", i)}})
			at += n
		}
		list := InputPlan{Size: size}.pieces(blocks)
		for _, b := range blocks {
			n := max((b.Length+size-1)/size, 1)
			require.GreaterOrEqual(t, int64(len(list)), n)
			from := b.Offset
			for _, p := range list[:n] {
				require.Equal(t, from, p.Offset)
				require.Contains(t, []int64{b.Length / n, b.Length/n + 1}, p.Length)
				require.LessOrEqual(t, p.Length, size)
				require.Equal(t, b.Hosts, p.Hosts)
				from += p.Length
			}
			require.Equal(t, b.Offset+b.Length, from)
			list = list[n:]
		}
		require.Empty(t, list)
		require.Equal(t, blocks, InputPlan{}.pieces(blocks))
	})
}

func TestSkippedRecordsHaveAnOrder(t *testing.T) {
	want := []Skipped{{Input: "a", Offset: -1, Number: 1}, {Input: "a", Offset: -1, Number: 2}, {Input: "a", Number: 1}, {Input: "b", Offset: -1}}
	list := slices.Clone(want)
	slices.Reverse(list)
	SortSkipped(list)
	require.Equal(t, want, list)
}
