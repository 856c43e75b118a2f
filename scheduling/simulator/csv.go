package simulator

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// cells returns values as cells of a CSV file: times in seconds with six decimals, other numbers
// with as many as they have, and counts by distance as three cells.
func cells(values ...any) (row []string) {
	for _, value := range values {
		switch x := value.(type) {
		case time.Duration:
			row = append(row, strconv.FormatFloat(x.Seconds(), 'f', 6, 64))
		case float64:
			row = append(row, strconv.FormatFloat(x, 'f', -1, 64))
		case MapPlaces:
			row = append(row, cells(x.NodeLocal, x.RackLocal, x.OffRack)...)
		case ShuffleBytes:
			row = append(row, cells(x.NodeLocal, x.RackLocal, x.OffRack)...)
		default:
			row = append(row, fmt.Sprint(x))
		}
	}
	return row
}

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
		_ = c.Write(cells(j.Name, j.Class, j.User, j.Pool, j.Arrived, j.Ended, j.Sojourn(), j.Alone, j.Done, j.Failed, j.Tasks[0], j.Tasks[1],
			j.Maps, j.Shuffle, j.Preempted.Killed, j.Preempted.Suspended, seconds(j.Preempted.LostS), j.TND, j.Shuffle.Links(), j.InMemory))
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
		_ = c.Write(cells(f.Class, f.Jobs, f.MakespanS, f.Sojourn.Mean, f.Sojourn.Median, f.Sojourn.P95, f.Maps, f.Shuffle, f.FairnessJain,
			f.Utilization.Map, f.Utilization.Reduce, f.Preempted.Killed, f.Preempted.Suspended, f.Preempted.LostS, f.InMemory))
	}
	c.Flush()
	return c.Error()
}
