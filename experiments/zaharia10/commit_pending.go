package zaharia10

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// commitPending is fair sharing between pools, and within all but one that is first in first out,
// as the paper's Hadoop counted: a map that has ended counts as running for one heartbeat more,
// while its slot is given to another (§3.3.2).
type commitPending struct {
	fifo    string // the pool
	pending time.Duration
	ends    map[scheduling.JobID][]time.Duration
}

// counted is how many maps of a job count as running.
func (o *commitPending) counted(q scheduling.View, id scheduling.JobID) int {
	j, _ := q.Job(id)
	ends := o.ends[id]
	maps := &j.Kinds[scheduling.Map]
	for len(ends) < maps.Done {
		ends = append(ends, q.Now())
	}
	o.ends[id] = ends
	n := maps.Running
	for i := len(ends) - 1; i >= 0 && ends[i] > q.Now()-o.pending; i-- {
		n++
	}
	return n
}

// Rank implements scheduling.JobOrder: the pool with the fewest counted maps goes first, in it the
// oldest job or the one with the fewest.
func (o *commitPending) Rank(q scheduling.View, id scheduling.JobID, _ scheduling.TaskKind) float64 {
	mine, _ := q.Spec(id) // the Core asks about jobs that there are
	pool, own := 0, 0
	for _, other := range q.Active() {
		spec, _ := q.Spec(other)
		if spec.Pool != mine.Pool {
			continue
		}
		n := o.counted(q, other)
		if pool += n; other == id {
			own = n
		}
	}
	if mine.Pool == o.fifo {
		own = int(id)
	}
	return float64(pool) + float64(own)/1e6
}
