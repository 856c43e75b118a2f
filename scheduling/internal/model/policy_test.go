package model

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each mistake in the configuration of pools is rejected, even if it is the only one.
func TestBadPoolsAreRefused(t *testing.T) {
	good := Allocations{
		Pools: []PoolConfig{{Name: "a", Weight: 0}, {Name: "b", Weight: 2.5, Min: [2]int{1, 1}}},
		Users: []UserConfig{{Name: "u"}, {Name: "v"}}, BoostFactor: 2, BoostTime: time.Minute, FairTimeout: time.Minute,
	}
	var bad []string
	refuse := func(format string, _ ...any) { bad = append(bad, format) }
	good.validate(refuse)
	require.Empty(t, bad)
	for _, spoil := range []func(*Allocations){
		func(a *Allocations) { a.Pools[0].Name = "" },
		func(a *Allocations) { a.Pools[0].Name = "b" },
		func(a *Allocations) { a.Pools[0].Min[Map] = -1 },
		func(a *Allocations) { a.Pools[0].Min[Reduce] = -1 },
		func(a *Allocations) { a.Pools[0].Weight = -1 },
		func(a *Allocations) { a.Pools[0].Weight = math.NaN() },
		func(a *Allocations) { a.Pools[0].Weight = math.Inf(1) },
		func(a *Allocations) { a.Users[0].Name = "" },
		func(a *Allocations) { a.Users[0].Name = "v" },
		func(a *Allocations) { a.BoostFactor = -1 },
		func(a *Allocations) { a.BoostFactor = math.NaN() },
		func(a *Allocations) { a.BoostFactor = math.Inf(1) },
		func(a *Allocations) { a.BoostTime = -1 },
		func(a *Allocations) { a.FairTimeout = -1 },
	} {
		a := good
		a.Pools, a.Users = append([]PoolConfig(nil), good.Pools...), append([]UserConfig(nil), good.Users...)
		spoil(&a)
		bad = nil
		a.validate(refuse)
		require.Len(t, bad, 1, "%+v", a)
	}
}

// Each mistake in a policy is rejected, even if it is the only one. Values at the limits are valid.
func TestBadPoliciesAreRefused(t *testing.T) {
	good := Policy{
		Order: "hfsp", SlowStart: 1, LoadMaxDiff: 1, Locality: LocalityPolicy{Skips: []int{0, 1}, Waits: []time.Duration{0, 1}},
		HFSP: HFSPPolicy{Xi: 1, SuspendLow: 2, SuspendHigh: 2},
	}
	require.NoError(t, good.Validate())
	many := MaxLevels
	for name, spoil := range map[string]func(*Policy){
		"slow start":     func(p *Policy) { p.SlowStart = 1.01 },
		"no slow start":  func(p *Policy) { p.SlowStart = math.NaN() },
		"load below":     func(p *Policy) { p.LoadMaxDiff = -0.01 },
		"load above":     func(p *Policy) { p.LoadMaxDiff = 1.01 },
		"skips":          func(p *Policy) { p.Locality.Skips = make([]int, many) },
		"waits":          func(p *Policy) { p.Locality.Waits = make([]time.Duration, many) },
		"negative skip":  func(p *Policy) { p.Locality.Skips = []int{0, -1} },
		"negative wait":  func(p *Policy) { p.Locality.Waits = []time.Duration{0, -1} },
		"theta":          func(p *Policy) { p.Reduce.Theta = math.NaN() },
		"skew cap":       func(p *Policy) { p.Reduce.SkewCap = math.NaN() },
		"forgive":        func(p *Policy) { p.Avoid.Forgive = -1 },
		"sample":         func(p *Policy) { p.HFSP.Sample = -1 },
		"delta":          func(p *Policy) { p.HFSP.Delta = -1 },
		"xi":             func(p *Policy) { p.HFSP.Xi = 0.99 },
		"infinite xi":    func(p *Policy) { p.HFSP.Xi = math.Inf(1) },
		"initial":        func(p *Policy) { p.HFSP.Initial = -1 },
		"suspend low":    func(p *Policy) { p.HFSP.SuspendLow = -1 },
		"low above high": func(p *Policy) { p.HFSP.SuspendLow = 3 },
		"pools":          func(p *Policy) { p.Pools.Pools = []PoolConfig{{}} },
		"copies' rule":   func(p *Policy) { p.Speculation.Rule = LATE + 1 },
		"copies' lag":    func(p *Policy) { p.Speculation.Lag = -1 },
		"slow task":      func(p *Policy) { p.Speculation.SlowTask = math.NaN() },
		"slow node":      func(p *Policy) { p.Speculation.SlowNode = -1 },
		"copies below":   func(p *Policy) { p.Speculation.Cap = -0.1 },
		"copies above":   func(p *Policy) { p.Speculation.Cap = 1.1 },
		"few copies":     func(p *Policy) { p.Speculation.MinCopies = -1 },
	} {
		p := good
		spoil(&p)
		require.ErrorIs(t, p.Validate(), ErrBadConfig, name)
	}
	most := good
	most.Locality.Skips, most.Locality.Waits = make([]int, many-1), make([]time.Duration, many-1)
	require.NoError(t, most.Validate())
}

// SetWeight sets the weight of a pool. It adds "default", or a new pool if undeclared pools are
// allowed. It does not change the old slice, which other policies may have.
func TestSetWeight(t *testing.T) {
	old := []PoolConfig{{Name: "ann", Weight: 2, MaxJobs: 3}, {Name: "bob"}}
	for _, known := range []bool{false, true} {
		a := Allocations{Pools: old, Known: known}
		require.True(t, a.SetWeight("ann", 5))
		require.True(t, a.SetWeight("default", 4))
		require.Equal(t, !known, a.SetWeight("cat", 3))
		want := []PoolConfig{{Name: "ann", Weight: 5, MaxJobs: 3}, {Name: "bob"}, {Name: "default", Weight: 4}}
		if !known {
			want = append(want, PoolConfig{Name: "cat", Weight: 3})
		}
		require.Equal(t, want, a.Pools)
		require.InDelta(t, 2, old[0].Weight, 0)
	}
}
