package teddy

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Index returns the first position of a pattern, and so does the code without vector instructions.
func TestIndexEqualsLoop(t *testing.T) {
	letter := rapid.SampledFrom([]byte("abA.\n\x80\xe1"))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, Bytes).Draw(t, "n")
		patterns := make([]Pattern, rapid.IntRange(1, Buckets).Draw(t, "patterns"))
		for i := range patterns {
			for k := range n {
				for _, c := range rapid.SliceOfN(letter, 1, 2).Draw(t, "set") {
					patterns[i][k].Add(c, c)
				}
			}
		}
		text := rapid.SliceOfN(letter, 0, 10).Draw(t, "text")
		text = append(text, bytes.Repeat([]byte{rapid.SampledFrom([]byte(".a!")).Draw(t, "filler")}, rapid.IntRange(0, 150).Draw(t, "apart"))...)
		text = append(text, rapid.SliceOfN(letter, 0, 10).Draw(t, "more")...)
		begins := func(i int) bool {
			for _, p := range patterns {
				all := i+n <= len(text)
				for k := 0; all && k < n; k++ {
					all = p[k].has(int(text[i+k]))
				}
				if all {
					return true
				}
			}
			return false
		}
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		want := from
		for want < len(text) && !begins(want) {
			want++
		}
		table := New(patterns, n)
		require.Equal(t, want, table.Index(text, from), "%q", text)
		if want+Bytes <= len(text) {
			require.Equal(t, want, from+table.approachPortable(text[from:]), "%q", text)
		}
	})
}

// Index returns the first position of a pair, and so does the code without vector instructions.
func TestPairEqualsLoop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := bytes.Repeat([]byte("._aB\x80"), 60)
		for range rapid.IntRange(0, 4).Draw(t, "hits") {
			copy(s[rapid.IntRange(0, len(s)-4).Draw(t, "at"):], "xAzq")
		}
		p := &Pair{First: 'x', Second: rapid.SampledFrom([]byte("xazq")).Draw(t, "second"), Distance: rapid.IntRange(0, 3).Draw(t, "distance")}
		if rapid.Bool().Draw(t, "fold") {
			p.AnyFirst, p.AnySecond = 0x20, 0x20
		}
		from := rapid.IntRange(0, len(s)).Draw(t, "from")
		want := from
		for want+p.Distance < len(s) && (s[want]|p.AnyFirst != p.First || s[want+p.Distance]|p.AnySecond != p.Second) {
			want++
		}
		portable := from + p.findPortable(s[from:], max(len(s)-p.Distance-from, 0))
		if want+p.Distance >= len(s) {
			want = len(s)
		} else {
			require.Equal(t, want, portable)
		}
		require.Equal(t, want, p.Index(s, from))
	})
}
