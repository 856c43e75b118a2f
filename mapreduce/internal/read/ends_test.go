package read

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

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
