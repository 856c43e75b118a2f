package simulator

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// WriteJobsCSV writes a header and a line for each job.
func (r *Result) WriteJobsCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{
		"job", "class", "user", "pool", "arrived_s", "ended_s", "sojourn_s", "alone_s", "done", "failed", "map_tasks", "reduce_tasks",
		"node_local", "rack_local", "off_rack", "shuffle_node_local", "shuffle_rack_local", "shuffle_off_rack", "killed", "suspended", "lost_s",
		"tnd", "wtnd_bytes", "memory_node_local", "memory_rack_local", "memory_off_rack",
	})
	for i := range r.Jobs {
		j := &r.Jobs[i]
		row := []string{j.Name, j.Class, j.User, j.Pool}
		for _, t := range []time.Duration{j.Arrived, j.Ended, j.Sojourn(), j.Alone} {
			row = append(row, strconv.FormatFloat(t.Seconds(), 'f', 6, 64))
		}
		row = append(row, fmt.Sprint(j.Done), fmt.Sprint(j.Failed))
		row = append(row, strconv.Itoa(j.Tasks[0]), strconv.Itoa(j.Tasks[1]))
		row = append(append(row, j.Maps.columns()...), j.Shuffle.columns()...)
		row = append(row, strconv.Itoa(j.Preempted.Killed), strconv.Itoa(j.Preempted.Suspended))
		row = append(row, strconv.FormatFloat(j.Preempted.LostS, 'f', 6, 64))
		row = append(row, strconv.FormatInt(j.TND, 10), strconv.FormatInt(j.WTND(), 10))
		_ = c.Write(append(row, j.InMemory.columns()...))
	}
	c.Flush()
	return c.Error()
}

// WriteClassesCSV writes a header, a line for each class, and a line "all" for all jobs.
func (r *Report) WriteClassesCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{
		"class", "jobs", "makespan_s", "sojourn_mean_s", "sojourn_median_s", "sojourn_p95_s", "node_local", "rack_local", "off_rack",
		"shuffle_node_local", "shuffle_rack_local", "shuffle_off_rack", "fairness_jain", "map_utilisation", "reduce_utilisation", "killed", "suspended", "lost_s",
		"memory_node_local", "memory_rack_local", "memory_off_rack",
	})
	for _, f := range append(slices.Clone(r.ByClass), ClassFigures{"all", r.Figures}) {
		row := []string{f.Class, strconv.Itoa(f.Jobs)}
		number := func(list ...float64) {
			for _, x := range list {
				row = append(row, strconv.FormatFloat(x, 'f', -1, 64))
			}
		}
		number(f.MakespanS, f.Sojourn.Mean, f.Sojourn.Median, f.Sojourn.P95, float64(f.Maps.NodeLocal), float64(f.Maps.RackLocal), float64(f.Maps.OffRack),
			float64(f.Shuffle.NodeLocal), float64(f.Shuffle.RackLocal), float64(f.Shuffle.OffRack), f.FairnessJain, f.Utilization.Map, f.Utilization.Reduce,
			float64(f.Preempted.Killed), float64(f.Preempted.Suspended), f.Preempted.LostS)
		_ = c.Write(append(row, f.InMemory.columns()...))
	}
	c.Flush()
	return c.Error()
}
