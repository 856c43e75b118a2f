package actors

import (
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// Reload puts a policy and the rules of admission in force that changed configuration files
// ask for, both or, on error, neither. Rules as in Config; nil lets everybody do everything.
func (c *Cluster) Reload(p scheduling.Policy, rules *allocation.Rules) error {
	return c.command(func(jt *jobTracker) error {
		if err := jt.reconfigure(p); err != nil {
			return err
		}
		jt.env.rules.Store(rules)
		return nil
	})
}

// Reconfigure puts another policy in force, or leaves the old one on error.
func (c *Cluster) Reconfigure(p scheduling.Policy) error {
	return c.command(func(jt *jobTracker) error { return jt.reconfigure(p) })
}

// reconfigure changes the policy of the Core, and of those that come after it.
func (jt *jobTracker) reconfigure(p scheduling.Policy) error {
	if err := jt.core.Reconfigure(jt.env.now(), p); err != nil {
		return err
	}
	jt.env.policy.Store(&p)
	return nil
}

// ReloadFailed tells the sink of events that changed configuration files were not put in
// force, and why.
func (c *Cluster) ReloadFailed(why error) error {
	return c.command(func(jt *jobTracker) error {
		jt.happened = append(jt.happened, event.Event{
			At: jt.env.now(), Type: event.ReloadFailed, Node: scheduling.NoNode, Err: why.Error(),
		})
		return nil
	})
}
