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
