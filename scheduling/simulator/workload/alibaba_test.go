package workload

import (
	"bytes"
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
	w, err := ReadAlibaba(strings.NewReader(batchTasks), "t.csv")
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

func TestBadAlibaba(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "t.csv:1: bad workload: no task in it that succeeded"},
		{"M1,7,1,j_3,Failed,157200,0,,\n", "t.csv:1: bad workload: no task"},
		{batchTasks + "M1,1\n", "t.csv:9: bad workload: 2 columns, want 9"},
		{"M1,1.5,1,j,Terminated,1,2,,\n", `t.csv:1: bad workload: inst_num "1.5" is not a whole number`},
		{"M1,0,1,j,Terminated,1,2,,\n", "t.csv:1: bad workload: 0 instances from 1 to 2 s"},
		{"M1,1,1,j,Terminated,3,2,,\n", "t.csv:1: bad workload: 1 instances from 3 to 2 s"},
		{"M1,1,1,j,Terminated,-3,2,,\n", "start_time -3 is negative"},
		{"M1,1,1,j,Terminated,3,99999999999,,\n", "end_time 99999999999 is above"},
		{"M1,99999999,1,j,Terminated,3,4,,\n", "inst_num 99999999 is above"},
		{",1,1,j,Terminated,3,4,,\n", "names of 0 and 1 bytes"},
		{"\x7fELF\x00\xff\n", "t.csv:1: bad workload: not text"},
		{strings.Repeat("x", 2<<20), "t.csv:1: bad workload: a line of more than"},
	} {
		_, err := ReadAlibaba(strings.NewReader(c.text), "t.csv")
		require.ErrorIs(t, err, ErrFormat, c.text)
		require.ErrorContains(t, err, c.want)
	}
}

// FuzzAlibaba: any trace that is read can be simulated, and no text makes the reader panic.
func FuzzAlibaba(f *testing.F) {
	f.Add([]byte(batchTasks))
	f.Add([]byte("M1_1,1,1,j,Terminated,1,2,,\nM1_1,1,1,j,Terminated,1,2,,\n"))
	f.Add([]byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := ReadAlibaba(bytes.NewReader(text), "f")
		if err != nil {
			require.ErrorIs(t, err, ErrFormat)
			return
		}
		require.NoError(t, w.Validate())
	})
}
