package model

import (
	"errors"
	"fmt"
	"math"
)

// ErrBadConfig is wrapped by the errors of a policy or configuration that cannot be used.
var ErrBadConfig = errors.New("scheduling: bad configuration")

// Validate returns every mistake in a policy; each error wraps ErrBadConfig.
func (p *Policy) Validate() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: %s", ErrBadConfig, fmt.Sprintf(format, args...)))
	}
	if !(p.SlowStart <= 1) {
		bad("slow start %v is above 1", p.SlowStart)
	}
	if !(p.LoadMaxDiff >= 0 && p.LoadMaxDiff <= 1) {
		bad("load-max-diff %v is not within 0 to 1", p.LoadMaxDiff)
	}
	if len(p.Locality.Skips) >= MaxLevels || len(p.Locality.Waits) >= MaxLevels {
		bad("more than %d levels of locality", MaxLevels-1)
	}
	for _, s := range p.Locality.Skips {
		if s < 0 {
			bad("skip count %d is negative", s)
		}
	}
	for _, w := range p.Locality.Waits {
		if w < 0 {
			bad("wait %v is negative", w)
		}
	}
	if math.IsNaN(p.Reduce.Theta) || math.IsNaN(p.Reduce.SkewCap) {
		bad("placement of reduces: not a number")
	}
	p.Pools.validate(bad)
	p.Speculation.validate(bad)
	if p.Avoid.Forgive < 0 {
		bad("the time after which a node's faults are forgiven must not be negative")
	}
	h := &p.HFSP
	if h.Sample < 0 || h.Delta < 0 || !(h.Xi <= 0 || h.Xi >= 1 && h.Xi <= math.MaxFloat64) || h.Initial < 0 || h.SuspendHigh < 0 || h.SuspendLow < 0 || h.SuspendLow > h.SuspendHigh {
		bad("hfsp: numbers must not be negative, xi at least 1, suspend-low at most suspend-high")
	}
	p.Quincy.validate(bad)
	return errors.Join(errs...)
}

func (q *QuincyPolicy) validate(bad func(string, ...any)) {
	if q.Rule > Q {
		bad("quincy: unknown rule %d", q.Rule)
	}
	if !(q.Floor <= 1) || math.IsInf(q.Floor, -1) {
		bad("quincy: floor %v is not within 0 to 1", q.Floor)
	}
	if math.IsNaN(q.Lost) || math.IsInf(q.Lost, 0) {
		bad("quincy: a second lost costs %v seconds", q.Lost)
	}
}

// validate reports every mistake in the allocations.
func (a *Allocations) validate(bad func(string, ...any)) {
	pools := map[string]bool{}
	for _, p := range a.Pools {
		switch {
		case p.Name == "":
			bad("a pool without a name")
		case pools[p.Name]:
			bad("pool %s twice", p.Name)
		case p.Min[Map] < 0 || p.Min[Reduce] < 0:
			bad("pool %s: negative minimum share", p.Name)
		case !(p.Weight >= 0) || math.IsInf(p.Weight, 1):
			bad("pool %s: weight %v", p.Name, p.Weight)
		}
		pools[p.Name] = true
	}
	users := map[string]bool{}
	for _, u := range a.Users {
		if u.Name == "" || users[u.Name] {
			bad("user %q without a name or twice", u.Name)
		}
		users[u.Name] = true
	}
	if !(a.BoostFactor >= 0) || math.IsInf(a.BoostFactor, 1) || a.BoostTime < 0 || a.FairTimeout < 0 {
		bad("new job boost and timeouts must not be negative")
	}
}
