package scheduling

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/scheduling/internal/index"
)

// add puts a job into its pool.
func (o *pools) add(j *job) error {
	o.spots.add(j)
	o.of = roomFor(o.of, j.index)
	name := cmp.Or(strings.TrimSpace(j.spec.Pool), strings.TrimSpace(j.spec.PoolProperty))
	if name == "" && o.alloc.PoolPerUser {
		name = j.spec.User
	}
	if err := o.enter(j, cmp.Or(name, defaultName)); err != nil {
		return err
	}
	if !o.limited {
		o.c.admit(j)
	}
	if f := o.alloc.BoostFactor; f > 0 && f != 1 {
		o.boosted = append(o.boosted, j)
	}
	return nil
}

// enter makes j a job of the pool of that name.
func (o *pools) enter(j *job, name string) error {
	p := o.byName[name]
	if p == nil {
		if o.alloc.Known {
			return fmt.Errorf("%w %q", ErrUnknownPool, name)
		}
		p = o.create(PoolConfig{Name: name})
	}
	o.of[j.index] = poolJob{pool: p}
	j.group = name
	p.jobs = append(p.jobs, j)
	o.stale = true
	return nil
}

// leave takes j out of its pool.
func (o *pools) leave(j *job) {
	p := o.poolOf(j)
	if i := slices.Index(p.jobs, j); i >= 0 {
		p.jobs = slices.Delete(p.jobs, i, i+1)
	}
	for k := range TaskKind(kinds) {
		p.lists[k].Put(&o.spots[k][j.index], false, index.Rank{}, listedJob{})
		counted := &o.of[j.index].counted[k]
		p.running[k] -= counted.running
		o.count(p, k, counted, 0, 0, Normal)
		o.reposition(p, k)
	}
	o.stale = true
}

func (o *pools) remove(j *job) { o.leave(j) }

// move takes a job to another pool.
func (o *pools) move(j *job, name string) error {
	if name == "" {
		name = defaultName
	}
	if o.byName[name] == nil && o.alloc.Known {
		return fmt.Errorf("%w %q", ErrUnknownPool, name)
	}
	o.leave(j)
	if err := o.enter(j, name); err != nil {
		return err
	}
	j.spec.Pool = name
	o.changed(j, Map)
	o.changed(j, Reduce)
	return nil
}

// settle says which jobs may run: all in order of priority and submission, as long as their pool
// and user are below their limits on running jobs. So a new job of high priority may displace a
// running one of low priority, which keeps its running tasks but gets no more.
func (o *pools) settle() {
	o.expireBoosts()
	c := o.c
	inPool, ofUser := map[*pool]int{}, map[string]int{}
	for _, j := range o.ranked() {
		user := o.userLimit(j.spec.User)
		switch {
		case ofUser[j.spec.User] >= user:
			c.setRunnable(j, false, Reason{Cause: CauseJobLimit, Count: int32(ofUser[j.spec.User]), Of: int32(max(0, user))})
		case inPool[o.poolOf(j)] >= o.poolOf(j).MaxJobs:
			c.setRunnable(j, false, Reason{Cause: CauseJobLimit, Count: int32(inPool[o.poolOf(j)]), Of: int32(max(0, o.poolOf(j).MaxJobs))})
		default:
			ofUser[j.spec.User]++
			inPool[o.poolOf(j)]++
			c.setRunnable(j, true, Reason{})
		}
	}
}

// ranked lists the jobs that have not ended, by priority and submission; none if no limit makes
// that worth while.
func (o *pools) ranked() []*job {
	if !o.limited {
		return nil
	}
	var jobs []*job
	for p := VeryHigh; p <= VeryLow; p++ {
		for _, j := range o.c.active {
			if !j.state.Ended() && j.spec.Priority == p {
				jobs = append(jobs, j)
			}
		}
	}
	return jobs
}

// userLimit is how many jobs a user may run.
func (o *pools) userLimit(name string) int {
	if n := o.users[name]; n != 0 {
		return n
	}
	if o.alloc.UserMaxJobs != 0 {
		return o.alloc.UserMaxJobs
	}
	return NoLimit
}
