package scheduling

// assign gives a node at most one reduce and then one map per heartbeat [Hadoop
// CapacityTaskScheduler].
func (o *capacity) assign(n *node) {
	for _, k := range [...]TaskKind{Reduce, Map} {
		if n.free(k) > 0 {
			o.c.begin(k)
			o.assignKind(n, k)
		}
	}
}

// assignKind offers one slot, or several to one task, to the queues in order: first within the user
// limits, then, so that no slot idles, without. Hadoop passes over a queue whose capacity is cut
// down to no whole slot, which starves it on a small cluster; here it comes last, and borrows.
func (o *capacity) assignKind(n *node, k TaskKind) {
	if j := n.reserved[k]; j != nil {
		if j.launchable(k) {
			if n.free(k) < int(j.slots) {
				return // it waits for more slots to become free here
			}
			if o.c.offer(j, n, k) {
				n.reserved[k] = nil
				return
			}
		}
		n.reserved[k] = nil
	}
	o.rewind(k)
	for _, q := range o.walk {
		if q.occupied[k]+1 > q.most[k] {
			o.c.skipQueue(q, n, k, Reason{Cause: CauseQueueMax, Count: int32(q.occupied[k]), Of: int32(q.most[k])})
			continue
		}
		if o.assignQueue(q, n, k, true) || o.assignQueue(q, n, k, false) {
			return
		}
	}
}

// assignQueue offers a slot to the jobs of a queue; true ends the offers of this kind.
func (o *capacity) assignQueue(q *leaf, n *node, k TaskKind, limits bool) bool {
	c := o.c
	var at cursor
	for e, ok := q.lists[k].next(&at); ok; e, ok = q.lists[k].next(&at) {
		j := e.job
		if q.occupied[k] > 0 && q.occupied[k]+int(j.slots) > q.most[k] { // an empty queue may launch any task, else it starves
			c.skip(j, n, k, Reason{Cause: CauseQueueMax, Count: int32(q.occupied[k]), Of: int32(q.most[k])}, 0)
			continue
		}
		if most := q.userMost(k); q.users[j.spec.User].occupied[k]+int(j.slots) > max(most, int(j.slots)) {
			c.skip(j, n, k, Reason{Cause: CauseUserLimit, Count: int32(q.users[j.spec.User].occupied[k]), Of: int32(most)}, 0)
			continue
		}
		over := q.overLimit(j, k)
		if over == limits {
			if limits {
				c.skip(j, n, k, Reason{Cause: CauseUserLimit}, 0)
			}
			continue // over the limit in the first round, offered already in the second
		}
		if n.free(k) < int(j.slots) {
			if o.reserve(j, n, k) {
				return true
			}
			continue
		}
		if c.offer(j, n, k) {
			return true
		}
	}
	return false
}

// reserve keeps a node for a job whose task needs more slots than are free, unless it has enough
// nodes reserved. Nothing else is launched then.
func (o *capacity) reserve(j *job, n *node, k TaskKind) bool {
	held := 0
	for _, m := range o.c.nodes {
		if m.reserved[k] == j {
			held++
		}
	}
	if n.slots[k] >= int(j.slots) && held < j.w[k].waiting() {
		n.reserved[k] = j
		o.c.skip(j, n, k, Reason{Cause: CauseReserved, Count: int32(n.free(k)), Of: j.slots}, 0)
		return true
	}
	return false
}

// overLimit tells whether j's user holds at least the user limit of the queue.
func (q *leaf) overLimit(j *job, k TaskKind) bool {
	u := q.users[j.spec.User]
	return u.occupied[k] >= userLimit(q.slots[k], q.occupied[k], int(j.slots), len(q.users), q.UserLimit)
}

// userMost is how many slots one user may hold by UserFactor, whatever is idle.
func (q *leaf) userMost(k TaskKind) int {
	if q.UserFactor == 0 {
		return NoLimit
	}
	return max(1, int(min(q.UserFactor*float64(q.slots[k]), NoLimit)))
}

// userLimit is how many slots one user of a queue may hold: an equal part, but no less than
// percent, of the capacity or, beyond it, of what the queue will then hold [Hadoop
// CapacityTaskScheduler].
func userLimit(capacity, occupied, slotsPerTask, users, percent int) int {
	current := capacity
	if occupied >= capacity {
		current = occupied + slotsPerTask
	}
	return max((current+users-1)/users, (percent*current+99)/100)
}

// rewind sorts the queues of each level by the part of their capacity in use, keeping the order of
// equal ones, and lists the leaves.
func (o *capacity) rewind(k TaskKind) {
	o.kind, o.at, o.walk = k, cursor{}, o.walk[:0]
	o.collect(&o.top, k)
}

// save copies the order of the queues, and restore puts it back: a question must not move them.
func (o *capacity) save(k TaskKind) (orders [][]*leaf) {
	for _, q := range append([]*leaf{&o.top}, o.queues...) {
		orders = append(orders, append([]*leaf(nil), q.sorted[k]...))
	}
	return orders
}

func (o *capacity) restore(k TaskKind, orders [][]*leaf) {
	for i, q := range append([]*leaf{&o.top}, o.queues...) {
		q.sorted[k] = orders[i]
	}
}

func (o *capacity) collect(q *leaf, k TaskKind) {
	if len(q.children) == 0 {
		if q != &o.top {
			o.walk = append(o.walk, q)
		}
		return
	}
	s := q.sorted[k]
	for i := 1; i < len(s); i++ { // all but sorted already
		for p := i; p > 0 && s[p].before(s[p-1], k); p-- {
			s[p], s[p-1] = s[p-1], s[p]
		}
	}
	for _, ch := range s {
		o.collect(ch, k)
	}
}

// before compares occupied over capacity; a queue without capacity counts as full.
func (q *leaf) before(r *leaf, k TaskKind) bool {
	return q.used(k) < r.used(k)
}

func (q *leaf) used(k TaskKind) float64 {
	if q.slots[k] == 0 {
		return 1
	}
	return float64(q.occupied[k]) / float64(q.slots[k])
}

func (o *capacity) next() *job {
	for len(o.walk) > 0 {
		if e, ok := o.walk[0].lists[o.kind].next(&o.at); ok {
			return e.job
		}
		o.walk, o.at = o.walk[1:], cursor{}
	}
	return nil
}

// skipQueue notes that all jobs of a queue were passed over.
func (c *Core) skipQueue(q *leaf, n *node, k TaskKind, why Reason) {
	if !c.cfg.Explain {
		return
	}
	var at cursor
	for e, ok := q.lists[k].next(&at); ok; e, ok = q.lists[k].next(&at) {
		c.skip(e.job, n, k, why, 0)
	}
}

// QueueView is a snapshot of a queue of the capacity scheduler.
type QueueView struct {
	Name     string
	Parent   string // empty for top queues
	Leaf     bool
	Config   QueueConfig
	Capacity [2]int      // guaranteed slots
	Max      [2]int      // NoLimit if none
	Occupied [2]int      // slots held, not tasks
	Kinds    [2]KindView // Running and Demand, of leaves
	Jobs     int         // not ended, waiting ones too
	Users    int
}

// Queues lists the queues in the order of the configuration; none unless the policy has queues.
func (q View) Queues() []QueueView {
	c := q.c
	o, ok := c.order.(*capacity)
	if !ok {
		return nil
	}
	o.resize()
	var views []QueueView
	for _, q := range o.queues {
		v := QueueView{
			Name: q.Name, Parent: q.Parent, Leaf: len(q.children) == 0, Config: q.QueueConfig, Capacity: q.slots, Max: q.most,
			Occupied: q.occupied, Jobs: q.jobs, Users: len(q.users),
		}
		for _, j := range c.active {
			if j.leaf == q && !j.state.Ended() {
				for k := range TaskKind(kinds) {
					v.Kinds[k].Running += j.w[k].running
					v.Kinds[k].Demand += j.demand(k)
				}
			}
		}
		views = append(views, v)
	}
	return views
}
