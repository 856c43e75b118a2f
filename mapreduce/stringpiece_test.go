package mapreduce

import (
	"iter"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// TestStringsOfWhatIsHeldLieAlone: lines share memory only if emitted values are copied. A table
// that keeps strings counts only their own bytes.
func TestStringsOfWhatIsHeldLieAlone(t *testing.T) {
	lines := LineStrings(textOf("one\ntwo\n"))
	adjacent := func(bind func(Input[string], func(string)) *Plan) bool {
		var at []uintptr
		p := bind(lines, func(line string) { at = append(at, uintptr(unsafe.Pointer(unsafe.StringData(line)))) })
		require.NoError(t, p.Prepare(t.Context(), cluster.PrepareOptions{}))
		splits := must(p.Splits(t.Context(), nil))(t)
		out := must(p.RunMap(t.Context(), &cluster.MapAttempt{Split: splits[0]}))(t)
		out.Release()
		require.Len(t, at, 2)
		return at[0]+uintptr(len("one\n")) == at[1]
	}
	none := unread[string]()
	counting := func(in Input[string], see func(string)) *Plan {
		p := must((Job[string, string, int, string]{
			Map: func(line string, emit func(string, int)) error {
				see(line)
				emit(line, 1)
				return nil
			},
			Combine: func(a, b int) int { return a + b },
			Reduce:  func(string, iter.Seq[int], func(string)) error { return nil },
		}).Bind(in, none))(t)
		return p
	}
	require.True(t, adjacent(counting), "counts")
	longest := func(in Input[string], see func(string)) *Plan {
		p := must((Job[string, string, string, string]{
			Map: func(line string, emit func(string, string)) error {
				see(line)
				emit(line, line)
				return nil
			},
			Combine: func(a, b string) string { return max(a, b) },
			Reduce:  func(string, iter.Seq[string], func(string)) error { return nil },
		}).Bind(in, none))(t)
		return p
	}
	require.False(t, adjacent(longest), "strings that a combiner holds")
	filtering := func(in Input[string], see func(string)) *Plan {
		p := must((MapOnly[string, string]{Map: func(line string, emit func(string)) error {
			see(line)
			emit(line)
			return nil
		}}).Bind(in, none))(t)
		return p
	}
	require.False(t, adjacent(filtering), "a job without shuffle")
}
