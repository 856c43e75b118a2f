package allocation

import "github.com/tarry-mr/tarry/scheduling"

// Apply puts the allocations into a policy of pools, at the start and at each reload. It replaces
// everything that the file can set; missing settings get their defaults. Settings of
// mapred-site.xml stay.
func (f Fair) Apply(to *scheduling.Policy) {
	site := to.Pools
	to.Pools = f.Allocations
	applySite(&to.Pools, site)
}

// applySite sets the settings of pools that are in mapred-site.xml, not in the allocation file.
func applySite(to *scheduling.Allocations, from scheduling.Allocations) {
	to.PoolPerUser, to.Known = from.PoolPerUser, from.Known
	to.SizeBasedWeight, to.BoostFactor, to.BoostTime = from.SizeBasedWeight, from.BoostFactor, from.BoostTime
}

// Apply replaces the queues of a policy.
func (q Queues) Apply(to *scheduling.Policy) { to.Queues = q.Configs }

// Apply applies the parameters to a policy, as far as they concern its order; they replace its own
// settings.
func (p Parameters) Apply(to *scheduling.Policy) {
	from := &p.Policy
	to.Speculation, to.Avoid = from.Speculation, from.Avoid
	if from.SlowStart >= 0 {
		to.SlowStart = from.SlowStart
	}
	if to.Order == "pools" {
		to.Preemption, to.Locality = from.Preemption, from.Locality
		to.OneTask, to.LoadMaxDiff = from.OneTask, from.LoadMaxDiff
		applySite(&to.Pools, from.Pools)
	}
}

// ApplyAccess adds this file's access settings to those of the files about queues. Either file may
// turn the lists on.
func (p Parameters) ApplyAccess(to *Access) {
	to.Enabled = to.Enabled || p.Access.Enabled
	to.Admins = to.Admins.with(p.Access.Admins)
}
