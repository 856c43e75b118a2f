package pools

import "github.com/tarry-mr/tarry/scheduling/internal/core"

// PoolViews returns a snapshot of each pool, sorted by name.
func (o *Order) PoolViews() []core.PoolView {
	o.ComputeShares()
	var views []core.PoolView
	for _, p := range o.Sorted {
		v := core.PoolView{Name: p.Name, Config: p.PoolConfig, Jobs: len(p.Jobs)}
		for k := range core.TaskKind(core.Kinds) {
			v.Kinds[k] = core.KindView{Running: p.Running[k], Demand: p.Wants(k), Share: p.Share[k], Weight: p.Weight}
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
