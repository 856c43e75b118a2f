package actors

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// anonymous is the user of jobs that name none.
const anonymous = "anonymous"

// admit decides, by the rules and the policy in force, into which pool or queue a job goes, and
// refuses it if the submitter may not submit there. What it decided replaces what was asked for,
// so that nothing the job says can lead elsewhere.
func (c *Cluster) admit(o *SubmitOptions) error {
	if c.env.rules.Load() == nil && o.Pool == "" && o.Queue == "" {
		return nil
	}
	var in readAdmission
	if err := c.ask(&in); err != nil {
		return err
	}
	rules, policy, wanted := in.rules, in.policy, *o
	if rules != nil {
		spec := scheduling.JobSpec{User: o.User, Pool: o.Pool, Queue: o.Queue}
		if err := rules.Admit(&spec, o.principal(), policy.Order == "capacity"); err != nil {
			return err
		}
		o.User, o.Pool, o.Queue = spec.User, spec.Pool, spec.Queue
	}
	if o.Queue == "" {
		wanted.Queue = "" // by the rules it has named the pool
	}
	return wanted.check(policy, rules)
}

// check refuses a pool or queue that the policy has no use for, rather than run the job somewhere
// else. With rules an unlisted pool was admitted by them.
func (o *SubmitOptions) check(p scheduling.Policy, rules *allocation.Rules) error {
	pool, queue := strings.TrimSpace(o.Pool), strings.TrimSpace(o.Queue)
	name := cmp.Or(p.Name, p.Order)
	listed := func(q scheduling.PoolConfig) bool { return q.Name == pool }
	switch pools := p.Pools.Pools; {
	case queue != "" && p.Order != "capacity":
		return fmt.Errorf("%w %q: scheduler %s has no queues; leave Queue empty", scheduling.ErrUnknownQueue, queue, name)
	case pool != "" && p.Order != "pools":
		return fmt.Errorf("%w %q: scheduler %s has no pools; leave Pool empty", scheduling.ErrUnknownPool, pool, name)
	case pool != "" && pool != "default" && rules == nil && len(pools) > 0 && !slices.ContainsFunc(pools, listed):
		return fmt.Errorf("%w %q: Policy.Pools does not list it", scheduling.ErrUnknownPool, pool)
	}
	return nil
}

// principal is who submits.
func (o *SubmitOptions) principal() allocation.Principal {
	return allocation.Principal{User: cmp.Or(o.User, anonymous), Groups: o.Groups}
}

// Admit gives the options with which a job would be submitted now, its pool or queue decided, or why
// it would be refused: for who wants to know before there is a plan. Submit decides for itself.
func (c *Cluster) Admit(o SubmitOptions) (SubmitOptions, error) {
	err := c.admit(&o)
	return o, err
}

// Rules are the rules of admission in force, not to be changed; nil lets everybody do everything.
func (c *Cluster) Rules() *allocation.Rules { return c.env.rules.Load() }

// SetPoolBy is SetPool by somebody else than the submitter, if Config.Rules let them administer the
// job where it is and submit where it goes.
func (h *JobHandle) SetPoolBy(who allocation.Principal, name string) error {
	return h.cluster.ask(&setPool{h.run, who, name})
}
