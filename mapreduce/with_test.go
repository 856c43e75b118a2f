package mapreduce

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/dfs"
)

// Task.Offset is the offset of the current record, for all inputs and splits.
func TestOffsetIsTheRecordsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-z]{0,5}`), 0, 20).Draw(t, "lines"), "\n"))
		lines, source := cutBy(text, []byte("\n")), Bytes("text", text)
		stored := must(Stored(dfs.Bytes("text.gz", packed(t, Gzip, string(text)))))(t)
		for name, in := range map[string]Input[[]byte]{"lines": Lines(source), "packed": Lines(stored), "n lines": NLines(3, source)} {
			require.Equal(t, lines, gatherPlaced(t, in), name)
		}
		var pairs []string
		for at := 0; at+2 <= len(text); at += 2 {
			pairs = append(pairs, placedRecord(int64(at), text[at:at+2]))
		}
		require.Equal(t, pairs, gatherPlaced(t, FixedSize(2, Bytes("text", text[:len(text)&^1]))))
		numbers := MapOnly[int, int64]{MapTask: func(t *Task) (Filter[int, int64], error) {
			return Filter[int, int64]{Map: func(_ int, emit func(int64)) error { emit(t.Offset()); return nil }}, nil
		}}
		for name, in := range map[string]Input[int]{"slice": Slice([]int{9, 8, 7}), "sequence": Seq(slices.Values([]int{9, 8, 7}))} {
			got := gather(t, numbers.On(in), rapid.Bool().Draw(t, "local"), rapid.Int64Range(1, 4).Draw(t, "block"), 1)
			require.Equal(t, []int64{0, 1, 2}, got, name)
		}
	})
}

// Pairs can be ranged over only once, and a Reducer must have either Reduce or Pairs.
func TestReducePairsOnce(t *testing.T) {
	job := Job[int, int, int, int]{
		Map: func(n int, emit func(int, int)) error { emit(n, n); return nil },
		ReduceTask: func(*Task) (Reducer[int, int, int], error) {
			return Reducer[int, int, int]{Pairs: func(pairs iter.Seq2[int, int], _ func(int)) error {
				for range pairs {
					break
				}
				for range pairs {
					break
				}
				return nil
			}}, nil
		},
	}
	run := func(j Job[int, int, int, int]) error { return ran(j.Bind(Slice([]int{1, 1}), unread[int]())) }
	require.ErrorContains(t, run(job), "the values of a key can be ranged over once")
	job.ReduceTask = func(*Task) (Reducer[int, int, int], error) { return Reducer[int, int, int]{}, nil }
	require.ErrorContains(t, run(job), "ReduceTask must return a Reducer with either Reduce or Pairs")
}
