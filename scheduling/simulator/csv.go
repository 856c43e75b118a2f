package simulator

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
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

// held is the state of a cluster, pool or job at a time.
type held struct {
	jobs int
	JobSlots
}

func (h *held) add(j *JobSlots) {
	h.jobs++
	for k := range h.Slots {
		h.Slots[k] += j.Slots[k]
		h.Waiting[k] += j.Waiting[k]
		h.Share[k] += j.Share[k]
	}
}

// WriteSeriesCSV writes the samples of a run with Config.SampleQueues: a header and, for each time,
// a line for the cluster, one for each pool with open jobs, and one for each open job. A pool's
// share is the sum of its jobs', empty if the policy has none.
func (r *Result) WriteSeriesCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{
		"time_s", "scope", "name", "jobs", "maps_running", "reduces_running", "maps_waiting", "reduces_waiting",
		"map_share", "reduce_share", "map_utilisation", "reduce_utilisation", "link_bytes_s", "uplink_bytes_s", "busiest_link",
	})
	for i := range r.Samples {
		s := &r.Samples[i]
		all := held{JobSlots: JobSlots{Share: [2]float64{math.NaN(), math.NaN()}}}
		pools := map[string]*held{}
		for k := range s.Jobs {
			j := &s.Jobs[k]
			all.add(j)
			if pools[j.Pool] == nil {
				pools[j.Pool] = &held{}
			}
			pools[j.Pool].add(j)
		}
		_ = c.Write(append(r.seriesRow(s, "cluster", "", &all), decimal(s.Links.Nodes), decimal(s.Links.Uplinks), decimal(s.Links.Busiest)))
		for _, name := range slices.Sorted(maps.Keys(pools)) {
			if name != "" {
				_ = c.Write(append(r.seriesRow(s, "pool", name, pools[name]), "", "", ""))
			}
		}
		for _, j := range s.Jobs {
			_ = c.Write(append(r.seriesRow(s, "job", r.Jobs[j.Job].Name, &held{1, j}), "", "", ""))
		}
	}
	c.Flush()
	return c.Error()
}

// seriesRow returns the columns of a line of WriteSeriesCSV, except the three for links.
func (r *Result) seriesRow(s *Sample, scope, name string, h *held) []string {
	used := func(k int) string { return decimal(float64(h.Slots[k]) / float64(max(1, r.Slots[k]))) }
	return cells(s.At.Seconds(), scope, name, h.jobs, h.Slots[0], h.Slots[1], h.Waiting[0], h.Waiting[1],
		decimal(h.Share[0]), decimal(h.Share[1]), used(0), used(1))
}

// decimal formats a number with at most six decimals; NaN is empty.
func decimal(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(round(x), 'f', -1, 64)
}
