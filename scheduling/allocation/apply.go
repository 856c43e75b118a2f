package allocation

import "github.com/tarry-mr/tarry/scheduling"

// Apply puts the allocations into a policy of pools, at the start and at each reload. It replaces
// everything that the file can set; missing settings get their defaults. Settings of
// mapred-site.xml stay.
func (f Fair) Apply(to *scheduling.Policy) {
	a, old := f.Allocations, to.Pools
	a.PoolPerUser, a.Known = old.PoolPerUser, old.Known
	a.SizeBasedWeight, a.BoostFactor, a.BoostTime = old.SizeBasedWeight, old.BoostFactor, old.BoostTime
	to.Pools = a
}

// Apply replaces the queues of a policy.
func (q Queues) Apply(to *scheduling.Policy) { to.Queues = q.Configs }
