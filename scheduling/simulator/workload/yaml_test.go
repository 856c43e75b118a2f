package workload

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling"
)

const twoPools = `# a comment
name: two pools
block: 64MiB
files:
  - {name: logs, blocks: 1440, replicas: 2}
jobs:
  - name: scan
    count: 3
    gap: 10s
    maps: 100
    file: logs
    reduces: 2
    shuffle_ratio: 0.5
    map_time: 12s
    setup: 0
    spread: 0.2
    pool: research
    priority: HIGH
    slow_start: 0
    skew: {zipf: 1}
    keys: {count: 9, zipf: 0.8, spread: 2}
  - name: report
    input: 1.5 GiB
    output: 1GB
    after: scan-2
    class: report
  - name: late
    at: 1m
    maps: uniform 5 500
    no_suspend: true
`

func TestReadYAML(t *testing.T) {
	w, err := ReadYAML(strings.NewReader(twoPools), "w.yaml", source(1))
	require.NoError(t, err)
	require.Equal(t, "two pools", w.Name)
	require.Equal(t, []File{{Name: "logs", Blocks: 1440, Replicas: 2}}, w.Files)
	var names []string
	for _, j := range w.Jobs {
		names = append(names, j.Name)
	}
	require.Equal(t, []string{"scan-1", "scan-2", "report", "scan-3", "late"}, names, "by time; report after scan-2")
	scan := w.Jobs[1]
	require.Equal(t, Job{
		Name: "scan-2", Class: "bin 5", Pool: "research", Priority: scheduling.High, Submit: 10 * time.Second,
		Maps: 100, Reduces: 2, File: 1, InputBytes: 100 * 64 << 20, ShuffleBytes: 50 * 64 << 20, SlowStart: -1,
		Skew: Skew{Zipf: 1}, Keys: Keys{Count: 9, Zipf: 0.8, Spread: 2},
		Map:    Cost{Setup: -1, Time: 12 * time.Second, CPU: 1, Spread: 0.2},
		Reduce: Cost{Setup: -1, CPU: 1, Spread: 0.2},
	}, scan)
	require.Equal(t, 24, w.Jobs[2].Maps)
	require.True(t, w.Jobs[4].NoSuspend)
}

// Each mistake is rejected with its place, and a workload that is too large before memory is
// allocated for it.
func TestBadYAML(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "w.yaml:1"},
		{"jobs: 3", "w.yaml:1:7: bad workload: want a list, not integer"},
		{"name: x\n", "no jobs in it"},
		{"jobs:\n  - name: a\n", "w.yaml:2:9: bad workload: a job needs maps or input"},
		{"jobs:\n  - maps: 5\n    input: -3\n", "w.yaml:3:12: bad workload: \"-3\" is not a size"},
		{"jobs:\n  - maps: -5\n", "w.yaml:2:11: bad workload: -5 is not between 0 and 1e+07"},
		{"jobs:\n  - maps: 5\n    mops: 4\n", "w.yaml:3:5: bad workload: unknown key \"mops\""},
		{"jobs:\n  - maps: 99999999999\n", "w.yaml:2:11"},
		{"jobs:\n  - maps: 1\n    count: 99999999999\n", "w.yaml:3:12: bad workload: \"99999999999\" is not a whole number from 1"},
		{"jobs:\n  - maps: 1\n    file: x\n", "no file is called \"x\""},
		{"files:\n  - {name: f, blocks: 2}\njobs:\n  - maps: 3\n    file: f\n", "w.yaml:4:9: bad workload: 3 maps, but file \"f\" has 2 blocks"},
		{"jobs:\n  - maps: 1\n    after: ghost\n", "comes after \"ghost\""},
		{"jobs:\n  - maps: 1\n    at: -1s\n", "w.yaml:3:9: bad workload: -1s is not between"},
		{"jobs:\n  - maps: 1\n    priority: urgent\n", "w.yaml:3:15"},
		{"jobs:\n  - maps: [1, 2]\n", "want a plain value, not sequence"},
		{"jobs:\n  - maps: 1\n    no_suspend: perhaps\n", "want true or false"},
		{"jobs:\n  - &a {maps: 1}\n  - *a\n", "w.yaml:2:"},
		{"jobs:\n - maps: 1\n\tbad", "w.yaml:"},
		{"jobs: [\n", "w.yaml:"},
		{"\x00\x01\x02", "w.yaml:1"},
		{"jobs:\n  - maps: .nan\n", "w.yaml:2:11"},
		{"jobs:\n  - maps: 1\n    shuffle: 1\n    shuffle_ratio: 1\n", "exclude each other"},
		{strings.Repeat("[", 100_000), "w.yaml:1:13: bad workload: lists and mappings nest too deep"},
		{"jobs:\n" + strings.Repeat("- ", 100_000), "w.yaml:2:23: bad workload: lists and mappings nest too deep"},
		{string(hostile["keys"](100_000)), "w.yaml:65:4: bad workload: too many keys in one mapping"},
		{"jobs:\n- maps: 1\x00", "w.yaml:2: bad workload: not text"},
		{"jobs:\n- maps: \xff", "w.yaml:2: bad workload: not text"},
		{strings.Repeat("#", 4<<20+1), "longer than"},
		{"jobs:\n- {maps: 1, count: 1000001}", "w.yaml:2:20: bad workload"},
		{"jobs:\n- {maps: 1e7, count: 6}", "w.yaml:2:3: bad workload: more than 50000000 tasks"},
		{"jobs:\n- {maps: 1, count: 99999999999999999999}", "w.yaml:2:20: bad workload"},
		{"jobs:\n- maps: .nan", "w.yaml:2:9: bad workload"},
		{"jobs:\n- maps: NaN", "w.yaml:2:9: bad workload"},
		{"jobs:\n- {maps: 1, map_time: .inf}", "bad workload"},
		{"jobs:\n- maps: -1", "w.yaml:2:9: bad workload"},
		{"jobs:\n- maps: 1e308", "w.yaml:2:9: bad workload"},
		{"jobs:\n- {maps: 1, map_time: 1e300h}", "bad workload"},
		{"jobs:\n- {maps: 1, name: " + strings.Repeat("x", 300) + "}", "name of 300 bytes"},
		{"jobs:\n- {maps: zipf 1000000 1, count: 1000000}", "steps"},
		{"files:\n- {name: f, blocks: 10000000, replicas: 1000}\njobs:\n- maps: 1", "w.yaml:2:3: bad workload"},
		{"jobs:\n- maps: 1\n  maps: 2", "w.yaml:3: bad workload"},
		{"jobs:\n- {maps: 1, slots: 1e9}", "bad workload"},
		{"jobs:\n- maps: 1\n---\njobs:\n- maps: 1", "2 documents"},
	} {
		_, err := ReadYAML(strings.NewReader(c.text), "w.yaml", source(1))
		require.ErrorIs(t, err, ErrFormat, "%.300q", c.text)
		require.ErrorContains(t, err, c.want)
		require.Less(t, len(err.Error()), 400)
		require.NotContains(t, err.Error(), "\n")
	}
}

var manyJobs = regexp.MustCompile(`(?s)count.{0,20}[0-9eE+_]{4}`)

// FuzzYAML: ReadYAML of any bytes returns a valid workload, or an error that names the file.
func FuzzYAML(f *testing.F) {
	f.Add([]byte(twoPools))
	f.Add([]byte("jobs: [{maps: 1}]"))
	f.Add([]byte("jobs:\n- &a {maps: 1}\n- *a\n"))
	f.Add([]byte("\xff: \x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if manyJobs.Match(text) {
			t.Skip("large counts only take time")
		}
		w, err := ReadYAML(bytes.NewReader(text), "f.yaml", source(1))
		if err != nil {
			require.ErrorIs(t, err, ErrFormat)
			require.Contains(t, err.Error(), "f.yaml:")
			return
		}
		require.NoError(t, w.Validate())
	})
}
