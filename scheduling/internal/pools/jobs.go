package pools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/scheduling/internal/core"
	"github.com/tarry-mr/tarry/scheduling/internal/index"
	"github.com/tarry-mr/tarry/scheduling/internal/model"
)

// Add adds a job to the pool that it names, or to the default one.
func (o *Order) Add(j *core.Job) error {
	name := cmp.Or(strings.TrimSpace(j.Spec.Pool), strings.TrimSpace(j.Spec.PoolProperty))
	if name == "" && o.Alloc.PoolPerUser {
		name = j.Spec.User
	}
	p, err := o.named(cmp.Or(name, model.DefaultName))
	if err != nil {
		return err
	}
	o.enter(j, p)
	if !o.Limits {
		o.C.Admit(j)
	}
	if o.Alloc.BoostFactor > 0 {
		// A job resumed from a former Core may be older than jobs already present.
		older := func(a, b *core.Job) int {
			return cmp.Or(cmp.Compare(a.Submitted, b.Submitted), cmp.Compare(a.ID, b.ID))
		}
		i, _ := slices.BinarySearchFunc(o.boosted, j, older)
		o.boosted = slices.Insert(o.boosted, i, j)
	}
	return nil
}

// named returns the named pool. It creates a missing one unless only listed pools are allowed.
func (o *Order) named(name string) (*Pool, error) {
	if p := o.byName[name]; p != nil {
		return p, nil
	}
	if o.Alloc.Known {
		return nil, fmt.Errorf("%w %q", core.ErrUnknownPool, name)
	}
	return o.create(model.PoolConfig{Name: name}), nil
}

// enter makes p the pool of j; the next Settle decides whether j may run.
func (o *Order) enter(j *core.Job, p *Pool) {
	of := o.of.Of(j)
	*of = poolJob{pool: p}
	for k := range of.counted {
		of.counted[k].priority = j.Priority
	}
	j.Group = p.Name
	p.Jobs = append(p.Jobs, j)
	o.stale = true
}

// Remove removes j from its pool, whose sums no longer contain it.
func (o *Order) Remove(j *core.Job) {
	p := o.PoolOf(j)
	i := slices.Index(p.Jobs, j)
	p.Jobs = slices.Delete(p.Jobs, i, i+1)
	for k := range model.TaskKind(model.Kinds) {
		p.lists[k].Put(&o.spots.Of(j)[k], false, index.Rank{}, j)
		counted := &o.of.Of(j).counted[k]
		p.Running[k] -= int(counted.running)
		o.count(p, k, counted, 0, 0, counted.priority)
		o.reposition(p, k)
	}
	o.stale = true
}

// Move moves a job to the named pool, or to the default one if name is empty.
func (o *Order) Move(j *core.Job, name string) error {
	name = cmp.Or(name, model.DefaultName)
	p, err := o.named(name)
	if err != nil {
		return err
	}
	o.Remove(j)
	o.enter(j, p)
	j.Spec.Pool = name
	o.Changed(j, model.Map)
	o.Changed(j, model.Reduce)
	return nil
}
