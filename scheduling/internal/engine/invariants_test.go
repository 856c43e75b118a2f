package engine

import (
	"slices"
	"sort"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/scheduling/internal/capacity"
	"github.com/tarry-mr/tarry/scheduling/internal/cogrs"
	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/gravity"
	"github.com/tarry-mr/tarry/scheduling/internal/hfsp"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/internal/pools"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// checkInvariants fails unless all sums, lists and tables of the Core follow from its tasks.
func checkInvariants(t require.TestingT, c *core.Core) {
	t = struct{ require.TestingT }{t} // without Helper, which takes half of the time
	var slots, room, running, load, waiting, slow [model.Kinds]int
	suspended, held := 0, 0
	for _, n := range c.Nodes {
		if !n.Joined {
			continue
		}
		var used, tasks [model.Kinds]int
		for i, ai := range n.Atts {
			a := &c.Attempts[ai]
			require.Equal(t, int32(i), a.Pos)
			require.Same(t, n, a.Node)
			require.Equal(t, ai, c.LiveAttempt(a.ID))
			require.True(t, n.Live && !a.Job.State.Ended(), "%v runs on %s", a.ID, n.Name)
			require.False(t, slices.ContainsFunc(n.Atts[:i], func(b int32) bool { return c.Attempts[b].ID.Task == a.ID.Task }), "%v is there twice", a.ID.Task)
			if a.Suspended {
				suspended++
				continue
			}
			used[a.ID.Task.Kind] += int(a.Job.Slots)
			tasks[a.ID.Task.Kind]++
		}
		require.Equal(t, used, n.Used)
		require.Equal(t, tasks, n.Running)
		for k := range n.Slots {
			require.LessOrEqual(t, n.Used[k], n.Slots[k], "no slot is over-used")
			running[k] += tasks[k]
			if n.Live && !n.Cordoned && !n.Avoided {
				slots[k] += n.Slots[k]
				room[k] += max(0, n.Slots[k]-n.Used[k])
			}
		}
	}
	require.Equal(t, slots, c.Slots)
	require.Equal(t, room, c.Room)
	require.Equal(t, running, c.Running)
	require.Equal(t, suspended, c.Suspend)
	for _, j := range allJobs(c) {
		require.Equal(t, !j.State.Ended(), slices.Contains(c.Active, j))
		if j.State.Ended() {
			continue
		}
		if !j.Runnable {
			held++
		}
		for k := range model.TaskKind(model.Kinds) {
			checkWork(t, c, j, k)
			load[k] += j.Load(k)
			waiting[k] += j.Work[k].Waiting()
			slow[k] += len(j.Work[k].Slow)
		}
	}
	require.Equal(t, held, c.Held)
	require.Equal(t, load, c.Load)
	require.Equal(t, waiting, c.Waiting)
	require.Equal(t, slow, c.Slow)
	if o, ok := c.Order.(*pools.Order); ok {
		checkPools(t, o)
	}
	if r, ok := c.Placement[model.Reduce].(*cogrs.Placement); ok {
		checkCoGRS(t, r)
	}
	checkOrder(t, c)
}

// checkWork fails unless the counts of j's tasks of kind k are right and Pick agrees with slowPick.
func checkWork(t require.TestingT, c *core.Core, j *core.Job, k model.TaskKind) {
	w := &j.Work[k]
	var pending, running, suspended, copies, done, again int
	for i := range w.Tasks {
		task := &w.Tasks[i]
		attempts, granted := 0, 0
		for ai := task.Att; ai >= 0; ai = c.Attempts[ai].Next {
			attempts++
			if c.Attempts[ai].Granted {
				granted++
			}
			if c.Attempts[ai].Suspended {
				suspended++
			} else {
				running++
			}
		}
		copies += max(0, attempts-1)
		require.LessOrEqual(t, granted, 1, "attempts of a task that may commit")
		switch task.State {
		case core.TaskPending:
			pending++
			set := &w.Pending
			if k == model.Map && j.HasPlace(int32(i)) {
				set = &w.Placed
			}
			require.True(t, set.Has(int32(i)))
			if task.Tries > 0 {
				again++
			}
		case core.TaskRunning, core.TaskSuspended:
			require.Equal(t, task.State == core.TaskRunning, slices.ContainsFunc(c.View().Attempts(model.TaskID{Job: j.ID, Kind: k, Index: int32(i)}), func(a view.Attempt) bool { return !a.Suspended }))
		case core.TaskDone:
			done++
			output := k == model.Map && len(j.Work[model.Reduce].Tasks) > 0 && task.Node != model.NoNode
			require.False(t, output && !c.Nodes[task.Node].Live, "the output of %v is lost with its node", i)
		}
		require.Equal(t, task.State == core.TaskRunning || task.State == core.TaskSuspended, task.Att >= 0)
	}
	require.Equal(t, []int{pending, running, suspended, copies, done, again}, []int{w.Waiting(), w.Running, w.Suspended, w.Copies, w.Done, int(w.Again)})
	for _, i := range w.Slow {
		require.Len(t, c.View().Attempts(model.TaskID{Job: j.ID, Kind: k, Index: i}), 1, "a task to copy has one attempt")
		require.Equal(t, core.TaskRunning, w.Tasks[i].State)
	}
	if k == model.Reduce {
		require.True(t, w.Open || running+suspended+done == 0, "reduces start only after slow start")
		return
	}
	for _, n := range c.Nodes {
		if !n.Joined {
			continue
		}
		for far := model.NodeLocal; far <= model.OffRack; far++ {
			gotMap, gotAt := c.Pick(j, n, far)
			wantMap, wantAt := slowPick(t, c, j, n, far)
			require.Equal(t, []any{wantMap, wantAt}, []any{gotMap, gotAt}, "pick on %s up to %v", n.Name, far)
		}
	}
}

// checkPools fails unless the sums and lists of each pool follow from its jobs, and its fair share
// is at most its demand. All shares are at most the slots.
func checkPools(t require.TestingT, o *pools.Order) {
	var load [model.Kinds]int
	var shares [model.Kinds]float64
	o.ComputeShares()
	for _, p := range o.Sorted {
		for k := range model.TaskKind(model.Kinds) {
			require.True(t, p.Share[k] >= 0 && p.Share[k] <= float64(p.Wants(k))+1e-6, "pool %s has a share of %v and wants %d", p.Name, p.Share[k], p.Wants(k))
			shares[k] += p.Share[k]
			var running, demand, sum int
			for _, j := range p.Jobs {
				require.Same(t, p, o.PoolOf(j))
				running += j.Work[k].Running
				demand += j.Demand(k)
				sum += j.Load(k)
			}
			require.Equal(t, []int{running, demand, sum}, []int{p.Running[k], p.Demand[k], p.Load[k]}, p.Name)
			load[k] += min(sum, p.Max[k])
		}
	}
	require.Equal(t, load, o.Load)
	for k, sum := range shares {
		require.LessOrEqual(t, sum, float64(o.C.Slots[k])+1e-6)
	}
	if o.Limits {
		checkLimits(t, o)
	}
}

// checkLimits fails unless exactly those jobs may run that the limits on running jobs allow.
func checkLimits(t require.TestingT, o *pools.Order) {
	inPool, ofUser := map[*pools.Pool]int{}, map[string]int{}
	for p := model.VeryHigh; p <= model.VeryLow; p++ {
		for _, j := range allJobs(o.C) {
			if j.State.Ended() || j.Spec.Priority != p {
				continue
			}
			may := inPool[o.PoolOf(j)] < o.PoolOf(j).MaxJobs && ofUser[j.Spec.User] < o.UserOf(j).Max
			require.Equal(t, may, j.Runnable, "%v of %s in %s", j.ID, j.Spec.User, j.Group)
			if may {
				inPool[o.PoolOf(j)]++
				ofUser[j.Spec.User]++
			}
		}
	}
}

// checkOrder fails unless the order of jobs is that of slowOrder, which sorts them.
func checkOrder(t require.TestingT, c *core.Core) {
	switch o := c.Order.(type) {
	case *hfsp.Order:
		checkHFSP(t, c, o)
		return
	case *capacity.Order:
		checkQueues(t, c, o)
		return
	}
	for k := range model.TaskKind(model.Kinds) {
		want := slowOrder(c, k)
		require.Equal(t, want, c.View().Order(k))
	}
}

// checkQueues fails unless the counts and lists of each queue follow from its jobs.
func checkQueues(t require.TestingT, c *core.Core, o *capacity.Order) {
	for _, q := range append([]*capacity.Queue{&o.Top}, o.Queues...) {
		var occupied [model.Kinds]int
		users := map[string]int{}
		for _, j := range allJobs(c) {
			if j.State.Ended() {
				continue
			}
			for up := o.QueueOf(j); up != nil; up = up.Above {
				if up == q {
					users[j.Spec.User]++
					for k := range occupied {
						occupied[k] += j.Work[k].Running * int(j.Slots)
					}
				}
			}
		}
		require.Equal(t, occupied, q.Occupied, q.Name)
		if q != &o.Top && len(q.Children) == 0 {
			require.Len(t, q.Users, len(users))
			require.Empty(t, toInitialize(q), q.Name)
		}
	}
	for k := range model.TaskKind(model.Kinds) { // at every level, the queue with the lowest load comes first
		leaves := o.Leaves(nil, &o.Top, k, false)
		for i := 1; i < len(leaves); i++ {
			a, b := apart(leaves[i-1], leaves[i])
			require.LessOrEqual(t, a.Used(k), b.Used(k))
		}
		require.Len(t, leaves, len(slices.DeleteFunc(slices.Clone(o.Queues), func(q *capacity.Queue) bool { return len(q.Children) > 0 })))
	}
}

// apart returns the ancestors of two leaves that have the same parent; they may be the leaves.
func apart(a, b *capacity.Queue) (*capacity.Queue, *capacity.Queue) {
	path := func(q *capacity.Queue) (list []*capacity.Queue) {
		for ; q != nil; q = q.Above {
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

// toInitialize returns the jobs of a queue that Hadoop would initialize now, by a search of all.
func toInitialize(q *capacity.Queue) (ids []model.JobID) {
	maxUsers := 100/q.UserLimit + 2
	met, of := 0, map[string]int{}
	for _, j := range q.Waiting.All() {
		if met > maxUsers*q.InitJobs {
			break
		}
		n, known := of[j.Spec.User]
		if !j.Runnable {
			if known && n >= q.InitJobs || !known && len(of) >= maxUsers {
				continue
			}
			ids = append(ids, j.ID)
		}
		of[j.Spec.User]++
		met++
	}
	return ids
}

// slowOrder returns all jobs that may launch a task of kind k, sorted as the papers compare jobs.
func slowOrder(c *core.Core, k model.TaskKind) []model.JobID {
	var jobs []*core.Job
	o, _ := c.Order.(*pools.Order)
	poolOf := func(j *core.Job) *pools.Pool {
		if o == nil {
			return nil
		}
		return o.PoolOf(j)
	}
	for _, j := range allJobs(c) {
		if !j.State.Ended() && j.Launchable(k) && (o == nil || poolOf(j).Running[k] < poolOf(j).Max[k]) {
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
		case o == nil && c.Policy.Order == "fifo", o == nil && c.Policy.Order == "quincy" && c.Policy.Quincy.Rule >= model.QP, o != nil && p.Mode == model.FIFOMode:
			if x.Spec.Priority != y.Spec.Priority {
				return x.Spec.Priority < y.Spec.Priority
			}
		default:
			rx, ry := float64(x.Work[k].Running), float64(y.Work[k].Running)
			if o != nil {
				rx, ry = rx/o.Weight(x, k), ry/o.Weight(y, k)
			} else if c.Policy.Order == "quincy" {
				rx, ry = rx/x.Spec.Priority.Factor(), ry/y.Spec.Priority.Factor()
			}
			if rx != ry {
				return rx < ry
			}
		}
		return x.ID < y.ID
	})
	var ids []model.JobID
	for _, j := range jobs {
		ids = append(ids, j.ID)
	}
	return ids
}

// poolBefore reports whether p comes before q, as Hadoop's SchedulingAlgorithms compares pools.
func poolBefore(p, q *pools.Pool, k model.TaskKind) bool {
	mp, mq := min(p.Min[k], min(p.Demand[k], p.Max[k])), min(q.Min[k], min(q.Demand[k], q.Max[k]))
	needyP, needyQ := p.Running[k] < mp, q.Running[k] < mq
	rp, rq := float64(p.Running[k])/p.Weight, float64(q.Running[k])/q.Weight
	switch {
	case needyP != needyQ:
		return needyP
	case needyP:
		rp, rq = float64(p.Running[k])/float64(mp), float64(q.Running[k])/float64(mq)
	}
	if rp != rq {
		return rp < rq
	}
	return p.Name < q.Name
}

// slowPick returns the same map and locality as Core.Pick, by a search of all tasks. It fails
// unless Core.Level agrees on the locality of each.
func slowPick(t require.TestingT, c *core.Core, j *core.Job, n *core.NodeState, far model.Locality) (int32, model.Locality) {
	best, at := int32(-1), model.Locality(100)
	unplaced := int32(-1)
	for m := range int32(len(j.Work[model.Map].Tasks)) {
		if j.Work[model.Map].Tasks[m].State != core.TaskPending {
			continue
		}
		if !j.HasPlace(m) {
			if unplaced < 0 {
				unplaced = m
			}
			continue
		}
		p := j.Spec.Places
		l := model.OffRack
		for _, r := range p.Nodes[p.Offsets[m]:p.Offsets[m+1]] {
			if c.Nodes[r].Joined {
				l = min(l, model.Locality(gravity.Distance(c.Nodes[r].Site, n.Site)/2))
			} else if r == n.ID {
				l = 0
			}
		}
		if l < at {
			best, at = m, l
		}
		if c.Level(j, m, n) != l {
			require.Equal(t, l, c.Level(j, m, n), "map %d on %s", m, n.Name)
		}
	}
	if best >= 0 && at <= far {
		return best, at
	}
	return unplaced, model.AnyPlace
}
