package actors

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
)

type pair = mapreduce.Pair[string, int64]

func wordCount(t testing.TB, text string, out *mapreduce.Collected[pair], reducers int) *mapreduce.Plan {
	t.Helper()
	job := mapreduce.Job[[]byte, string, int64, pair]{
		Name: "wordcount",
		Map: func(line []byte, emit func(string, int64)) error {
			for w := range strings.FieldsSeq(string(line)) {
				emit(w, 1)
			}
			return nil
		},
		Combine: func(a, b int64) int64 { return a + b },
		Reduce: func(k string, vs iter.Seq[int64], emit func(pair)) error {
			var n int64
			for v := range vs {
				n += v
			}
			emit(mapreduce.MakePair(k, n))
			return nil
		},
		Reducers: reducers,
	}
	p, err := job.Bind(mapreduce.Lines(mapreduce.Bytes("text", []byte(text))), out.Output())
	require.NoError(t, err)
	return p
}

func TestSmoke(t *testing.T) {
	c, err := Start(Config{})
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	var out mapreduce.Collected[pair]
	h, err := c.Submit(context.Background(), wordCount(t, "a b a\nc a\n", &out, 1), SubmitOptions{})
	require.NoError(t, err)
	r, err := h.Wait(context.Background())
	require.NoError(t, err)
	got, err := out.Records()
	require.NoError(t, err)
	require.Equal(t, []pair{{First: "a", Second: 3}, {First: "b", Second: 1}, {First: "c", Second: 1}}, got)
	var sb strings.Builder
	require.NoError(t, r.Counters.Print(&sb))
	t.Log(sb.String(), r.Elapsed)
}
