package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const firstRows = "job0\t49\t49\t740773\t2339561\t627471\n" +
	"job1\t101\t52\t736346\t1700537\t432269\n" +
	"job2\t122\t21\t267631\t594312\t0\n" +
	"job3\t197\t75\t14495514624\t0\t37\n"

func TestReadSWIM(t *testing.T) {
	w, err := Read("swim", strings.NewReader(firstRows), "t.tsv", TraceOptions{})
	require.NoError(t, err)
	require.Len(t, w.Jobs, 4)
	require.Equal(t, 49*time.Second, w.Jobs[0].Submit)
	require.Equal(t, 1, w.Jobs[0].Maps)
	require.Equal(t, 1, w.Jobs[0].Reduces)
	require.Equal(t, 108, w.Jobs[3].Maps)
	require.Zero(t, w.Jobs[3].Reduces, "nothing shuffled: map-only")
	require.Equal(t, "bin 5", w.Jobs[3].Class)

	half, err := Read("swim", strings.NewReader(firstRows), "t.tsv", TraceOptions{Nodes: 300, OriginalNodes: 600, Jobs: 2, TimeScale: 0.5})
	require.NoError(t, err)
	require.Len(t, half.Jobs, 2)
	require.Equal(t, int64(370387), half.Jobs[0].InputBytes)
	require.Equal(t, 24500*time.Millisecond, half.Jobs[0].Submit)
}

// SWIM's generator prints k-1 for a path k that was read before; the reader corrects that.
func TestRepairPaths(t *testing.T) {
	truth := []int{1, 2, 1, 3, 3, 2, 4, 1}
	var labels []string
	newest := 0
	for _, k := range truth {
		label := k - 1 // as SWIM prints a path read before
		if k > newest {
			newest, label = k, k
		}
		labels = append(labels, "inputPath"+string(rune('0'+label)))
	}
	require.Equal(t, truth, repairPaths(labels))

	literal := []string{"/a", "/b", "", "/a"}
	require.Equal(t, []int{1, 2, 0, 1}, repairPaths(literal), "labels of another form stand as they are")
}

// Jobs that read one path share a file, as long as the largest of these jobs needs.
func TestSharedPaths(t *testing.T) {
	text := "job0\t0\t0\t134217728\t0\t0\tinputPath1\t\t\n" +
		"job1\t5\t5\t999999999\t0\t0\tinputPath0\t\t\n" +
		"job2\t5\t0\t1\t0\t0\tinputPath2\t\t\n"
	w, err := Read("swim", strings.NewReader(text), "t.tsv", TraceOptions{})
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 2}, []int{w.Jobs[0].File, w.Jobs[1].File, w.Jobs[2].File})
	require.Equal(t, []File{{Name: "path1", Blocks: 8}, {Name: "path2", Blocks: 1}}, w.Files)
}

// tracePath returns the path of SWIM's day of 2009, in $TARRY_TRACES or next to the repository. If
// it is not there, the test is skipped.
func tracePath(t testing.TB) string {
	for _, dir := range []string{os.Getenv("TARRY_TRACES"), "../../../../shared/traces"} {
		path := filepath.Join(dir, "FB-2009_samples_24_times_1hr_0.tsv")
		if _, err := os.Stat(path); dir != "" && err == nil {
			return path
		}
	}
	t.Skip("the trace is not here; set TARRY_TRACES to its folder")
	return ""
}

// SWIM's day of 2009 has 5,894 jobs, mean gap 14.66 s, 75.5 % map-only, 205,713 maps of 128 MB.
func TestFacebook2009(t *testing.T) {
	f, err := os.Open(tracePath(t))
	require.NoError(t, err)
	defer f.Close()
	w, err := Read("swim", f, "FB09", TraceOptions{})
	require.NoError(t, err)
	require.Len(t, w.Jobs, 5894)
	maps, _ := w.Tasks()
	require.Equal(t, 205_713, maps)
	mapOnly := 0
	for _, j := range w.Jobs {
		if j.ShuffleBytes == 0 {
			mapOnly++
		}
	}
	require.InDelta(t, 0.755, float64(mapOnly)/5894, 0.001)
	require.InDelta(t, 14.66, w.Jobs[5893].Submit.Seconds()/5894, 0.01)
}
