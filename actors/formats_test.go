package actors

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// On a cluster, CSV records that cross blocks are read once each, and routed output is right even
// if an attempt fails. Units as input also survive a failure.
func TestFormatsOnACluster(t *testing.T) {
	c := start(t, Config{Nodes: 3, BlockSize: 512})
	var text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&text, "%d,\"a\n\"\"b\"\"\n\",k%d\n", i, i%3)
	}
	var failed atomic.Int64
	csv := mapreduce.MapOnly[mapreduce.CSVRecord, string]{Map: func(r mapreduce.CSVRecord, emit func(string)) error {
		emit(r.Fields[2] + " " + r.Fields[0])
		if strings.HasSuffix(r.Fields[0], "99") && failed.Add(1) == 1 {
			return errors.New("the first attempt")
		}
		return nil
	}}
	dir := filepath.Join(t.TempDir(), "out")
	p, err := csv.Bind(mapreduce.CSV(mapreduce.CSVOptions{}, mapreduce.Bytes("f.csv", []byte(text.String()))),
		mapreduce.Routed(mapreduce.Text[string](mapreduce.Dir(dir)), func(line string) string {
			key, _, _ := strings.Cut(line, " ")
			return key
		}))
	require.NoError(t, err)
	r := c.submit(t, p, SubmitOptions{}).wait(t)
	require.EqualValues(t, 400, r.Counters.Get(counter.MapInputRecords))
	maps, _ := launches(r)
	require.Greater(t, maps, int64(10))
	for key := range 3 {
		var lines []string
		files, err := filepath.Glob(filepath.Join(dir, fmt.Sprintf("k%d-m-*", key)))
		require.NoError(t, err)
		for _, file := range files {
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			lines = append(lines, strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")...)
		}
		for i, line := range lines {
			require.Equal(t, fmt.Sprintf("k%d %d", key, 3*i+key), line)
		}
		require.Len(t, lines, (400-key+2)/3)
	}

	var tries atomic.Int64
	read := func(_ context.Context, unit int) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			_ = yield(unit, nil) && unit == 1 && tries.Add(1) == 1 && yield(0, errors.New("the first time"))
		}
	}
	pass := mapreduce.MapOnly[int, int]{Map: func(n int, emit func(int)) error { emit(n); return nil }}
	var out mapreduce.Collected[int]
	p, err = pass.Bind(mapreduce.Units([]int{0, 1, 2}, read), out.Output())
	require.NoError(t, err)
	c.submit(t, p, SubmitOptions{}).wait(t)
	records, err := out.Records()
	require.NoError(t, err)
	require.Equal(t, []int{0, 1, 2}, records)
	require.EqualValues(t, 2, tries.Load())
}
