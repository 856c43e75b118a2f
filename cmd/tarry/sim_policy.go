package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
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
	switch placement {
	case "any":
	case "cogrs":
		policy.Reduce.Rule = scheduling.CoGRS
	case "larts":
		policy.Reduce.Rule = scheduling.LARTS
	default:
		return policy, usageError("reduce placement %q: want any, cogrs or larts", placement)
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
	return policy, f.applyFiles(&policy)
}

// applyFiles applies the configuration files that concern the policy's order.
func (f *simFlags) applyFiles(policy *scheduling.Policy) error {
	if f.allocations != "" && policy.Order == "pools" {
		return readConfig(f.allocations, func(r io.Reader) error {
			fair, err := allocation.ParseFair(f.allocations, r)
			if err != nil {
				return err
			}
			fair.Apply(policy)
			return nil
		})
	}
	if f.queues != "" && policy.Order == "capacity" {
		return readConfig(f.queues, func(r io.Reader) error {
			queues, err := allocation.ParseQueues(allocation.Source{Name: f.queues, Reader: r})
			if err != nil {
				return err
			}
			queues.Apply(policy)
			return nil
		})
	}
	return nil
}

// readConfig opens a configuration file for parse.
func readConfig(path string, parse func(io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the scheduler's configuration: %w", err)
	}
	defer file.Close()
	if err := parse(file); err != nil {
		return configError("%w", err)
	}
	return nil
}
