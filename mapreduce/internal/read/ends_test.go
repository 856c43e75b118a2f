package read

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// For each kind of Ends, first returns the end of the record that contains a byte, and last that of
// the last whole record.
func TestEndsOfRecords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b, whole []byte
		var ends []int // of records
		var kind Ends
		switch n := rapid.IntRange(1, 5).Draw(t, "n"); rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			kind = everyN(n)
			b = make([]byte, rapid.IntRange(0, 20).Draw(t, "bytes"))
			for at := n; at <= len(b); at += n {
				ends = append(ends, at)
			}
		case 1:
			kind = LineEnds
			b = []byte(rapid.StringMatching("[a\n]{0,12}").Draw(t, "text"))
			ends = placesOf(b, '\n')
		default:
			kind = byteEnds(0x1e)
			b = []byte(rapid.StringMatching("[a\x1e\n]{0,12}").Draw(t, "text"))
			ends = placesOf(b, 0x1e)
		}
		last := 0
		if len(ends) > 0 {
			last = ends[len(ends)-1]
		}
		whole = b[:last]
		require.Equal(t, last, kind.Last(b))
		require.Equal(t, last, kind.Last(whole))
		for from := range b {
			want := 0
			for _, end := range ends {
				if end > from {
					want = end
					break
				}
			}
			require.Equal(t, want, kind.First(b, from), "from %d", from)
			if want == 0 {
				require.LessOrEqual(t, kind.Resume(len(b)), len(b))
			}
		}
	})
}

// placesOf returns the places behind each c.
func placesOf(b []byte, c byte) (list []int) {
	for i, x := range b {
		if x == c {
			list = append(list, i+1)
		}
	}
	return list
}

// A line's string is a copy that stays the same when the run's bytes change.
func TestStringPieceHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var run []byte
		var want, held []string
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 2*pieceBytes), 0, 30).Draw(t, "lengths") {
			n >>= i % 7
			want = append(want, strings.Repeat(string(rune('a'+i%26)), n))
			run = append(append(run, want[i]...), '\n')
		}
		if len(run) > 0 && rapid.Bool().Draw(t, "without a last line feed") {
			run = slices.Clip(run[:len(run)-1])
		}
		p := stringPiece{text: strings.Repeat("of another run", pieceBytes/16)}
		for at := 0; at < len(run); at += len(held[len(held)-1]) + 1 {
			held = append(held, p.hold(run, at, LineEnds.length(run[at:])))
		}
		for i := range run {
			run[i] = '?'
		}
		if len(want) > 0 && want[len(want)-1] == "" && len(held) < len(want) {
			want = want[:len(want)-1] // nothing follows the last line feed
		}
		require.Equal(t, strings.Join(want, "\n"), strings.Join(held, "\n"))
		require.Len(t, held, len(want))
	})
}
