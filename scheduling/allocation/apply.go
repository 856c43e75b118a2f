package allocation

import "github.com/tarry-mr/tarry/scheduling"

// Apply puts the allocations into a policy of pools, as at the start and at each reload: everything
// that the file can set is replaced, back to the defaults where the file says nothing. What
// mapred-site.xml sets stays.
func (f Fair) Apply(to *scheduling.Policy) {
	a, old := f.Allocations, to.Pools
	a.PoolPerUser, a.Known = old.PoolPerUser, old.Known
	a.SizeBasedWeight, a.BoostFactor, a.BoostTime = old.SizeBasedWeight, old.BoostFactor, old.BoostTime
	to.Pools = a
}

// Apply puts the queues into a policy of queues, in place of those that it had.
func (q Queues) Apply(to *scheduling.Policy) { to.Queues = q.Configs }
