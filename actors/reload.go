package actors

import (
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// Reload puts a policy and the rules of admission in force that changed configuration files
// ask for, both or, on error, neither. Rules as in Config; nil lets everybody do everything.
func (c *Cluster) Reload(p scheduling.Policy, rules *allocation.Rules) error {
	return c.ask(&reload{p, rules})
}

// Reconfigure puts another policy in force, or leaves the old one on error.
func (c *Cluster) Reconfigure(p scheduling.Policy) error { return c.ask(&reconfigure{p}) }

// ReloadFailed tells the sink of events that changed configuration files were not put in
// force, and why.
func (c *Cluster) ReloadFailed(why error) error { return c.ask(&reloadFailed{why}) }
