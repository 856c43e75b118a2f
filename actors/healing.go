package actors

import (
	"time"

	"github.com/tarry-mr/tarry/dfs"
)

// copies are the replicas that a node is to make, those in need first, as the NameNode ordered
// them. They go at a limited rate, so that healing leaves the network to the jobs.
type copies struct {
	queue []dfs.Copy
	free  time.Duration // from when on the next may begin
}

// add takes an order; one for a replica that waits to be made changes nothing.
func (q *copies) add(c dfs.Copy, e *env) {
	for _, waiting := range q.queue {
		if waiting.Block == c.Block {
			return
		}
	}
	q.queue = append(q.queue, c)
	q.free = max(q.free, e.now())
}

// next is the replica that may be made now, if there is one. A copy takes the time that its bytes
// take at the rate, in bytes a second; the next one waits so long, unless its turn comes before the
// next heartbeat.
func (q *copies) next(now, beat time.Duration, rate int64) (c dfs.Copy, ok bool) {
	if len(q.queue) == 0 || q.free >= now+beat {
		return c, false
	}
	c, q.queue = q.queue[0], q.queue[1:]
	if rate > 0 {
		q.free += time.Duration(float64(c.Length) / float64(rate) * float64(time.Second))
	}
	return c, true
}

// makeCopies makes the replicas that are due. Replicas of one process share their bytes; only the
// check of their sums takes time.
func (n *node) makeCopies() {
	for {
		c, ok := n.copies.next(n.env.now(), n.env.cfg.HeartbeatInterval, n.env.cfg.HealRate)
		if !ok {
			return
		}
		err := isolate(func() error { return n.env.fs.Copy(c) }) // of a source of the user's, maybe
		if err != nil {
			n.env.cfg.Logger.Warn("cannot copy a block", "block", c.Block, "to", c.To, "err", err)
		}
	}
}
