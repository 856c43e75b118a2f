package engine

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
	o.of, o.fair = roomFor(o.of, j.index), roomFor(o.fair, j.index)
	name := cmp.Or(strings.TrimSpace(j.spec.Pool), strings.TrimSpace(j.spec.PoolProperty))
	if name == "" && o.alloc.PoolPerUser {
		name = j.spec.User
	}
	p, err := o.named(cmp.Or(name, defaultName))
	if err != nil {
		return err
	}
	o.enter(j, p)
	if !o.limits {
		o.c.admit(j)
	}
	if o.alloc.BoostFactor > 0 {
		// Where a job goes on from a former Core's facts, younger ones may be there before it.
		older := func(a, b *job) int { return cmp.Or(cmp.Compare(a.submitted, b.submitted), cmp.Compare(a.id, b.id)) }
		i, _ := slices.BinarySearchFunc(o.boosted, j, older)
		o.boosted = slices.Insert(o.boosted, i, j)
	}
	return nil
}

// named finds the pool of a name, and makes it if it may.
func (o *pools) named(name string) (*pool, error) {
	if p := o.byName[name]; p != nil {
		return p, nil
	}
	if o.alloc.Known {
		return nil, fmt.Errorf("%w %q", ErrUnknownPool, name)
	}
	return o.create(PoolConfig{Name: name}), nil
}

// enter makes j a job of a pool.
func (o *pools) enter(j *job, p *pool) {
	of := &o.of[j.index]
	*of = poolJob{pool: p}
	for k := range of.counted {
		of.counted[k].priority = j.priority
	}
	o.arrived = append(o.arrived, j)
	j.group = p.Name
	p.jobs = append(p.jobs, j)
	o.stale = true
}

// remove takes j out of its pool.
func (o *pools) remove(j *job) {
	p := o.poolOf(j)
	i := slices.Index(p.jobs, j)
	p.jobs = slices.Delete(p.jobs, i, i+1)
	for k := range TaskKind(kinds) {
		p.lists[k].Put(&o.spots[k][j.index], false, index.Rank{}, 0)
		counted := &o.of[j.index].counted[k]
		p.running[k] -= int(counted.running)
		o.count(p, k, counted, 0, 0, counted.priority)
		o.reposition(p, k)
	}
	o.stale = true
	o.dismiss(j)
}

// move takes a job to another pool.
func (o *pools) move(j *job, name string) error {
	name = cmp.Or(name, defaultName)
	p, err := o.named(name)
	if err != nil {
		return err
	}
	o.remove(j)
	o.unsettled = true
	o.enter(j, p)
	j.spec.Pool = name
	o.changed(j, Map)
	o.changed(j, Reduce)
	return nil
}
