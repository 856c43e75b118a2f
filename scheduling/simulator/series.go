package simulator

import (
	"encoding/csv"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
)

// sampleQueues adds each open job's slots, waiting tasks and share, and the links' load, to at.
func (s *sim) sampleQueues(at *Sample) {
	for i := range s.jobs[:s.arrived] {
		j := &s.jobs[i]
		v, err := s.core.View().Job(j.ID)
		if j.ID == 0 || err != nil || j.ended {
			continue
		}
		q := JobQueue{Job: i, Pool: v.Pool, Held: j.running}
		for k := range q.Tasks {
			q.Tasks[k], q.Share[k] = v.Kinds[k].Pending, v.Kinds[k].Share
		}
		at.Queue = append(at.Queue, q)
	}
	if s.net != nil {
		at.Links.Nodes, at.Links.Uplinks, at.Links.Busiest = s.net.Traffic()
	}
}

// held is the state of a cluster, pool or job at a time.
type held struct {
	jobs        int
	slots, wait [2]int
	share       [2]float64
}

func (h *held) add(q *JobQueue) {
	h.jobs++
	for k := range h.slots {
		h.slots[k] += q.Held[k]
		h.wait[k] += q.Tasks[k]
		h.share[k] += q.Share[k]
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
		all := held{share: [2]float64{math.NaN(), math.NaN()}}
		pools := map[string]*held{}
		for k := range s.Queue {
			q := &s.Queue[k]
			all.add(q)
			if pools[q.Pool] == nil {
				pools[q.Pool] = &held{}
			}
			pools[q.Pool].add(q)
		}
		_ = c.Write(append(r.seriesRow(s, "cluster", "", &all), decimal(s.Links.Nodes), decimal(s.Links.Uplinks), decimal(s.Links.Busiest)))
		for _, name := range slices.Sorted(maps.Keys(pools)) {
			if name != "" {
				_ = c.Write(append(r.seriesRow(s, "pool", name, pools[name]), "", "", ""))
			}
		}
		for k := range s.Queue {
			var one held
			one.add(&s.Queue[k])
			_ = c.Write(append(r.seriesRow(s, "job", r.Jobs[s.Queue[k].Job].Name, &one), "", "", ""))
		}
	}
	c.Flush()
	return c.Error()
}

// seriesRow returns the columns of a line of WriteSeriesCSV, except the three for links.
func (r *Result) seriesRow(s *Sample, scope, name string, h *held) []string {
	used := func(k int) string { return decimal(float64(h.slots[k]) / float64(max(1, r.Slots[k]))) }
	return cells(s.At.Seconds(), scope, name, h.jobs, h.slots[0], h.slots[1], h.wait[0], h.wait[1],
		decimal(h.share[0]), decimal(h.share[1]), used(0), used(1))
}

// decimal formats a number with at most six decimals; NaN is empty.
func decimal(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(round(x), 'f', -1, 64)
}
