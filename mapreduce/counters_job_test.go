package mapreduce

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// names lists what the counters print, without values.
func names(c *Counters) map[string]bool {
	list := map[string]bool{}
	for v := range c.All() {
		list[v.Name] = true
	}
	return list
}

// What nobody counts is not printed as 0: chunks are no records, and a job without reduces has no
// counters of reduces.
func TestCountersThatAreNotMeasured(t *testing.T) {
	text := Bytes("text", []byte(strings.Repeat("a line\n", 1000)))
	var out Collected[[]byte]
	filter := MapOnly[[]byte, []byte]{Map: func(chunk []byte, emit func([]byte)) error { emit(chunk); return nil }}
	plan, err := filter.Bind(Chunks(text), out.Output())
	require.NoError(t, err)
	c, err := RunLocal(context.Background(), plan, LocalOptions{})
	require.NoError(t, err)
	require.Equal(t, int64(1), c.Get(MapInputChunks))
	require.Equal(t, map[string]bool{
		"Map input chunks": true, "Map output records": true, "Map output bytes": true, "Bytes Read": true, "Bytes Written": true,
	}, names(c))

	var lines Collected[[]byte]
	plan, err = filter.Bind(Lines(text), lines.Output())
	require.NoError(t, err)
	c, err = RunLocal(context.Background(), plan, LocalOptions{})
	require.NoError(t, err)
	require.Equal(t, int64(1000), c.Get(MapInputRecords))
	require.False(t, names(c)["Map input chunks"])
}

// Hadoop's sum holds: map output, less what Combine takes away in maps and reduces, is what reduces
// are called with.
func TestCombineCountersAddUp(t *testing.T) {
	var out Collected[Pair[string, int64]]
	plan, err := wordCount(true).Bind(Lines(Bytes("one", []byte("a b a\n")), Bytes("two", []byte("b b c\n"))),
		out.Output())
	require.NoError(t, err)
	c := runEngine(t, plan, 2, nil, Resources{})
	require.Equal(t, int64(6), c.Get(MapOutputRecords))
	require.Equal(t, int64(6+4), c.Get(CombineInputRecords))
	require.Equal(t, int64(4+3), c.Get(CombineOutputRecords))
	require.Equal(t, int64(3), c.Get(ReduceInputRecords))
	require.Equal(t, int64(3), c.Get(ReduceInputGroups))
}
