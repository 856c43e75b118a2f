package workload

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/internal/textfile"
)

// batchTask is a line of batch_task.csv: a stage of a job, consisting of parallel instances.
type batchTask struct {
	job, name  string
	instances  int
	start, end int64    // seconds
	number     string   // number of the stage in its job, empty if the task's name has none
	after      []string // numbers of the stages on which it depends
}

// ReadAlibaba reads batch_task.csv of Alibaba's cluster-trace-v2018. name is used in messages.
// Errors wrap ErrFormat.
//
// A task of the trace becomes a job with a map for each instance. Each map takes as long as the
// recorded task, since the file has no times of instances. The job arrives at the recorded start,
// or after the last of the tasks on which it depends by its name (R4_2_3: on 2 and 3). All tasks of
// a job have the job as their user and pool. The maps prefer no node. Tasks that did not succeed,
// or that are partly outside of the trace's eight days, are skipped. The first task arrives at 0.
func ReadAlibaba(r io.Reader, name string) (Workload, error) {
	var tasks []batchTask
	n, err := textfile.EachLine(r, 64<<10, func(_ int, line string) error {
		t, ended, err := parseBatchTask(line)
		if err == nil && len(tasks) == maxJobs {
			err = fmt.Errorf("more than %d tasks; cut the file", maxJobs)
		}
		if err == nil && ended {
			tasks = append(tasks, t)
		}
		return err
	})
	if err == nil && len(tasks) == 0 {
		err = errors.New("no task in it that succeeded")
	}
	if err != nil {
		return Workload{}, refuse(name, max(n, 1), "%v", err)
	}
	w := Workload{Name: name, Jobs: stages(tasks)}
	if err := w.Validate(); err != nil {
		return Workload{}, refuse(name, 1, "%v", err)
	}
	return w, nil
}

// parseBatchTask parses a line: task_name, inst_num, task_type, job_name, status, start_time,
// end_time, plan_cpu, plan_mem. It reports whether the task ended within the trace.
func parseBatchTask(line string) (t batchTask, ended bool, err error) {
	col := strings.Split(strings.TrimSpace(line), ",")
	if len(col) != 9 {
		return t, false, fmt.Errorf("%d columns, want 9", len(col))
	}
	t.name, t.job = col[0], col[3]
	if t.name == "" || t.job == "" || len(t.name)+1+len(t.job) > maxNameLen {
		return t, false, fmt.Errorf("names of %d and %d bytes", len(t.name), len(t.job))
	}
	if col[4] != "Terminated" {
		return t, false, nil
	}
	var c columns
	t.instances = int(c.number("inst_num", col[1], maxTasks))
	t.start = c.number("start_time", col[5], maxSeconds)
	t.end = c.number("end_time", col[6], maxSeconds)
	if c.err != nil {
		return t, false, c.err
	}
	if t.start == 0 || t.end == 0 { // before or after the trace
		return t, false, nil
	}
	if t.end < t.start || t.instances == 0 {
		return t, false, fmt.Errorf("%d instances from %d to %d s", t.instances, t.start, t.end)
	}
	parts := strings.Split(t.name, "_")
	if number := strings.TrimLeft(parts[0], "ABCDEFGHIJKLMNOPQRSTUVWXYZ"); number != "" {
		if _, err := strconv.ParseUint(number, 10, 32); err == nil {
			t.number, t.after = number, parts[1:]
		}
	}
	return t, true, nil
}

// stages converts tasks to jobs in order of their start; Job.After is the dependency that ended
// last. A dependency on a task that started later is ignored.
func stages(tasks []batchTask) (jobs []Job) {
	slices.SortStableFunc(tasks, func(a, b batchTask) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	type stage struct{ job, number string }
	before := map[stage]*batchTask{}
	for i := range tasks {
		t := &tasks[i]
		j := Job{
			Name: t.job + "." + t.name, User: t.job, Pool: t.job, Class: Bin(t.instances), Maps: t.instances, NoLocation: true,
			Submit: time.Duration(t.start-tasks[0].start) * time.Second,
			Map:    Cost{Setup: -1, CPU: -1, Time: time.Duration(t.end-t.start) * time.Second},
		}
		last := int64(-1)
		for _, number := range t.after {
			if d := before[stage{t.job, number}]; d != nil && d.end > last {
				last, j.After, j.Submit = d.end, d.job+"."+d.name, 0
			}
		}
		if t.number != "" {
			before[stage{t.job, t.number}] = t
		}
		jobs = append(jobs, j)
	}
	return jobs
}
