package cluster

import (
	"fmt"
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

// SortSkipped orders records by source name, then by offset, then by number.
func TestSkippedRecordsHaveAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(t *rapid.T) Skipped {
			return Skipped{
				Input:  rapid.SampledFrom([]string{"a", "b"}).Draw(t, "input"),
				Offset: rapid.Int64Range(-1, 2).Draw(t, "offset"), Number: rapid.Int64Range(1, 3).Draw(t, "number"),
			}
		}
		list := rapid.SliceOfN(rapid.Custom(draw), 0, 12).Draw(t, "list")
		SortSkipped(list)
		for i := 1; i < len(list); i++ {
			a, b := list[i-1], list[i]
			switch {
			case a.Input != b.Input:
				require.Less(t, a.Input, b.Input)
			case a.Offset != b.Offset:
				require.Less(t, a.Offset, b.Offset)
			default:
				require.LessOrEqual(t, a.Number, b.Number)
			}
		}
	})
}
