package workload

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Read applies the scale of times and the number of jobs to every format of trace.
func TestReadForms(t *testing.T) {
	texts := map[string]string{
		"swim":    "j0\t10\t0\t64\t0\t0\nj1\t20\t10\t64\t0\t0\nj2\t30\t10\t64\t0\t0\n",
		"coflow":  "3 3\n1 10000 1 0 1 1:5\n2 20000 1 0 1 1:5\n3 30000 1 0 1 1:5\n",
		"sls":     `{"am.type":"mapreduce","job.start.ms":10000,"job.end.ms":11000,"job.id":"a","job.queue.name":"q","job.tasks":[{"container.host":"/r/n","container.start.ms":10000,"container.end.ms":11000,"container.priority":20,"container.type":"map"}]}` + "\n",
		"alibaba": "m1,1,j_1,1,Terminated,10,20,100,0.5\nm1,1,j_2,1,Terminated,30,40,100,0.5\n",
	}
	for _, form := range Forms() {
		text := texts[form]
		if form == "sls" {
			text += strings.NewReplacer("10000", "30000", "11000", "31000", `"a"`, `"b"`).Replace(text)
		}
		plain, err := Read(form, strings.NewReader(text), form, TraceOptions{})
		require.NoError(t, err, form)
		require.Greater(t, len(plain.Jobs), 1, form)
		last := plain.Jobs[1].Submit
		require.Positive(t, last, form)
		twice, err := Read(form, strings.NewReader(text), form, TraceOptions{TimeScale: 2})
		require.NoError(t, err)
		require.InDelta(t, 2*last, twice.Jobs[1].Submit, float64(time.Second), form)
		first, err := Read(form, strings.NewReader(text), form, TraceOptions{Jobs: 1})
		require.NoError(t, err)
		require.Len(t, first.Jobs, 1, form)
	}
	_, err := Read("csv", strings.NewReader(""), "x", TraceOptions{})
	require.ErrorContains(t, err, `no form of traces "csv"`)
}

// The readers reject each mistake in a trace with its line.
func TestBadTraces(t *testing.T) {
	for form, cases := range map[string][]struct{ text, want string }{
		"swim": {
			{"", "t:1: bad workload: no job"},
			{"job0\t1\t1\t2\t3\n", "t:1: bad workload: 5 columns"},
			{"job0\t1\t1\t-2\t3\t4\n", "t:1: bad workload: map input bytes -2 is negative"},
			{firstRows + "job4\t196\t1\t2\t3\t4\n", "t:5: bad workload: time goes back from 197 s to 196 s"},
			{"job0\t1\t1\t9223372036854775807\t3\t4\n", "t:1: bad workload: map input bytes 9223372036854775807 is above"},
			{"job0\t1\t1\t99999999999999999999\t3\t4\n", "is not a whole number"},
			{"job0\t1e3\t1\t2\t3\t4\n", "submit time \"1e3\" is not a whole number"},
			{"job0\t99999999999\t1\t2\t3\t4\n", "submit time 99999999999 is above"},
			{"job0\t1\t1\t2\t3\t4\n\x7fELF\x00\xff\t\n", "t:2: bad workload: not text"},
			{"\t1\t1\t2\t3\t4\n", "job id of 0 bytes"},
			{"job0\t1\t1\t1000000000000000000\t3\t4\n", "maps, at most"},
			{strings.Repeat("x", 2<<20), "t:1: bad workload: a line of more than"},
		},
		"coflow": {
			{"", "t:1: bad workload: 0 coflows"},
			{"150\n", "t:1: bad workload: the line ends before the number of coflows"},
			{"0 1\n", "t:1: bad workload: no racks"},
			{"150 -1\n", "t:1: bad workload: number of coflows -1 is negative"},
			{"150 99999999\n", "t:1: bad workload: number of coflows 99999999 is above"},
			{"150 2\n1 0 1 5 1 6:1\n", "t:2: bad workload: 1 coflows, the first line says 2"},
			{"150 1\n1 0 1 5 1 6:1\n2 0 1 5 1 6:1\n", "t:3: bad workload: more than the 1 coflows"},
			{"150 2\n1 9 1 5 1 6:1\n2 8 1 5 1 6:1\n", "t:3: bad workload: time goes back from 9ms to 8ms"},
			{"150 1\n1 -5 1 5 1 6:1\n", "t:2: bad workload: arrival time -5 is negative"},
			{"150 1\n1 0 1 150 1 6:1\n", "t:2: bad workload: rack of a map 150 is above 149"},
			{"150 1\n1 0 4000000000 5 1 6:1\n", "t:2: bad workload: number of maps 4000000000 is above 3"},
			{"150 1\n1 0 3 5 1 6:1\n", `t:2: bad workload: rack of a map "6:1" is not a whole number`},
			{"150 1\n1 0 1 5 2 6:1\n", "t:2: bad workload: number of reduces 2 is above 1"},
			{"150 1\n1 0 1 5 1 6\n", `t:2: bad workload: reduce "6" is not rack:megabytes`},
			{"150 1\n1 0 1 5 1 6:-1\n", "t:2: bad workload: megabytes -1 of a reduce are not between"},
			{"150 1\n1 0 1 5 1 6:NaN\n", "t:2: bad workload: megabytes NaN of a reduce are not between"},
			{"150 1\n1 0 1 5 1 6:1e300\n", "are not between 0 and 1e+09"},
			{"150 1\n1 0 0 1 6:1\n", "t:2: bad workload: 0 maps and 1 reduces"},
			{"150 1\n1 0 1 5 1 6:1 7:1\n", `t:2: bad workload: 1 more columns than announced, the first is "7:1"`},
			{"150 1\n\x7fELF\x00\xff\n", "t:2: bad workload: not text"},
		},
		"alibaba": {
			{"", "t:1: bad workload: no task in it that succeeded"},
			{"M1,7,1,j_3,Failed,157200,0,,\n", "t:1: bad workload: no task"},
			{batchTasks + "M1,1\n", "t:9: bad workload: 2 columns, want 9"},
			{"M1,1.5,1,j,Terminated,1,2,,\n", `t:1: bad workload: inst_num "1.5" is not a whole number`},
			{"M1,0,1,j,Terminated,1,2,,\n", "t:1: bad workload: 0 instances from 1 to 2 s"},
			{"M1,1,1,j,Terminated,3,2,,\n", "t:1: bad workload: 1 instances from 3 to 2 s"},
			{"M1,1,1,j,Terminated,-3,2,,\n", "start_time -3 is negative"},
			{"M1,1,1,j,Terminated,3,99999999999,,\n", "end_time 99999999999 is above"},
			{"M1,99999999,1,j,Terminated,3,4,,\n", "inst_num 99999999 is above"},
			{",1,1,j,Terminated,3,4,,\n", "names of 0 and 1 bytes"},
			{"\x7fELF\x00\xff\n", "t:1: bad workload: not text"},
			{strings.Repeat("x", 2<<20), "t:1: bad workload: a line of more than"},
		},
		"sls": {
			{"", "t:1: bad workload: no job in it"},
			{twoSLSJobs + "\n{", "t:15: bad workload: unexpected EOF"},
			{twoSLSJobs + "\n{\n\"a\" 3", "t:16: bad workload: invalid character '3'"},
			{"\n\n[1]", "t:3: bad workload: json"},
			{"\x7fELF", "t:1: bad workload: invalid character"},
			{`{"job.start.ms": -5}`, "t:1: bad workload: number -5 is negative"},
			{`{"job.start.ms": 1e300}`, `number "1e300" is not a whole number`},
			{"\n" + `{"job.id": "a", "job.tasks": [{"container.start.ms": 9, "container.end.ms": 3}]}`, `t:2: bad workload: job "a": a task ends before`},
			{`{"job.id": "a", "job.tasks": [{"container.type": "am"}]}`, `job "a": container.type "am" is neither map nor reduce`},
			{`{"job.id": "a", "job.tasks": [{"count": 10000001}]}`, `job "a": more than 10000000 tasks`},
			{`{"job.id": "a", "job.count": 2000000, "job.tasks": [{"duration.ms": 1}]}`, "more than 1000000 jobs"},
			{`{"job.id": "a", "job.count": 9999999999999, "job.tasks": []}`, "no job in it"},
			{`{"job.id": "a", "job.tasks": [{"duration.ms": 40000000000}]}`, `job "a": map time`},
			{`{"job.id": "` + strings.Repeat("x", 300) + `", "job.tasks": [{"duration.ms": 1}]}`, "name of 300 bytes"},
		},
	} {
		for _, c := range cases {
			_, err := Read(form, strings.NewReader(c.text), "t", TraceOptions{})
			require.ErrorIs(t, err, ErrFormat, c.text)
			require.ErrorContains(t, err, c.want)
		}
	}
}

// FuzzTraces: any trace that is read can be simulated, and no text makes a reader panic.
func FuzzTraces(f *testing.F) {
	for _, text := range []string{
		firstRows, "job0\t0\t0\t134217728\t0\t0\tinputPath1\t\t\njob1\t5\t5\t999999999\t0\t0\tinputPath0\t\t\n", "job0\t-1\t0\t1\t0\t0\n",
		twoCoflows, "1 1\n0 0 1 0 1 0:1e9\n", "150 1\n1 0 1 5 1 6:-1\n",
		batchTasks, "M1_1,1,1,j,Terminated,1,2,,\nM1_1,1,1,j,Terminated,1,2,,\n",
		twoSLSJobs, rumenTrace, `{"job.count": "3", "job.tasks": [{"count": -1, "duration.ms": null}]}`, "\x00\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range Forms() {
			if w, err := Read(form, strings.NewReader(text), "f", TraceOptions{}); err == nil {
				require.NoError(t, w.Validate(), form)
				require.True(t, form != "sls" || slices.IsSortedFunc(w.Jobs, func(a, b Job) int { return int(a.Submit - b.Submit) }))
			}
		}
	})
}
