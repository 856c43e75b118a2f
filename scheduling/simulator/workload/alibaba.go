package workload

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// readAlibaba reads batch_task.csv of Alibaba's cluster-trace-v2018.
//
// A task of the trace becomes a job with a map for each instance. Each map takes as long as the
// recorded task, since the file has no times of instances. The job arrives at the recorded start,
// or after the last of the tasks on which it depends by its name (R4_2_3: on 2 and 3). All tasks of
// a job have the job as their user and pool. The maps prefer no node. Tasks that did not succeed,
// or that are partly outside of the trace's eight days, are skipped. The first task arrives at 0.
func readAlibaba(r io.Reader, o *TraceOptions) (w Workload, line int, err error) {
	line, err = w.addLines(r, 64<<10, parseBatchTask)
	w.chain()
	w.Stretch(o.TimeScale)
	return w, line, err
}

// parseBatchTask parses a line: task_name, inst_num, task_type, job_name, status, start_time,
// end_time, plan_cpu, plan_mem. It returns nil unless the task started and ended within the trace.
func parseBatchTask(line string) (*Job, error) {
	col := strings.Split(strings.TrimSpace(line), ",")
	if len(col) != 9 {
		return nil, fmt.Errorf("%d columns, want 9", len(col))
	}
	task, job := col[0], col[3]
	if task == "" || job == "" || len(task)+1+len(job) > maxNameLen {
		return nil, fmt.Errorf("names of %d and %d bytes", len(task), len(job))
	}
	if col[4] != "Terminated" {
		return nil, nil
	}
	var c columns
	instances := int(c.number("inst_num", col[1], maxTasks))
	start := c.number("start_time", col[5], maxSeconds)
	end := c.number("end_time", col[6], maxSeconds)
	switch {
	case c.err != nil:
		return nil, c.err
	case start == 0 || end == 0: // before or after the trace
		return nil, nil
	case end < start || instances == 0:
		return nil, fmt.Errorf("%d instances from %d to %d s", instances, start, end)
	}
	return &Job{
		Name: job + "." + task, User: job, Pool: job, Class: Bin(instances), Maps: instances, NoLocation: true,
		Submit: time.Duration(start) * time.Second,
		Map:    Cost{Setup: -1, CPU: -1, Time: time.Duration(end-start) * time.Second},
	}, nil
}

// chain sorts the tasks of a trace by their start and lets each follow the task that ended last of
// those on which it depends. A dependency on a task that started later is ignored.
func (w *Workload) chain() {
	end := func(j *Job) time.Duration { return j.Submit + j.Map.Time }
	slices.SortStableFunc(w.Jobs, func(a, b Job) int {
		return cmp.Or(cmp.Compare(a.Submit, b.Submit), cmp.Compare(end(&a), end(&b)))
	})
	type stage struct{ job, number string }
	type ended struct {
		name string
		at   time.Duration
	}
	before := map[stage]ended{}
	first := time.Duration(0)
	for i := range w.Jobs {
		j := &w.Jobs[i]
		if i == 0 {
			first = j.Submit
		}
		at := end(j)
		number, after := dependencies(strings.TrimPrefix(j.Name, j.User+"."))
		last := time.Duration(-1)
		j.Submit -= first
		for _, n := range after {
			if d, known := before[stage{j.User, n}]; known && d.at > last {
				last, j.After, j.Submit = d.at, d.name, 0
			}
		}
		if number != "" {
			before[stage{j.User, number}] = ended{j.Name, at}
		}
	}
}

// dependencies returns the number of a task in its job, and those of the tasks on which it depends,
// all by its name, such as R4_2_3. Other names have no number.
func dependencies(task string) (number string, after []string) {
	parts := strings.Split(task, "_")
	number = strings.TrimLeft(parts[0], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if _, err := strconv.ParseUint(number, 10, 32); err != nil {
		return "", nil
	}
	return number, parts[1:]
}
