package core

import (
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// unfetchedReports is the number of reports of failed fetches after which a map reruns, whether one
// reduce or several sent them.
const unfetchedReports = 3

// unfetched counts the reports of reduces that could not fetch one map's output.
type unfetched struct {
	Try     int32   // attempt that wrote the output
	Times   int     // number of reports
	Reduces []int32 // reduces that reported
	Reruns  int     // reruns of the map because of such reports
}

// outputLost handles a reduce's report that it could not read a map output, unless another attempt
// has replaced that output. A lost output is recomputed at once. An output that could not be
// fetched may still exist: its map reruns after three reports, or when more than half of the
// reduces that hold a slot have reported. Hadoop's JobTracker requires both and fails reduces that
// report too often; here either suffices, so that a single reduce cut off from a node need not wait
// longer. As in Hadoop, the job fails after as many such reruns as a task may have failures.
func (c *Core) outputLost(j *Job, reduce int32, l model.LostOutput) {
	if l.Map < 0 || int(l.Map) >= len(j.Work[model.Map].Tasks) {
		return
	}
	t := &j.Work[model.Map].Tasks[l.Map]
	if t.State != TaskDone || t.Won != l.Try {
		return
	}
	if !l.Unreachable {
		c.Rerun(j, l.Map)
		return
	}
	u := j.unfetchedOf(l.Map)
	if u.Try != l.Try {
		u.Try, u.Times, u.Reduces = l.Try, 0, u.Reduces[:0]
	}
	u.Times++
	if !slices.Contains(u.Reduces, reduce) {
		u.Reduces = append(u.Reduces, reduce)
	}
	w := &j.Work[model.Reduce]
	if u.Times < unfetchedReports && 2*len(u.Reduces) <= w.Running+w.Suspended {
		return
	}
	if u.Reruns++; u.Reruns >= j.tries {
		id := model.TaskID{Job: j.ID, Kind: model.Map, Index: l.Map}
		c.finish(j, model.JobFailed, fmt.Sprintf("the output of %v could not be fetched: it was made %d times", id, u.Reruns))
		return
	}
	c.Rerun(j, l.Map)
}

// unfetchedOf returns the record of reports on a map; it creates the record if necessary.
func (j *Job) unfetchedOf(m int32) *unfetched {
	if j.Unfetched == nil {
		j.Unfetched = map[int32]*unfetched{}
	}
	u := j.Unfetched[m]
	if u == nil {
		u = &unfetched{Try: -1}
		j.Unfetched[m] = u
	}
	return u
}
