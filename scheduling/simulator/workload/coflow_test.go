package workload

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// twoCoflows is a trace of two coflows in the form of the coflow benchmark.
const twoCoflows = "150 2\n1 0 2 0 149 1 28:5.0\n7 3488741 1 38 2 92:128.5 3:0.000001\n"

func TestReadCoflows(t *testing.T) {
	list, racks, err := ReadCoflows(strings.NewReader(twoCoflows), "t.txt")
	require.NoError(t, err)
	require.Equal(t, 150, racks)
	require.Equal(t, []Coflow{
		{ID: 1, Maps: []int32{0, 149}, Reduces: []int32{28}, Bytes: []int64{5e6}},
		{ID: 7, Arrival: 3488741 * time.Millisecond, Maps: []int32{38}, Reduces: []int32{92, 3}, Bytes: []int64{128.5e6, 1}},
	}, list)
	w, err := FromCoflows(list, TraceOptions{TimeScale: 0.5, Map: Cost{Time: time.Second}})
	require.NoError(t, err)
	require.Equal(t, Job{
		Name: "coflow7", User: "user7", Class: "1 rack", Submit: 1744370 * time.Millisecond, Maps: 1, MapRacks: []int32{38}, Reduces: 2, ShuffleBytes: 128.5e6 + 1,
		Partitions: []int64{128.5e6, 1}, Map: Cost{Time: time.Second},
	}, w.Jobs[1])
	w, err = FromCoflows(list, TraceOptions{Jobs: 1})
	require.NoError(t, err)
	require.Len(t, w.Jobs, 1)
	_, err = FromCoflows(list, TraceOptions{TimeScale: -1})
	require.ErrorContains(t, err, "time scale -1")
}

func TestBadCoflows(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "t.txt:1: bad workload: 0 coflows"},
		{"150\n", "t.txt:1: bad workload: the line ends before the number of coflows"},
		{"0 1\n", "t.txt:1: bad workload: no racks"},
		{"150 -1\n", "t.txt:1: bad workload: number of coflows -1 is negative"},
		{"150 99999999\n", "t.txt:1: bad workload: number of coflows 99999999 is above"},
		{"150 2\n1 0 1 5 1 6:1\n", "t.txt:2: bad workload: 1 coflows, the first line says 2"},
		{"150 1\n1 0 1 5 1 6:1\n2 0 1 5 1 6:1\n", "t.txt:3: bad workload: more than the 1 coflows"},
		{"150 2\n1 9 1 5 1 6:1\n2 8 1 5 1 6:1\n", "t.txt:3: bad workload: time goes back from 9ms to 8ms"},
		{"150 1\n1 -5 1 5 1 6:1\n", "t.txt:2: bad workload: arrival time -5 is negative"},
		{"150 1\n1 0 1 150 1 6:1\n", "t.txt:2: bad workload: rack of a map 150 is above 149"},
		{"150 1\n1 0 4000000000 5 1 6:1\n", "t.txt:2: bad workload: number of maps 4000000000 is above 3"},
		{"150 1\n1 0 3 5 1 6:1\n", `t.txt:2: bad workload: rack of a map "6:1" is not a whole number`},
		{"150 1\n1 0 1 5 2 6:1\n", "t.txt:2: bad workload: number of reduces 2 is above 1"},
		{"150 1\n1 0 1 5 1 6\n", `t.txt:2: bad workload: reduce "6" is not rack:megabytes`},
		{"150 1\n1 0 1 5 1 6:-1\n", "t.txt:2: bad workload: megabytes -1 of a reduce are not between"},
		{"150 1\n1 0 1 5 1 6:NaN\n", "t.txt:2: bad workload: megabytes NaN of a reduce are not between"},
		{"150 1\n1 0 1 5 1 6:1e300\n", "are not between 0 and 1e+09"},
		{"150 1\n1 0 0 1 6:1\n", "t.txt:2: bad workload: 0 maps and 1 reduces"},
		{"150 1\n1 0 1 5 1 6:1 7:1\n", `t.txt:2: bad workload: 1 more columns than announced, the first is "7:1"`},
		{"150 1\n\x7fELF\x00\xff\n", "t.txt:2: bad workload: not text"},
	} {
		_, _, err := ReadCoflows(strings.NewReader(c.text), "t.txt")
		require.ErrorIs(t, err, ErrFormat, c.text)
		require.ErrorContains(t, err, c.want)
	}
}

// DrawCoflows has the properties of the real file. A third of the shuffles has its maps in one
// rack, and nearly all bytes are in those with more than 75 racks of maps.
func TestDrawCoflows(t *testing.T) {
	list := DrawCoflows(rand.New(rand.NewPCG(1, 0)), 5000)
	single, large, all := 0, int64(0), int64(0)
	for i, c := range list {
		require.True(t, i == 0 || c.Arrival >= list[i-1].Arrival)
		require.True(t, slices.IsSorted(c.Maps) && len(slices.Compact(slices.Clone(c.Maps))) == len(c.Maps), "each rack once")
		if len(c.Maps) == 1 {
			single++
		}
		if len(c.Maps) > 75 {
			large += c.Total()
		}
		all += c.Total()
	}
	require.InDelta(t, 0.333, float64(single)/5000, 0.03)
	require.InDelta(t, 0.96, float64(large)/float64(all), 0.02)
	w, err := FromCoflows(list, TraceOptions{})
	require.NoError(t, err)
	require.InDelta(t, 3600.0/526, w.Jobs[4999].Submit.Seconds()/5000, 0.3)
}

// FB2010-1Hr-150-0.txt has 526 coflows and 35.5 TB; a third of them has its maps in one rack.
func TestFacebookCoflows(t *testing.T) {
	f, err := os.Open(filepath.Join(os.Getenv("TARRY_TRACES"), "FB2010-1Hr-150-0.txt"))
	if err != nil {
		t.Skip("the trace is not here; set TARRY_TRACES to its folder")
	}
	defer f.Close()
	list, racks, err := ReadCoflows(f, "FB2010")
	require.NoError(t, err)
	require.Equal(t, 150, racks)
	require.Len(t, list, 526)
}

// writeCoflows writes a trace in the form that ReadCoflows reads.
func writeCoflows(w io.Writer, list []Coflow, racks int) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%d %d\n", racks, len(list))
	for _, c := range list {
		fmt.Fprintf(b, "%d %d %d", c.ID, c.Arrival.Milliseconds(), len(c.Maps))
		for _, r := range c.Maps {
			fmt.Fprintf(b, " %d", r)
		}
		fmt.Fprintf(b, " %d", len(c.Reduces))
		for i, r := range c.Reduces {
			fmt.Fprintf(b, " %d:%s", r, strconv.FormatFloat(float64(c.Bytes[i])/megabyte, 'f', -1, 64))
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

// FuzzCoflows: a trace is the same after writing and reading, and no text makes the reader panic.
func FuzzCoflows(f *testing.F) {
	f.Add([]byte(twoCoflows))
	f.Add([]byte("1 1\n0 0 1 0 1 0:1e9\n"))
	f.Add([]byte("150 1\n1 0 1 5 1 6:-1\n"))
	f.Add([]byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, racks, err := ReadCoflows(bytes.NewReader(text), "f")
		if err != nil {
			require.ErrorIs(t, err, ErrFormat)
			return
		}
		var out bytes.Buffer
		require.NoError(t, writeCoflows(&out, list, racks))
		again, same, err := ReadCoflows(&out, "f")
		require.NoError(t, err)
		require.Equal(t, racks, same)
		require.Equal(t, list, again)
		w, err := FromCoflows(list, TraceOptions{})
		require.NoError(t, err)
		require.NoError(t, w.Validate())
	})
}
