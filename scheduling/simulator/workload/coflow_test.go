package workload

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// twoCoflows is a trace of two coflows in the form of the coflow benchmark.
const twoCoflows = "150 2\n1 0 2 0 149 1 28:5.0\n7 3488741 1 38 2 92:128.5 3:0.000001\n"

func TestReadCoflows(t *testing.T) {
	w, err := Read("coflow", strings.NewReader(twoCoflows), "t.txt", TraceOptions{TimeScale: 0.5})
	require.NoError(t, err)
	require.Equal(t, []Job{{
		Name: "coflow1", User: "user1", Class: "2-5 racks", Maps: 2, MapRacks: []int32{0, 149}, Reduces: 1, ShuffleBytes: 5e6,
		Partitions: []int64{5e6}, ReduceRacks: []int32{28},
	}, {
		Name: "coflow7", User: "user7", Class: "1 rack", Submit: 1744370 * time.Millisecond, Maps: 1, MapRacks: []int32{38}, Reduces: 2, ShuffleBytes: 128.5e6 + 1,
		Partitions: []int64{128.5e6, 1}, ReduceRacks: []int32{92, 3},
	}}, w.Jobs)
	_, err = Read("coflow", strings.NewReader(twoCoflows), "t.txt", TraceOptions{TimeScale: -1})
	require.ErrorContains(t, err, "time scale -1")
}

// DrawCoflows has the properties of the real file. A third of the shuffles has its maps in one
// rack, and nearly all bytes are in those with more than 75 racks of maps.
func TestDrawCoflows(t *testing.T) {
	w := DrawCoflows(rand.New(rand.NewPCG(1, 0)), 5000)
	require.NoError(t, w.Validate())
	single, large, all := 0, int64(0), int64(0)
	for i, j := range w.Jobs {
		require.True(t, i == 0 || j.Submit >= w.Jobs[i-1].Submit)
		require.True(t, slices.IsSorted(j.MapRacks) && len(slices.Compact(slices.Clone(j.MapRacks))) == j.Maps, "each rack once")
		if j.Maps == 1 {
			single++
		}
		if j.Maps > 75 {
			large += j.ShuffleBytes
		}
		all += j.ShuffleBytes
	}
	require.InDelta(t, 0.333, float64(single)/5000, 0.03)
	require.InDelta(t, 0.96, float64(large)/float64(all), 0.02)
	require.InDelta(t, 3600.0/526, w.Jobs[4999].Submit.Seconds()/5000, 0.3)
}

// FB2010-1Hr-150-0.txt has 526 coflows and 35.5 TB; a third of them has its maps in one rack.
func TestFacebookCoflows(t *testing.T) {
	f, err := os.Open(filepath.Join(os.Getenv("TARRY_TRACES"), "FB2010-1Hr-150-0.txt"))
	if err != nil {
		t.Skip("the trace is not here; set TARRY_TRACES to its folder")
	}
	defer f.Close()
	w, err := Read("coflow", f, "FB2010", TraceOptions{})
	require.NoError(t, err)
	require.Len(t, w.Jobs, 526)
	for _, j := range w.Jobs {
		require.Less(t, slices.Max(slices.Concat(j.MapRacks, j.ReduceRacks)), int32(CoflowRacks))
	}
}
