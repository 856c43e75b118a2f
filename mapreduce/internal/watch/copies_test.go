package watch

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Each copy has its own memory, and end overwrites it with memory.Poison, so that ended recognizes
// it.
func TestLoansEndAtOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &Copies{what: "record"}
		mine := []byte("mine")
		require.False(t, l.ended(mine))
		for range rapid.IntRange(1, 5).Draw(t, "calls") {
			var lent [][]byte
			for range rapid.IntRange(1, 4).Draw(t, "loans") {
				of := bytes.Repeat([]byte("r"), rapid.SampledFrom([]int{0, 1, 5, copySlab - 6, copySlab, copySlab + 1, copyBytes}).Draw(t, "size"))
				b := l.copyOf(of)
				require.True(t, bytes.Equal(of, b))
				require.Equal(t, len(b), cap(b), "appending to a loan writes into no other")
				lent = append(lent, b)
			}
			require.False(t, l.changed())
			held := 0
			for _, slab := range l.slabs {
				held += cap(slab)
			}
			require.Equal(t, held, l.bytes)
			require.True(t, held <= copyBytes || len(l.slabs) == 1, "%d bytes", held)
			for _, b := range lent {
				require.False(t, l.ended(b))
				if len(b) > 0 {
					b[len(b)-1]++
					require.True(t, l.changed())
					b[len(b)-1]--
				}
			}
			last := lent[len(lent)-1]
			l.end()
			for _, b := range lent {
				require.Len(t, b, bytes.Count(b, []byte{memory.Poison}))
			}
			if len(last) > 0 {
				require.True(t, l.ended(last))
				require.True(t, l.ended(last[len(last)-1:]))
			}
			require.False(t, l.ended(mine))
			require.False(t, l.changed())
		}
	})
}

// Copier copies the byte slices in values of all kinds of types.
func TestLending(t *testing.T) {
	type inner struct{ B []byte }
	type value struct {
		Name   string
		Parts  []inner
		Pair   [2][]byte
		Nil    []byte
		hidden []byte
		Next   *value
	}
	l := &Copies{what: "value"}
	in := value{
		"n",
		[]inner{{[]byte("one")}},
		[2][]byte{[]byte("two"), {}},
		nil, []byte("hidden"), &value{Nil: []byte("beyond")},
	}
	out := Copier[value](l, Bytes)(in)
	require.Equal(t, in, out)
	require.False(t, l.changed())
	require.False(t, l.ended(out.Parts[0].B))
	parts := out.Parts[0].B
	l.end()
	require.Equal(t, []byte{memory.Poison, memory.Poison, memory.Poison}, parts)
	require.Equal(t, []byte{memory.Poison, memory.Poison, memory.Poison}, out.Pair[0])
	require.True(t, l.ended(parts[1:]))
	require.Equal(t, "one", string(in.Parts[0].B))
	require.Equal(t, "hidden", string(out.hidden))
	require.Equal(t, "beyond", string(out.Next.Nil))

	large := l.copyOf(make([]byte, copyBytes))
	l.end()
	l.copyOf(make([]byte, copyBytes))
	require.False(t, l.ended(parts), "slabs are not kept for ever")
	require.Equal(t, byte(memory.Poison), large[0])
	require.LessOrEqual(t, l.bytes, 2*copyBytes)
}
