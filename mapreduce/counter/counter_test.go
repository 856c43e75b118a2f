package counter

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCountersPrintAsHadoopDoes(t *testing.T) {
	var c Set
	c.Add(MapInputRecords, 3)
	c.AddNamed(GroupFramework, "Map output records", 4)
	c.Add(SpilledRecords, 0)
	c.Add(FileBytesWritten, 0) // the only counter of its group
	c.AddNamed("Words", "short", 2)
	c.AddNamed("Words", "long", 1)
	c.AddNamed(GroupJob, "Launched map tasks", 1)
	var other Set
	other.Add(MapInputRecords, 2)
	other.AddNamed("Words", "long", 6)
	c.Merge(&other)
	c.Merge(nil)
	require.Equal(t, int64(5), c.Get(MapInputRecords))
	require.Equal(t, int64(4), c.Get(MapOutputRecords))
	require.Equal(t, int64(7), c.Named("Words", "long"))
	require.Equal(t, int64(5), c.Named(GroupFramework, "Map input records"))
	require.Zero(t, c.Named("Words", "none"))

	var b strings.Builder
	require.NoError(t, c.Print(&b))
	require.Equal(t, `Counters: 6
	Job Counters
		Launched map tasks=1
	Map-Reduce Framework
		Map input records=5
		Map output records=4
		Spilled Records=0
	Words
		long=7
		short=2
`, b.String())

	data, err := json.Marshal(&c)
	require.NoError(t, err)
	var back Set
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, slices.Collect(c.All()), slices.Collect(back.All()))
}

func TestEveryCounterHasAName(t *testing.T) {
	seen := map[string]bool{}
	for id := range count {
		require.NotEmpty(t, id.Group())
		require.NotEmpty(t, id.String())
		require.False(t, seen[id.Group()+id.String()])
		seen[id.Group()+id.String()] = true
	}
}
