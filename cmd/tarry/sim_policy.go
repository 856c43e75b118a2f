package main

import (
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// policy gives the preset of a name with what the flags change; "+any", "+cogrs" or "+larts" behind the name sets its reduce placement.
func (f *simFlags) policy(name string) (scheduling.Policy, error) {
	placement := f.reducePlacement
	base, own, found := strings.Cut(name, "+")
	if found {
		placement = own
	}
	policy, err := scheduling.Preset(base)
	if err != nil {
		return policy, usageError("%w", err)
	}
	if err := setPlacement(&policy, placement); err != nil {
		return policy, err
	}
	if f.wait > 0 || f.rackWait > 0 {
		rack := f.rackWait
		if rack == 0 {
			rack = f.wait
		}
		policy.Locality.Rule, policy.Locality.Waits = scheduling.TimedWait, []time.Duration{f.wait, rack}
	}
	if f.preempt {
		policy.Preemption.Mode = scheduling.PreemptOn
	}
	_, err = applyFiles(&policy, f.allocations, f.queues)
	return policy, err
}
