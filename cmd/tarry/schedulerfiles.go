package main

import (
	"fmt"
	"io"
	"os"
	"os/user"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
)

// schedulerFiles reads the scheduler's configuration files. Without any it gives an empty policy, which leaves the choice to
// the scheduler's name, and no rules.
func (r *runFlags) schedulerFiles() (policy scheduling.Policy, rules *allocation.Rules, err error) {
	if r.allocations == "" && r.queues == "" {
		return scheduling.Policy{}, nil, nil
	}
	policy, err = scheduling.Preset(r.scheduler)
	if err != nil {
		return policy, nil, configError("%w", err)
	}
	if err := setPlacement(&policy, r.reducePlacement); err != nil {
		return policy, nil, err
	}
	access, err := applyFiles(&policy, r.allocations, r.queues)
	if err != nil {
		return policy, nil, err
	}
	return policy, &allocation.Rules{Access: access}, nil
}

// submitOptions are a job's: its user is who runs this program.
func (r *runFlags) submitOptions() actors.SubmitOptions {
	o := actors.SubmitOptions{Reduces: r.reduces, Pool: r.pool, Queue: r.queue}
	me, err := user.Current()
	if err != nil {
		return o
	}
	o.User = me.Username
	ids, err := me.GroupIds()
	if err != nil {
		return o
	}
	for _, id := range ids {
		if g, err := user.LookupGroupId(id); err == nil {
			o.Groups = append(o.Groups, g.Name)
		}
	}
	return o
}

// setPlacement puts the named placement of reduces into a policy.
func setPlacement(policy *scheduling.Policy, name string) error {
	switch name {
	case "any":
		policy.Reduce.Rule = scheduling.AnyNode
	case "cogrs":
		policy.Reduce.Rule = scheduling.CoGRS
	case "larts":
		policy.Reduce.Rule = scheduling.LARTS
	default:
		return configError("reduce placement %q: want any, cogrs or larts", name)
	}
	return nil
}

// applyFiles applies the configuration files that concern the policy's order, and gives the access lists. Empty names are no
// files.
func applyFiles(policy *scheduling.Policy, allocations, queues string) (access allocation.Access, err error) {
	if allocations != "" && policy.Order == "pools" {
		err = readConfig(allocations, func(r io.Reader) error {
			fair, err := allocation.ParseFair(allocations, r)
			if err != nil {
				return err
			}
			fair.Apply(policy)
			return nil
		})
		if err != nil {
			return access, err
		}
	}
	if queues != "" {
		err = readConfig(queues, func(r io.Reader) error {
			q, err := allocation.ParseQueues(allocation.Source{Name: queues, Reader: r})
			if err != nil {
				return err
			}
			access = q.Access
			if policy.Order == "capacity" {
				q.Apply(policy)
			}
			return nil
		})
	}
	return access, err
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
