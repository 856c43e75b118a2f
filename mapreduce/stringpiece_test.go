package mapreduce

import (
	"iter"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestStringPieceHolds states that each string is a copy that no later one changes.
func TestStringPieceHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p stringPiece
		var held, want []string
		line := make([]byte, 0, 2*pieceBytes)
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 2*pieceBytes), 0, 30).Draw(t, "lengths") {
			line = append(line[:0], strings.Repeat(string(rune('a'+len(want)%26)), n)...)
			want, held = append(want, string(line)), append(held, p.hold(line))
		}
		require.Equal(t, len(want), len(held))
		for i := range want {
			require.Equal(t, want[i], held[i])
		}
	})
}

// TestStringsOfWhatIsHeldLieAlone states that a map shares memory among lines only where nothing
// that it emits is held as it is: a table that holds strings weighs what they have, not what
// lies beside them.
func TestStringsOfWhatIsHeldLieAlone(t *testing.T) {
	lines := LineStrings(Bytes("text", []byte("one\ntwo\n")))
	adjacent := func(bind func(Input[string], func(string)) *Plan) bool {
		var at []uintptr
		p := bind(lines, func(line string) { at = append(at, uintptr(unsafe.Pointer(unsafe.StringData(line)))) })
		require.NoError(t, p.Prepare(t.Context(), PrepareOptions{}))
		splits, err := p.Splits(t.Context(), nil)
		require.NoError(t, err)
		out, err := p.RunMap(t.Context(), &MapAttempt{Split: splits[0]})
		require.NoError(t, err)
		out.Release()
		require.Len(t, at, 2)
		return at[0]+uintptr(len("one")) == at[1]
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
