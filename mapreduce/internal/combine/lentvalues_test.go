package combine

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// A table equals a map of cloned values, even if the caller overwrites a value after the emit, and
// whatever Combine does with its arguments.
func TestLentValuesAreTheCallersAgain(t *testing.T) {
	combines := map[string]func(a, b []byte) []byte{
		"first":    func(a, _ []byte) []byte { return a },
		"second":   func(_, b []byte) []byte { return b },
		"part":     func(a, b []byte) []byte { return slices.MaxFunc([][]byte{a, b[:len(b)/2]}, bytes.Compare) },
		"append":   func(a, b []byte) []byte { return append(append(a, '|'), b...) },
		"longer":   func(a, b []byte) []byte { return append(b, a...) },
		"in place": func(a, b []byte) []byte { copy(b, a); return b },
		"change":   func(a, b []byte) []byte { a = bytes.ToUpper(a[:min(len(a), len(b))]); clear(b); return a },
		"clear":    func(a, b []byte) []byte { n := copy(a, b); clear(b); return a[:max(n, len(a)/2)] },
		"none":     func(_, _ []byte) []byte { return nil },
	}
	rapid.Check(t, func(t *rapid.T) {
		fold := combines[rapid.SampledFrom(slices.Sorted(maps.Keys(combines))).Draw(t, "combine")]
		cfg := codec(config[[]byte]{Options: Options{Partitions: 2, SpillDir: "none"}, combine: fold})
		table, want := newTable(cfg), map[string][]byte{}
		defer table.Close()
		buf, alike := make([]byte, 0, lentBytes), rapid.SampledFrom([]int{1, 10, 1000}).Draw(t, "alike")
		for i := range rapid.SampledFrom([]int{1, 63, 64, 65, 300, 3000}).Draw(t, "emits") {
			long := rapid.SampledFrom([]string{"", "/of/more/than/sixteen/bytes"}).Draw(t, "key")
			k := []byte(strings.Repeat("k", i%7) + long)
			v := rapid.SampledFrom([]int{0, 1, 20, largestLent, largestLent + 1, 2000}).Draw(t, "bytes")
			buf = append(buf[:0], bytes.Repeat([]byte{byte(i / alike)}, v)...)
			value := buf
			if v == 0 && i%2 == 0 {
				value = nil
			}
			old, there := want[string(k)]
			own := slices.Clip(bytes.Clone(value))
			if there {
				own = slices.Clip(bytes.Clone(fold(slices.Clip(bytes.Clone(old)), own)))
			}
			if want[string(k)] = own; len(own) > 1<<12 {
				return // this Combine lengthens the value with each emit
			}
			emitReused(table, k, value)
			clear(buf)
			clear(k)
		}
		out, _, err := table.Finish()
		require.NoError(t, err)
		got := map[string][]byte{}
		for _, s := range out {
			m := newMerge(cfg, []*Segment{s})
			for k, v, ok := m.Next(); ok; k, v, ok = m.Next() {
				got[string(k)] = bytes.Clone(v)
			}
			require.NoError(t, m.Err())
			m.Close()
			s.Release()
		}
		require.Len(t, got, len(want))
		for k, v := range want {
			require.Equal(t, string(v), string(got[k]), "%q", k)
		}
	})
}

// Values do not change while their pairs wait, in either half of the batch. That holds with a full
// buffer or not, and with long keys waiting.
func TestLentValuesWaitInEitherHalf(t *testing.T) {
	cfg := codec(config[[]byte]{Options: Options{Partitions: 1}, combine: func(a, b []byte) []byte { return append(a, b...) }})
	sizes := map[string]func(i int) int{
		"short":      func(int) int { return 1 },
		"long":       func(int) int { return largestLent },
		"mixed":      func(i int) int { return i * 37 % (largestLent + 1) },
		"then short": func(i int) int { return 120 - i%120 },
		"halves":     func(i int) int { return 1 + i/batchSize%3*80 }, // batches of short and of long values alternate
	}
	for name, size := range sizes {
		for _, every := range []int{1 << 30, 50} { // one of `every` keys is long
			for n := 1; n <= 5*batchSize; n++ {
				if left := n % batchSize; left > 1 && left < batchSize-1 && left != 17 {
					continue
				}
				table := newTable(cfg)
				keyOf := func(i int) []byte {
					if i%every == every-1 {
						return fmt.Appendf(nil, "a key of more than 16 bytes %d", i)
					}
					return fmt.Append(nil, i)
				}
				valueOf := func(i int) string { return strings.Repeat(string(rune('0'+i%64)), size(i)) }
				for i := range n {
					buf := []byte(valueOf(i))
					emitReused(table, keyOf(i), buf)
					clear(buf)
				}
				out, _, err := table.Finish()
				require.NoError(t, err)
				m := newMerge(cfg, out)
				got := map[string]string{}
				for k, v, ok := m.Next(); ok; k, v, ok = m.Next() {
					got[string(k)] = string(v)
				}
				require.NoError(t, m.Err())
				require.Len(t, got, n)
				for i := range n {
					require.Equal(t, valueOf(i), got[string(keyOf(i))], "%s: value %d of %d", name, i, n)
				}
				m.Close()
				out[0].Release()
			}
		}
	}
}

// An emit copies no value to the heap if Combine only reads it.
func TestLentValuesTakeNoMemory(t *testing.T) {
	table := newTable(codec(config[[]byte]{Options: Options{Partitions: 1}, combine: func(a, _ []byte) []byte { return a }}))
	defer table.Close()
	key, value := []byte("key"), []byte("a value of some bytes")
	emitReused(table, key, value)
	require.Zero(t, testing.AllocsPerRun(10_000, func() { emitReused(table, key, value) }))
}

// An emit through a shut gate panics before it writes to the buffer of waiting values.
func TestNothingIsLentThroughAShutGate(t *testing.T) {
	table := newTable(codec(config[[]byte]{Options: Options{Partitions: 1}, combine: func(a, _ []byte) []byte { return a }}))
	defer table.Close()
	table.Gate().Shut()
	require.PanicsWithValue(t, memory.Outside, func() { emitReused(table, []byte("key"), []byte("value")) })
	require.False(t, table.acc.heap.lent.used)
}
