package read

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestStringPieceHolds: each line is a copy that is independent of the run.
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
		var begins, lengths []int
		for at := 0; at < len(run); at += lengths[len(lengths)-1] + 1 {
			begins, lengths = append(begins, at), append(lengths, LineEnds.length(run[at:]))
			held = append(held, p.hold(run, at, lengths[len(lengths)-1]))
		}
		if len(held) > 0 { // the rest of a batch is repeated after a skipped record
			for i := rapid.IntRange(0, len(held)-1).Draw(t, "again from"); i < len(held); i++ {
				require.Equal(t, held[i], p.hold(run, begins[i], lengths[i]))
			}
		}
		for i := range run {
			run[i] = '?'
		}
		if len(want) > 0 && want[len(want)-1] == "" && len(held) < len(want) {
			want = want[:len(want)-1] // no line follows the last line feed
		}
		require.Equal(t, strings.Join(want, "\n"), strings.Join(held, "\n"))
		require.Len(t, held, len(want))
	})
}
