package mapreduce

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCountersPrintAsHadoopDoes(t *testing.T) {
	var c Counters
	c.Add(MapInputRecords, 3)
	c.AddNamed(GroupFramework, "Map output records", 4)
	c.AddNamed("Words", "short", 2)
	c.AddNamed("Words", "long", 1)
	c.AddNamed(GroupJob, "Launched map tasks", 1)
	var other Counters
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
	require.Equal(t, `Counters: 17
	Job Counters
		Launched map tasks=1
	Map-Reduce Framework
		Map input records=5
		Map output records=4
		Map output bytes=0
		Map output materialized bytes=0
		Combine input records=0
		Combine output records=0
		Reduce input groups=0
		Reduce shuffle bytes=0
		Reduce input records=0
		Reduce output records=0
		Spilled Records=0
		Shuffled Maps=0
		Failed Shuffles=0
		Merged Map outputs=0
	Words
		long=7
		short=2
`, b.String())

	data, err := json.Marshal(&c)
	require.NoError(t, err)
	var back Counters
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, c, back)
}

func TestEveryCounterHasAName(t *testing.T) {
	seen := map[string]bool{}
	for id := range counterCount {
		require.NotEmpty(t, id.Group())
		require.NotEmpty(t, id.String())
		require.False(t, seen[id.Group()+id.String()])
		seen[id.Group()+id.String()] = true
	}
}
