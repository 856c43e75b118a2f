package workload

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// batchTasks is a short trace in the form of batch_task.csv.
const batchTasks = `M1,2,1,j_1,Terminated,157213,157220,100.00,0.30
R2_1,1,1,j_1,Terminated,157221,157229,100.00,0.30
M3,30,1,j_1,Terminated,157214,157234,50.00,0.10
J4_2_3,4,1,j_1,Terminated,157240,157250,100.00,0.30
task_NTMzNTE5NzE2MjU2ODc5OTI=,1,2,j_2,Terminated,157200,157205,,
M1,7,1,j_3,Failed,157200,0,100.00,0.30
M1,7,1,j_4,Terminated,0,157205,100.00,0.30
R9_4_77,1,1,j_1,Terminated,157252,157252,100.00,0.30
`

func TestReadAlibaba(t *testing.T) {
	w, err := Read("alibaba", strings.NewReader(batchTasks), "t.csv", TraceOptions{})
	require.NoError(t, err)
	job := func(name string, at, took time.Duration, maps int, after string) Job {
		user, _, _ := strings.Cut(name, ".")
		return Job{
			Name: name, User: user, Pool: user, Class: Bin(maps), Maps: maps, NoLocation: true, After: after,
			Submit: at * time.Second, Map: Cost{Setup: -1, CPU: -1, Time: took * time.Second},
		}
	}
	require.Equal(t, []Job{
		job("j_2.task_NTMzNTE5NzE2MjU2ODc5OTI=", 0, 5, 1, ""),
		job("j_1.M1", 13, 7, 2, ""),
		job("j_1.M3", 14, 20, 30, ""),
		job("j_1.R2_1", 0, 8, 1, "j_1.M1"),
		job("j_1.J4_2_3", 0, 10, 4, "j_1.M3"), // of its two predecessors, M3 ends last
		job("j_1.R9_4_77", 0, 0, 1, "j_1.J4_2_3"),
	}, w.Jobs)
}
