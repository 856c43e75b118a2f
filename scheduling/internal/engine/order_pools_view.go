package engine

func (o *pools) poolViews() []PoolView {
	o.computeShares()
	var views []PoolView
	for _, p := range o.sorted {
		v := PoolView{Name: p.Name, Config: p.PoolConfig, Jobs: len(p.jobs)}
		for k := range TaskKind(kinds) {
			v.Kinds[k] = KindView{Running: p.running[k], Demand: p.wants(k), Share: p.share[k], Weight: p.Weight}
			v.Need[k] = o.needOf(p, k)
			for _, j := range p.jobs {
				w := &j.w[k]
				v.Kinds[k].Total += len(w.tasks)
				v.Kinds[k].Pending += w.waiting()
				v.Kinds[k].Done += w.done
				v.Kinds[k].Suspended += w.suspended
			}
		}
		views = append(views, v)
	}
	return views
}
