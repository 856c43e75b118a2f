package workload

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
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
	w, err := ReadSWIM(strings.NewReader(firstRows), "t.tsv", TraceOptions{})
	require.NoError(t, err)
	require.Len(t, w.Jobs, 4)
	require.Equal(t, 49*time.Second, w.Jobs[0].Submit)
	require.Equal(t, 1, w.Jobs[0].Maps)
	require.Equal(t, 1, w.Jobs[0].Reduces)
	require.Equal(t, 108, w.Jobs[3].Maps)
	require.Zero(t, w.Jobs[3].Reduces, "nothing shuffled: map-only")
	require.Equal(t, "bin 5", w.Jobs[3].Class)

	half, err := ReadSWIM(strings.NewReader(firstRows), "t.tsv", TraceOptions{Nodes: 300, OriginalNodes: 600, Jobs: 2, TimeScale: 0.5})
	require.NoError(t, err)
	require.Len(t, half.Jobs, 2)
	require.Equal(t, int64(370387), half.Jobs[0].InputBytes)
	require.Equal(t, 24500*time.Millisecond, half.Jobs[0].Submit)
}

func TestBadTraces(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "t.tsv:1: bad workload: no job"},
		{"job0\t1\t1\t2\t3\n", "t.tsv:1: bad workload: 5 columns"},
		{"job0\t1\t1\t-2\t3\t4\n", "t.tsv:1: bad workload: map input bytes -2 is negative"},
		{firstRows + "job4\t196\t1\t2\t3\t4\n", "t.tsv:5: bad workload: time goes back from 197 s to 196 s"},
		{"job0\t1\t1\t9223372036854775807\t3\t4\n", "t.tsv:1: bad workload: map input bytes 9223372036854775807 is above"},
		{"job0\t1\t1\t99999999999999999999\t3\t4\n", "is not a whole number"},
		{"job0\t1e3\t1\t2\t3\t4\n", "submit time \"1e3\" is not a whole number"},
		{"job0\t99999999999\t1\t2\t3\t4\n", "submit time 99999999999 is above"},
		{"job0\t1\t1\t2\t3\t4\n\x7fELF\x00\xff\t\n", "t.tsv:2: bad workload: not text"},
		{"\t1\t1\t2\t3\t4\n", "job id of 0 bytes"},
		{"job0\t1\t1\t1000000000000000000\t3\t4\n", "maps, at most"},
		{strings.Repeat("x", 2<<20), "t.tsv:1: bad workload: a line of more than"},
	} {
		_, err := ReadSWIM(strings.NewReader(c.text), "t.tsv", TraceOptions{})
		require.ErrorIs(t, err, ErrFormat)
		require.ErrorContains(t, err, c.want)
	}
}

// SWIM's generator prints k-1 for a path k that was read before; the reader corrects that.
func TestRepairPaths(t *testing.T) {
	truth := []int{1, 2, 1, 3, 3, 2, 4, 1}
	var rows []TraceRow
	newest := 0
	for _, k := range truth {
		label := k - 1 // as SWIM prints a path read before
		if k > newest {
			newest, label = k, k
		}
		rows = append(rows, TraceRow{Path: "inputPath" + string(rune('0'+label))})
	}
	require.Equal(t, truth, repairPaths(rows))

	literal := []TraceRow{{Path: "/a"}, {Path: "/b"}, {}, {Path: "/a"}}
	require.Equal(t, []int{1, 2, 0, 1}, repairPaths(literal), "labels of another form stand as they are")
}

// Jobs that read one path share a file, as long as the largest of these jobs needs.
func TestSharedPaths(t *testing.T) {
	text := "job0\t0\t0\t134217728\t0\t0\tinputPath1\t\t\n" +
		"job1\t5\t5\t999999999\t0\t0\tinputPath0\t\t\n" +
		"job2\t5\t0\t1\t0\t0\tinputPath2\t\t\n"
	w, err := ReadSWIM(strings.NewReader(text), "t.tsv", TraceOptions{})
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
	w, err := ReadSWIM(f, "FB09", TraceOptions{})
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

// writeTrace writes rows in the form that ReadTrace reads.
func writeTrace(w io.Writer, rows []TraceRow) error {
	b := bufio.NewWriter(w)
	for _, r := range rows {
		fmt.Fprintf(b, "%s\t%d\t%d\t%d\t%d\t%d", r.ID, r.Submit, r.Gap, r.Input, r.Shuffle, r.Output)
		if r.Path != "" {
			fmt.Fprintf(b, "\t%s\t\t", r.Path)
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// FuzzTrace: a trace is the same after writing and reading, and no text makes the reader panic.
func FuzzTrace(f *testing.F) {
	f.Add([]byte(firstRows))
	f.Add([]byte("job0\t0\t0\t134217728\t0\t0\tinputPath1\t\t\njob1\t5\t5\t999999999\t0\t0\tinputPath0\t\t\n"))
	f.Add([]byte("job0\t-1\t0\t1\t0\t0\n"))
	f.Add([]byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := ReadTrace(bytes.NewReader(text), "f")
		if err != nil {
			require.ErrorIs(t, err, ErrFormat)
			return
		}
		var out bytes.Buffer
		require.NoError(t, writeTrace(&out, rows))
		again, err := ReadTrace(&out, "f")
		require.NoError(t, err)
		require.Equal(t, rows, again)
		w, err := FromTrace(rows, TraceOptions{})
		if err == nil {
			require.NoError(t, w.Validate())
		}
	})
}
