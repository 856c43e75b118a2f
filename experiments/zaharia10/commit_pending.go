package zaharia10

import (
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// commitPending orders jobs by fair sharing between pools and within each, except that one pool is
// FIFO. It counts running maps as the paper's Hadoop did: one that has ended counts for another
// heartbeat, while its slot is already free for others (§3.3.2).
type commitPending struct {
	fifo    string        // the FIFO pool
	pending time.Duration // time for which an ended map still counts
	ends    map[scheduling.JobID][]time.Duration
}

// counted returns how many maps of a job count as running: also those that have just ended.
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

// Rank implements scheduling.JobOrder. The pool with the fewest counted maps goes first; within it,
// the job with the fewest, or the oldest job of the FIFO pool.
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
