package csvfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// The splits of a CSV file share one pass that finds record starts; a single split needs none.
func TestMarks(t *testing.T) {
	record := "some,\"quoted\nwords\"\n"
	list, err := input.Own([]input.Source{input.Bytes("f.csv", []byte(strings.Repeat(record, 3<<20/len(record))))})
	require.NoError(t, err)
	records := Read(Options{}, nil, func(_ *File, r Record) (Record, error) { return r, nil })
	split := func(off int64) (n int) {
		r := &read.Reader{Ctx: t.Context(), Windows: read.UsualWindows(), Source: list[0], Split: cluster.Split{Offset: off, Length: 1000}}
		require.NoError(t, records(r, func(batch []Record) error { n += len(batch); return nil }))
		return n
	}
	require.Equal(t, 1000/len(record), split(0))
	require.Empty(t, marksOf(list[0]).list)
	for range 2 {
		require.NotZero(t, split(5<<19+3))
		require.Len(t, marksOf(list[0]).list, 3)
	}
}
