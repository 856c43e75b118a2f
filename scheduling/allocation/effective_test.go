package allocation_test

import (
	"slices"

	"github.com/tarry-mr/tarry/scheduling"
)

// poolNames lists the pools of a in the order of the file. If "default" is not among them, it is
// added at the end.
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

// effective returns the settings of a pool as they are applied, even if a does not list the pool.
// Defaults are filled in. A limit that does not bind is NoLimit, one that forbids everything is 0,
// and a missing timeout is negative.
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

// userMaxJobs returns the maximum number of running jobs of a user, even if a does not list the
// user; NoLimit without a limit.
func userMaxJobs(a scheduling.Allocations, user string) int {
	n := 0
	for _, u := range a.Users {
		if u.Name == user {
			n = u.MaxJobs
		}
	}
	return plainLimit(n, plainLimit(a.UserMaxJobs, scheduling.NoLimit))
}

// plainLimit returns otherwise for 0, 0 for negative numbers, and other numbers as they are.
func plainLimit(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return max(n, 0)
}
