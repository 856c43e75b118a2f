package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const twoSLSJobs = `{
  "am.type" : "mapreduce", "job.start.ms" : 105204, "job.end.ms" : 197256,
  "job.queue.name" : "q2", "job.id" : "job_2", "job.user" : "ann",
  "job.tasks" : [
    {"container.host" : "/rack-b/node7", "container.start.ms" : 111822, "container.end.ms" : 121822,
      "container.priority" : 20, "container.type" : "map", "container.execution.type": "GUARANTEED"},
    {"container.host" : "/rack-a/node1", "container.start.ms" : "111822", "container.end.ms" : "131822"},
    {"container.host" : "/rack-b/node9", "count": 2, "container.duration.ms" : 15000},
    {"duration.ms" : 7000, "container.type" : "reduce"}
  ]
}
{"job.start.ms" : 104204, "job.queue.name" : "q1", "job.id" : "job_1", "job.count": 2,
  "job.tasks" : [{"duration.ms" : 500}]}
`

const rumenTrace = `{"jobID": "job_9", "user": "bob", "queue": "q", "submitTime": 1371222054499, "jobName": "x",
  "mapTasks": [
    {"attempts": [{"result": "KILLED", "startTime": 1371222054499, "finishTime": 1371222054500},
      {"result": "SUCCESS", "startTime": 1371222061163, "finishTime": 1371222065163, "shuffleFinished": -1}],
      "preferredLocations": [{"layers": ["r1", "n1"]}]},
    {"attempts": [{"result": "SUCCESS", "startTime": 1371222061163, "finishTime": 1371222065163}],
      "preferredLocations": [{"layers": ["r2", "n5"]}]}],
  "reduceTasks": [{"attempts": [{"result": "SUCCESS", "startTime": 1371222066000, "finishTime": 1371222069000}]}]}
{"jobID": "job_10", "user": "bob", "submitTime": 1371222055500, "mapTasks": [
    {"attempts": [{"result": "FAILED", "startTime": 1, "finishTime": 2}]}]}
`

func TestReadSLS(t *testing.T) {
	w, err := Read("sls", strings.NewReader(twoSLSJobs), "t.json", TraceOptions{})
	require.NoError(t, err)
	require.Len(t, w.Jobs, 3)
	one := Job{
		Name: "job_1", Class: "bin 1", User: "default", Pool: "q1", Queue: "q1", Maps: 1, NoLocation: true, SlowStart: 1,
		Map: Cost{Setup: -1, CPU: -1, Time: 500 * time.Millisecond}, Reduce: Cost{Setup: -1, CPU: -1},
	}
	require.Equal(t, []Job{one, one}, w.Jobs[1:], "before the file's first job means with it")
	spread := math.Sqrt(math.Log(1 + 12.5/15/15)) // spread of 10, 20, 15 and 15 s
	require.InDelta(t, spread, w.Jobs[0].Map.Spread, 1e-9)
	w.Jobs[0].Map.Spread = 0
	require.Equal(t, Job{
		Name: "job_2", Class: "bin 3", User: "ann", Pool: "q2", Queue: "q2", Maps: 4, Reduces: 1,
		MapRacks: []int32{0, 1, 0, 0}, SlowStart: 1,
		Map: Cost{Setup: -1, CPU: -1, Time: 15 * time.Second}, Reduce: Cost{Setup: -1, CPU: -1, Time: 7 * time.Second},
	}, w.Jobs[0])

	w, err = Read("sls", strings.NewReader(rumenTrace), "t.json", TraceOptions{})
	require.NoError(t, err)
	require.Equal(t, []Job{{
		Name: "job_9", Class: "bin 2", User: "bob", Pool: "q", Queue: "q", Maps: 2, Reduces: 1, MapRacks: []int32{0, 1}, SlowStart: 1,
		Map: Cost{Setup: -1, CPU: -1, Time: 4 * time.Second}, Reduce: Cost{Setup: -1, CPU: -1, Time: 3 * time.Second},
	}}, w.Jobs, "a job without a map that succeeded is left out")
}

// A trace that is drawn has the mean and the deviation of each job's task times.
func TestSLSTimes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var text bytes.Buffer
	var want []taskTimes
	for i := range 50 {
		job := slsJob{ID: fmt.Sprint("job_", i), Start: millis(i * 1000)}
		var times taskTimes
		for range 1 + r.IntN(40) {
			took := millis(1 + r.IntN(100_000))
			times.add(took, 1)
			job.Tasks = append(job.Tasks, slices.Grow(job.Tasks, 1)[:1:1]...)
			k := &job.Tasks[len(job.Tasks)-1]
			k.Duration, k.Host = took, "/r/n"
		}
		want = append(want, times)
		require.NoError(t, json.NewEncoder(&text).Encode(job))
	}
	w, err := Read("sls", &text, "t.json", TraceOptions{})
	require.NoError(t, err)
	for i, j := range w.Jobs {
		mean := want[i].sum / float64(want[i].n)
		require.Equal(t, want[i].n, j.Maps)
		require.InDelta(t, mean, j.Map.Time.Seconds(), 1e-3)
		require.InDelta(t, want[i].squares/float64(want[i].n), mean*mean*math.Exp(j.Map.Spread*j.Map.Spread), 1e-6*mean*mean)
	}
}
