package pools

import (
	"github.com/tarry-mr/tarry/scheduling/internal/model"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// PoolViews returns a snapshot of each pool, sorted by name.
func (o *Order) PoolViews() []view.Pool {
	o.ComputeShares()
	var views []view.Pool
	for _, p := range o.Sorted {
		v := view.Pool{Name: p.Name, Config: p.PoolConfig, Jobs: len(p.Jobs)}
		for k := range model.TaskKind(model.Kinds) {
			v.Kinds[k] = view.Kind{Running: p.Running[k], Demand: p.Wants(k), Share: p.Share[k], Weight: p.Weight}
			v.Need[k] = o.needOf(p, k)
			for _, j := range p.Jobs {
				w := &j.Work[k]
				v.Kinds[k].Total += len(w.Tasks)
				v.Kinds[k].Pending += w.Waiting()
				v.Kinds[k].Done += w.Done
				v.Kinds[k].Suspended += w.Suspended
			}
		}
		views = append(views, v)
	}
	return views
}
