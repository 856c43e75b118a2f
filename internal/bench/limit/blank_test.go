package limit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Each byte value, at each place, between all-separators and all-letters neighbors.
func TestBlanksFindsSeparators(t *testing.T) {
	for _, around := range []uint64{0, ' ', 'a', 0x7f, 0x80, 0xff, '\t', '\r'} {
		for c := range uint64(256) {
			for place := range 8 {
				x := around*eachByte&^(0xff<<(8*place)) | c<<(8*place)
				want := uint64(0)
				for i := range 8 {
					if isBlank(byte(x >> (8 * i))) {
						want |= 0x80 << (8 * i)
					}
				}
				require.Equal(t, want, blanks(x), "%#x", x)
			}
		}
	}
}

func TestIsBlank(t *testing.T) {
	n := 0
	for c := range 256 {
		if isBlank(byte(c)) {
			n++
		}
	}
	require.Equal(t, 6, n)
	for _, c := range []byte(" \t\n\v\f\r") {
		require.True(t, isBlank(c))
	}
}

func TestPrefixComparesAsBytesDo(t *testing.T) {
	texts := []string{"", "a", "a\x01", "ab", "abcdefg", "abcdefgh", "abcdefghi", "b", "\xff"}
	for i := range texts[1:] {
		require.LessOrEqual(t, prefix8([]byte(texts[i])), prefix8([]byte(texts[i+1])))
	}
	require.Equal(t, uint64('a')<<56, prefix8([]byte("a")))
}
