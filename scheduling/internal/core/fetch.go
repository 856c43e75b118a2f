package core

import (
	"fmt"
	"slices"
)

// unfetchedReports is how many reports that a map's output cannot be fetched make the map run
// again, whoever they come from.
const unfetchedReports = 3

// unfetched is what reduces have said of the output of one map that they could not fetch.
type unfetched struct {
	Try     int32   // whose output it is
	Times   int     // reports of it
	Reduces []int32 // that said so
	Reruns  int     // of the map, for such reports
}

// outputLost takes a reduce's word of a map output that it could not have, unless another attempt
// has replaced that output. One that is gone is made again at once. One that could not be fetched
// may be there all the same: its map runs again after three reports, or once more than half of the
// reduces that hold a slot have said so. Hadoop's JobTracker asks for both, and has reduces that
// report too often fail; here either will do, so that a single reduce cut off from a node need not
// wait longer. As there, it is said as often as a task may fail: then the job fails.
func (c *Core) outputLost(j *Job, reduce int32, l LostOutput) {
	if l.Map < 0 || int(l.Map) >= len(j.Work[Map].Tasks) {
		return
	}
	t := &j.Work[Map].Tasks[l.Map]
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
	w := &j.Work[Reduce]
	if u.Times < unfetchedReports && 2*len(u.Reduces) <= w.Running+w.Suspended {
		return
	}
	if u.Reruns++; u.Reruns >= j.tries {
		id := TaskID{Job: j.ID, Kind: Map, Index: l.Map}
		c.finish(j, JobFailed, fmt.Sprintf("the output of %v could not be fetched: it was made %d times", id, u.Reruns))
		return
	}
	c.Rerun(j, l.Map)
}

// unfetchedOf is the record of reports on a map, made at the first.
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
