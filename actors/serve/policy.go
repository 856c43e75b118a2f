package serve

import (
	"maps"
	"math"
	"slices"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// policyInForce returns the current scheduling policy in the JSON form of the API.
func (s *Server) policyInForce() (p api.Policy, err error) {
	err = s.cluster.Inspect(func(v scheduling.View) {
		policy := v.Policy()
		p.Name, p.AutoWaitSeconds = policy.Name, v.AutoWait().Seconds()
		for _, f := range policyfile.Fields() {
			p.Settings = append(p.Settings, api.Setting{
				Key: f.Key, Value: f.Text(&policy), Range: f.Range(), Help: f.Help, Idle: f.Idle(&policy),
			})
		}
		p.Pools = poolsOf(v)
	})
	if s.config != nil {
		p.Reload = new(s.config.outcome())
	}
	return p, err
}

// poolsOf lists the pools, or the queues.
func poolsOf(v scheduling.View) (list []api.Pool) {
	for _, x := range v.Pools() {
		list = append(list, api.Pool{
			Name: x.Name, Jobs: x.Jobs, Weight: x.Config.Weight, Mode: map[bool]string{false: "fair", true: "fifo"}[x.Config.Mode == scheduling.FIFOMode],
			Maps:    poolTasks(x.Config.Min[0], x.Config.Max[0], x.Kinds[0]),
			Reduces: poolTasks(x.Config.Min[1], x.Config.Max[1], x.Kinds[1]),
		})
	}
	for _, x := range v.Queues() {
		for k := range x.Kinds { // a parent queue's figures include its children
			x.Kinds[k].Running, x.Kinds[k].Share = x.Occupied[k], math.NaN()
		}
		list = append(list, api.Pool{
			Name: x.Name, Jobs: x.Jobs,
			Maps:    poolTasks(x.Capacity[0], x.Max[0], x.Kinds[0]),
			Reduces: poolTasks(x.Capacity[1], x.Max[1], x.Kinds[1]),
		})
	}
	return list
}

func poolTasks(least, most int, k view.Kind) api.PoolTasks {
	t := api.PoolTasks{Min: least, Running: k.Running, Demand: k.Demand, Share: share(k.Share)}
	if most != scheduling.NoLimit && most != 0 {
		t.Max = new(max(most, 0))
	}
	return t
}

// reconfigure changes settings of the current policy: all or none.
func (s *Server) reconfigure(change *api.PolicyChange) error {
	if len(change.Set)+len(change.Weights) == 0 {
		return refuse("bad-arguments", "nothing to set")
	}
	s.policyChange.Lock() // held from read to write
	defer s.policyChange.Unlock()
	var policy scheduling.Policy
	if err := s.cluster.Inspect(func(v scheduling.View) { policy = v.Policy() }); err != nil {
		return err
	}
	var set []policyfile.Setting
	for _, key := range slices.Sorted(maps.Keys(change.Set)) {
		set = append(set, policyfile.Setting{Key: key, Value: change.Set[key]})
	}
	err := policyfile.SetAll(&policy, set)
	if err == nil {
		err = reweigh(&policy, change.Weights)
	}
	if err == nil {
		err = policy.Validate()
	}
	if err != nil {
		return err
	}
	return s.cluster.Reload(policy, s.cluster.Rules())
}

// reweigh changes the weights of pools in policy. It returns an error for an unknown pool.
func reweigh(policy *scheduling.Policy, weights map[string]float64) error {
	if len(weights) == 0 {
		return nil
	}
	if policy.Order != "pools" {
		return refuse("bad-policy", "pools have no weights with order %s", policy.Order)
	}
	pools := policy.Pools
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		w := weights[name]
		if err := checkLabel("pool", name); err != nil {
			return err
		}
		if !(w > 0) || math.IsInf(w, 0) {
			return refuse("bad-policy", "the weight of pool %.100q: %v: want a number above 0", name, w)
		}
		if !pools.SetWeight(name, w) {
			return refuse("bad-policy", "there is no pool %.100q", name)
		}
	}
	policy.Pools = pools
	return nil
}
