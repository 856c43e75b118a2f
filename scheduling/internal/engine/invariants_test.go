package engine

import (
	"math"
	"slices"
	"sort"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

func sortByString(ids []AttemptID) {
	sort.Slice(ids, func(a, b int) bool { return ids[a].String() < ids[b].String() })
}

// checkInvariants counts everything anew and compares.
func checkInvariants(t require.TestingT, c *Core) {
	var slots, room, running, load, waiting, slow [kinds]int
	suspended, held := 0, 0
	for _, n := range c.nodes {
		if n.groups == nil {
			continue
		}
		var used, tasks [kinds]int
		for i, ai := range n.atts {
			a := &c.atts[ai]
			require.Equal(t, int32(i), a.pos)
			require.Same(t, n, a.node)
			require.Equal(t, ai, c.liveAttempt(a.id))
			if a.suspended {
				suspended++
				continue
			}
			used[a.id.Task.Kind] += int(a.job.slots)
			tasks[a.id.Task.Kind]++
		}
		require.Equal(t, used, n.used)
		require.Equal(t, tasks, n.running)
		for k := range n.slots {
			require.LessOrEqual(t, n.used[k], n.slots[k], "no slot is over-used")
			running[k] += tasks[k]
			if n.live && n.barred == 0 {
				slots[k] += n.slots[k]
				room[k] += max(0, n.slots[k]-n.used[k])
			}
		}
	}
	require.Equal(t, slots, c.slots)
	require.Equal(t, room, c.room)
	require.Equal(t, running, c.running)
	require.Equal(t, suspended, c.suspend)
	defer func() { require.Equal(t, held, c.held) }()
	for _, j := range allJobs(c) {
		if j.state.Ended() {
			continue
		}
		if !j.runnable {
			held++
		}
		for k := range TaskKind(kinds) {
			checkWork(t, c, j, k)
			load[k] += j.load(k)
			waiting[k] += j.w[k].waiting()
			slow[k] += len(j.w[k].toCopy())
		}
	}
	require.Equal(t, load, c.load)
	require.Equal(t, waiting, c.waiting)
	require.Equal(t, slow, c.slow)
	if o, ok := c.order.(*pools); ok {
		checkPools(t, o)
	}
	if r, ok := c.placement[Reduce].(*cogrs); ok {
		checkCoGRS(t, r)
	}
	checkOrder(t, c)
}

// checkWork counts one kind of a job's tasks, and compares the fast pick with the slow one.
func checkWork(t require.TestingT, c *Core, j *job, k TaskKind) {
	w := &j.w[k]
	var pending, running, suspended, copies, done, again int
	for i := range w.tasks {
		task := &w.tasks[i]
		attempts, granted := 0, 0
		for ai := task.att; ai >= 0; ai = c.atts[ai].next {
			attempts++
			if c.atts[ai].granted {
				granted++
			}
			if c.atts[ai].suspended {
				suspended++
			} else {
				running++
			}
		}
		copies += max(0, attempts-1)
		require.LessOrEqual(t, granted, 1, "attempts of a task that may commit")
		switch task.state {
		case taskPending:
			pending++
			set := &w.pending
			if k == Map && j.hasPlace(int32(i)) {
				set = &w.placed
			}
			require.True(t, set.Has(int32(i)))
			if task.tries > 0 {
				again++
			}
		case taskRunning, taskSuspended:
			require.Equal(t, task.state == taskRunning, slices.ContainsFunc(c.View().Attempts(TaskID{j.id, k, int32(i)}), func(a AttemptView) bool { return !a.Suspended }))
		case taskDone:
			done++
		}
		require.Equal(t, task.state == taskRunning || task.state == taskSuspended, task.att >= 0)
	}
	require.Equal(t, []int{pending, running, suspended, copies, done, again}, []int{w.waiting(), w.running, w.suspended, w.copies, w.done, int(w.again)})
	for _, i := range w.toCopy() {
		require.Len(t, c.View().Attempts(TaskID{j.id, k, i}), 1, "a task to copy has one attempt")
		require.Equal(t, taskRunning, w.tasks[i].state)
	}
	if k == Reduce {
		require.True(t, w.open || running+suspended+done == 0, "reduces start only after slow start")
		return
	}
	for _, n := range c.nodes {
		if n.groups == nil {
			continue
		}
		for far := NodeLocal; far <= c.far; far++ {
			gotMap, gotAt := c.pick(j, n, far)
			wantMap, wantAt := slowPick(c, j, n, far)
			require.Equal(t, []any{wantMap, wantAt}, []any{gotMap, gotAt}, "pick on %s up to %v", n.name, far)
		}
	}
}

// checkPools counts the pools anew.
func checkPools(t require.TestingT, o *pools) {
	var load [kinds]int
	for _, p := range o.sorted {
		for k := range TaskKind(kinds) {
			var running, demand, sum int
			for _, j := range p.jobs {
				require.Same(t, p, o.poolOf(j))
				running += j.w[k].running
				demand += j.demand(k)
				sum += j.load(k)
			}
			require.Equal(t, []int{running, demand, sum}, []int{p.running[k], p.demand[k], p.load[k]}, p.Name)
			load[k] += min(sum, p.Max[k])
		}
	}
	require.Equal(t, load, o.load)
	if o.limits {
		checkLimits(t, o)
	}
}

// checkLimits decides from nothing which jobs may run.
func checkLimits(t require.TestingT, o *pools) {
	inPool, ofUser := map[*pool]int{}, map[string]int{}
	for p := VeryHigh; p <= VeryLow; p++ {
		for _, j := range allJobs(o.c) {
			if j.state.Ended() || j.spec.Priority != p {
				continue
			}
			may := inPool[o.poolOf(j)] < o.poolOf(j).MaxJobs && ofUser[j.spec.User] < o.userOf(j).most
			require.Equal(t, may, j.runnable, "%v of %s in %s", j.id, j.spec.User, j.group)
			if may {
				inPool[o.poolOf(j)]++
				ofUser[j.spec.User]++
			}
		}
	}
}

// checkOrder compares the incremental order with one sorted from nothing.
func checkOrder(t require.TestingT, c *Core) {
	switch o := c.order.(type) {
	case *hfsp:
		checkHFSP(t, c, o)
		return
	case *capacity:
		checkQueues(t, c, o)
		return
	}
	for k := range TaskKind(kinds) {
		want := slowOrder(c, k)
		require.Equal(t, want, c.View().Order(k))
	}
}

// checkHFSP compares the lists with ranks worked out anew, and the virtual work with the jobs'.
func checkHFSP(t require.TestingT, c *Core, o *hfsp) {
	for k := range TaskKind(kinds) {
		listed := 0
		for _, j := range allJobs(c) {
			if j.state.Ended() || o.sized(j, k) == nil {
				continue
			}
			w, spot := &j.w[k], o.sized(j, k).listed
			if spot.In {
				listed++
				if !o.drifted[k] && !o.stale[k] {
					require.Equal(t, o.rank(j, k), spot.Rank())
				}
			}
			held := math.IsInf(o.pol.Xi, 1) && o.training(j, k) && !o.sampling(j, k) && w.suspended == 0
			require.Equal(t, j.runnable && w.open && !held && w.waiting()+w.suspended+len(w.toCopy()) > 0, spot.In)
		}
		require.Equal(t, listed, o.lists[k].Len())
		if _, pure := c.placement[Reduce].(anyNode); !o.drifted[k] && !o.stale[k] && (k == Map || pure) {
			for _, n := range c.nodes {
				if largest := o.largestOn(n, k); largest != nil {
					wantWinner, wantLoser := slowMatch(o, n, k, largest)
					winner, loser := o.match(n, k, largest)
					require.Equal(t, [2]*sized{wantWinner, wantLoser}, [2]*sized{winner, loser}, "match on %s", n.name)
				}
			}
		}
		slots := 0
		for _, v := range o.all[k] {
			require.LessOrEqual(t, v.v.Slots(), max(0, v.v.Tasks()))
			slots += v.v.Slots()
		}
		require.LessOrEqual(t, slots, c.slots[k])
	}
}

// checkQueues counts the queues anew.
func checkQueues(t require.TestingT, c *Core, o *capacity) {
	for _, q := range append([]*queue{&o.top}, o.queues...) {
		var occupied [kinds]int
		users := map[string]int{}
		for _, j := range allJobs(c) {
			if j.state.Ended() {
				continue
			}
			for up := o.queueOf(j); up != nil; up = up.parent {
				if up == q {
					users[j.spec.User]++
					for k := range occupied {
						occupied[k] += j.w[k].running * int(j.slots)
					}
				}
			}
		}
		require.Equal(t, occupied, q.occupied, q.Name)
		if q != &o.top && len(q.children) == 0 {
			require.Len(t, q.users, len(users))
			require.Empty(t, toInitialize(q), q.Name)
		}
	}
	for k := range TaskKind(kinds) { // at every level the least loaded first
		leaves := o.leaves(nil, &o.top, k, false)
		for i := 1; i < len(leaves); i++ {
			a, b := apart(leaves[i-1], leaves[i])
			require.LessOrEqual(t, a.used(k), b.used(k))
		}
		require.Len(t, leaves, len(slices.DeleteFunc(slices.Clone(o.queues), func(q *queue) bool { return len(q.children) > 0 })))
	}
}

// apart gives the ancestors of two leaves, or the leaves themselves, that have the same parent.
func apart(a, b *queue) (*queue, *queue) {
	path := func(q *queue) (list []*queue) {
		for ; q != nil; q = q.parent {
			list = append(list, q)
		}
		slices.Reverse(list)
		return list
	}
	p, q := path(a), path(b)
	for i := range p {
		if p[i] != q[i] {
			return p[i], q[i]
		}
	}
	return a, b
}

// toInitialize looks at all waiting jobs of a queue for those that Hadoop would initialize now.
func toInitialize(q *queue) (ids []JobID) {
	maxUsers := 100/q.UserLimit + 2
	met, of := 0, map[string]int{}
	var at index.Cursor
	for j, ok := q.waiting.Next(&at); ok && met <= maxUsers*q.InitJobs; j, ok = q.waiting.Next(&at) {
		n, known := of[j.spec.User]
		if !j.runnable {
			if known && n >= q.InitJobs || !known && len(of) >= maxUsers {
				continue
			}
			ids = append(ids, j.id)
		}
		of[j.spec.User]++
		met++
	}
	return ids
}

// slowOrder sorts all jobs by the published comparison.
func slowOrder(c *Core, k TaskKind) []JobID {
	var jobs []*job
	o, _ := c.order.(*pools)
	poolOf := func(j *job) *pool {
		if o == nil {
			return nil
		}
		return o.poolOf(j)
	}
	for _, j := range allJobs(c) {
		if !j.state.Ended() && j.launchable(k) && (o == nil || poolOf(j).running[k] < poolOf(j).Max[k]) {
			jobs = append(jobs, j)
		}
	}
	sort.SliceStable(jobs, func(a, b int) bool {
		x, y := jobs[a], jobs[b]
		p, q := poolOf(x), poolOf(y)
		if p != q {
			return poolBefore(p, q, k)
		}
		switch {
		case o == nil && c.pol.Order == "fifo", o == nil && c.pol.Order == "quincy" && c.pol.Quincy.Rule >= QP, o != nil && p.Mode == FIFOMode:
			if x.spec.Priority != y.spec.Priority {
				return x.spec.Priority < y.spec.Priority
			}
		default:
			rx, ry := float64(x.w[k].running), float64(y.w[k].running)
			if o != nil {
				rx, ry = rx/o.weight(x, k), ry/o.weight(y, k)
			} else if c.pol.Order == "quincy" {
				rx, ry = rx/x.spec.Priority.factor(), ry/y.spec.Priority.factor()
			}
			if rx != ry {
				return rx < ry
			}
		}
		return x.id < y.id
	})
	var ids []JobID
	for _, j := range jobs {
		ids = append(ids, j.id)
	}
	return ids
}

// poolBefore is the comparison of Hadoop's SchedulingAlgorithms.
func poolBefore(p, q *pool, k TaskKind) bool {
	mp, mq := min(p.Min[k], min(p.demand[k], p.Max[k])), min(q.Min[k], min(q.demand[k], q.Max[k]))
	needyP, needyQ := p.running[k] < mp, q.running[k] < mq
	rp, rq := float64(p.running[k])/p.Weight, float64(q.running[k])/q.Weight
	switch {
	case needyP != needyQ:
		return needyP
	case needyP:
		rp, rq = float64(p.running[k])/float64(mp), float64(q.running[k])/float64(mq)
	}
	if rp != rq {
		return rp < rq
	}
	return p.Name < q.Name
}

// slowPick looks at every task.
func slowPick(c *Core, j *job, n *node, far Locality) (int32, Locality) {
	best, at := int32(-1), Locality(100)
	unplaced := int32(-1)
	for m := range int32(len(j.w[Map].tasks)) {
		if j.w[Map].tasks[m].state != taskPending {
			continue
		}
		if !j.hasPlace(m) {
			if unplaced < 0 {
				unplaced = m
			}
			continue
		}
		p := j.spec.Places
		l := c.far
		for _, r := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
			if c.nodes[r].groups != nil {
				l = min(l, Locality(gravity.Distance(c.nodes[r].site(), n.site())/2))
			} else if r == n.id {
				l = 0
			}
		}
		if l < at {
			best, at = m, l
		}
	}
	if best >= 0 && at <= far {
		return best, at
	}
	return unplaced, AnyPlace
}
