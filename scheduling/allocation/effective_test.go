package allocation_test

import (
	"slices"

	"github.com/tarry-mr/tarry/scheduling"
)

// poolNames lists the pools of a, in file order, and the default pool at the end if it is not among
// them.
func poolNames(a scheduling.Allocations) []string {
	names := make([]string, 0, len(a.Pools)+1)
	for _, p := range a.Pools {
		names = append(names, p.Name)
	}
	if !slices.Contains(names, "default") {
		names = append(names, "default")
	}
	return names
}

// effective returns the applied settings of a pool, listed in a or not: every default is filled
// in, limits that do not bind are scheduling.NoLimit, limits that forbid everything are 0, and a
// missing timeout is negative.
func effective(a scheduling.Allocations, pool string) scheduling.PoolConfig {
	c := scheduling.PoolConfig{Name: pool}
	for _, p := range a.Pools {
		if p.Name == pool {
			c = p
		}
	}
	for kind := range c.Max {
		c.Max[kind] = plainLimit(c.Max[kind], scheduling.NoLimit)
	}
	c.MaxJobs = plainLimit(c.MaxJobs, plainLimit(a.PoolMaxJobs, scheduling.NoLimit))
	if c.Weight == 0 {
		c.Weight = 1
	}
	if c.Mode == scheduling.DefaultMode {
		c.Mode = a.PoolMode
	}
	if c.Mode == scheduling.DefaultMode {
		c.Mode = scheduling.FairMode
	}
	if c.MinTimeout == 0 {
		c.MinTimeout = a.MinTimeout
	}
	if c.MinTimeout == 0 {
		c.MinTimeout = -1
	}
	return c
}

// userMaxJobs returns the maximum number of running jobs of a user, listed in a or not;
// scheduling.NoLimit if it is unlimited.
func userMaxJobs(a scheduling.Allocations, user string) int {
	n := 0
	for _, u := range a.Users {
		if u.Name == user {
			n = u.MaxJobs
		}
	}
	return plainLimit(n, plainLimit(a.UserMaxJobs, scheduling.NoLimit))
}

// plainLimit turns 0 into the default and negative numbers into 0.
func plainLimit(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return max(n, 0)
}
