package mrtest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/mrtest"
)

// Check passes a job over a dataset of an earlier job, whose parts are split at any byte.
func TestCheckOverKept(t *testing.T) {
	kept := mapreduce.NewDataset[[]byte](cluster.KeptOptions{})
	lines := mapreduce.MapOnly[[]byte, []byte]{Map: func(line []byte, emit func([]byte)) error {
		emit(line)
		return nil
	}}
	text := mapreduce.Bytes("rhyme", []byte("tarry a while\nsaid slow\nlet us tarry\nthe pot\n"))
	plan, err := lines.Bind(mapreduce.Lines(text), kept.Output())
	require.NoError(t, err)
	_, err = mapreduce.RunLocal(t.Context(), plan, mapreduce.LocalOptions{})
	require.NoError(t, err)
	counts := mrtest.Check(t, mapreduce.Job[[]byte, string, int, mapreduce.Pair[string, int]]{
		Map: func(line []byte, emit func(string, int)) error {
			for w := range strings.FieldsSeq(string(line)) {
				emit(w, 1)
			}
			return nil
		},
		Combine: func(a, b int) int { return a + b },
	}, kept.Input())
	require.Contains(t, counts, mapreduce.MakePair("tarry", 2))
}
