package mapreduce

import (
	"iter"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
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
			begins, lengths = append(begins, at), append(lengths, lineEnds.length(run[at:]))
			held = append(held, p.hold(run, at, lengths[len(lengths)-1]))
		}
		if len(held) > 0 { // the rest of a batch comes again when a record has been skipped
			for i := rapid.IntRange(0, len(held)-1).Draw(t, "again from"); i < len(held); i++ {
				require.Equal(t, held[i], p.hold(run, begins[i], lengths[i]))
			}
		}
		for i := range run {
			run[i] = '?'
		}
		if len(want) > 0 && want[len(want)-1] == "" && len(held) < len(want) {
			want = want[:len(want)-1] // nothing behind the last line feed is no line
		}
		require.Equal(t, strings.Join(want, "\n"), strings.Join(held, "\n"))
		require.Len(t, held, len(want))
	})
}

// TestStringsOfWhatIsHeldLieAlone: lines share memory only if emitted values are copied. A table
// that keeps strings counts only their own bytes.
func TestStringsOfWhatIsHeldLieAlone(t *testing.T) {
	lines := LineStrings(Bytes("text", []byte("one\ntwo\n")))
	adjacent := func(bind func(Input[string], func(string)) *Plan) bool {
		var at []uintptr
		p := bind(lines, func(line string) { at = append(at, uintptr(unsafe.Pointer(unsafe.StringData(line)))) })
		require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{}))
		splits, err := p.Splits(t.Context(), nil)
		require.NoError(t, err)
		out, err := p.RunMap(t.Context(), &cluster.MapAttempt{Split: splits[0]})
		require.NoError(t, err)
		out.Release()
		require.Len(t, at, 2)
		return at[0]+uintptr(len("one\n")) == at[1]
	}
	none := new(Collected[string]).Output()
	counting := func(in Input[string], see func(string)) *Plan {
		p, err := (Job[string, string, int, string]{
			Map: func(line string, emit func(string, int)) error {
				see(line)
				emit(line, 1)
				return nil
			},
			Combine: func(a, b int) int { return a + b },
			Reduce:  func(string, iter.Seq[int], func(string)) error { return nil },
		}).Bind(in, none)
		require.NoError(t, err)
		return p
	}
	require.True(t, adjacent(counting), "counts")
	longest := func(in Input[string], see func(string)) *Plan {
		p, err := (Job[string, string, string, string]{
			Map: func(line string, emit func(string, string)) error {
				see(line)
				emit(line, line)
				return nil
			},
			Combine: func(a, b string) string { return max(a, b) },
			Reduce:  func(string, iter.Seq[string], func(string)) error { return nil },
		}).Bind(in, none)
		require.NoError(t, err)
		return p
	}
	require.False(t, adjacent(longest), "strings that a combiner holds")
	filtering := func(in Input[string], see func(string)) *Plan {
		p, err := (MapOnly[string, string]{Map: func(line string, emit func(string)) error {
			see(line)
			emit(line)
			return nil
		}}).Bind(in, none)
		require.NoError(t, err)
		return p
	}
	require.False(t, adjacent(filtering), "a job without shuffle")
}
