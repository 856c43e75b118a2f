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
	if !o.limits {
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
	of := &o.of[j.index]
	*of = poolJob{pool: p}
	for k := range of.counted {
		of.counted[k].priority = j.spec.Priority
	}
	o.arrived = append(o.arrived, j)
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
		o.count(p, k, counted, 0, 0, counted.priority)
		o.reposition(p, k)
	}
	o.stale = true
	o.dismiss(j)
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
	o.unsettled = true
	if err := o.enter(j, name); err != nil {
		return err
	}
	j.spec.Pool = name
	o.changed(j, Map)
	o.changed(j, Reduce)
	return nil
}
