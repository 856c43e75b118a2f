package engine

import (
	"fmt"
	"slices"
)

// unfetchedReports is how many reports that a map's output cannot be fetched make the map run
// again, whoever they come from.
const unfetchedReports = 3

// unfetched is what reduces have said of the output of one map that they could not fetch.
type unfetched struct {
	try     int32   // whose output it is
	times   int     // reports of it
	reduces []int32 // that said so
	reruns  int     // of the map, for such reports
}

// outputLost takes a reduce's word of a map output that it could not have, unless another attempt
// has replaced that output. One that is gone is made again at once. One that could not be fetched
// may be there all the same: its map runs again after three reports, or once more than half of the
// reduces that hold a slot have said so. Hadoop's JobTracker asks for both, and has reduces that
// report too often fail; here either will do, so that a single reduce cut off from a node need not
// wait longer. As there, it is said as often as a task may fail: then the job fails.
func (c *Core) outputLost(j *job, reduce int32, l LostOutput) {
	if l.Map < 0 || int(l.Map) >= len(j.w[Map].tasks) {
		return
	}
	t := &j.w[Map].tasks[l.Map]
	if t.state != taskDone || t.won != l.Try {
		return
	}
	if !l.Unreachable {
		c.rerun(j, l.Map)
		return
	}
	u := j.unfetchedOf(l.Map)
	if u.try != l.Try {
		u.try, u.times, u.reduces = l.Try, 0, u.reduces[:0]
	}
	u.times++
	if !slices.Contains(u.reduces, reduce) {
		u.reduces = append(u.reduces, reduce)
	}
	w := &j.w[Reduce]
	if u.times < unfetchedReports && 2*len(u.reduces) <= w.running+w.suspended {
		return
	}
	if u.reruns++; u.reruns >= j.tries {
		id := TaskID{Job: j.id, Kind: Map, Index: l.Map}
		c.finish(j, JobFailed, fmt.Sprintf("the output of %v could not be fetched: it was made %d times", id, u.reruns))
		return
	}
	c.rerun(j, l.Map)
}

// unfetchedOf is the record of reports on a map, made at the first.
func (j *job) unfetchedOf(m int32) *unfetched {
	if j.unfetched == nil {
		j.unfetched = map[int32]*unfetched{}
	}
	u := j.unfetched[m]
	if u == nil {
		u = &unfetched{try: -1}
		j.unfetched[m] = u
	}
	return u
}
