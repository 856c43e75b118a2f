package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// dimension is a setting that a sweep varies, with its values.
type dimension struct {
	name   string
	values []string
	field  *policyfile.Field // of a policy; nil: a flag
	idle   string            // why it has no effect at any point so far; empty: it has
}

func names(grid []dimension) (list []string) {
	for _, d := range grid {
		list = append(list, d.name)
	}
	return list
}

// sweepPoint is a point of a grid: a command line of its own.
type sweepPoint struct {
	values  []string // of the dimensions
	said    []string // NAME=VALUE
	flags   sweepFlags
	config  simulator.Config
	figures [][]float64 // of each run, in the order of sweepFigures
}

// fault tells at which point something went wrong.
func (at *sweepPoint) fault(err error) error {
	return fmt.Errorf("at %s: %w", strings.Join(at.said, " "), err)
}

// fixed are flags of `tarry sim sweep` that no sweep varies.
const fixed = "sweep parallel output seed repeat json quiet set help"

// sweptSetting is the setting of a policy that a sweep varies, nil for a flag.
func sweptSetting(cmd *cobra.Command, name string) (*policyfile.Field, error) {
	field, err := policyfile.Find(name)
	switch known := cmd.Flag(name) != nil; {
	case err == nil && (field.Key == name || !known) && field.IsList():
		return nil, usageError("--sweep %s: a list of what has names varies from policy file to policy file: sweep policy", name)
	case err == nil && (field.Key == name || !known):
		return field, nil
	case slices.Contains(strings.Fields(fixed), name):
		return nil, usageError("--sweep %s: no sweep varies it", name)
	case !known:
		return nil, usageError("--sweep %s: %s, and no flag of tarry sim", words.Shown(name), badPolicy(err))
	}
	return nil, nil
}

// sweepPoints makes all points, the last dimension running fastest, so that what is wrong with one of
// them is told before anything runs.
func (p *program) sweepPoints(cmd *cobra.Command, grid []dimension) ([]*sweepPoint, error) {
	list := []*sweepPoint{{}}
	for _, d := range grid {
		var longer []*sweepPoint
		for _, at := range list {
			for _, v := range d.values {
				longer = append(longer, &sweepPoint{
					values: append(slices.Clone(at.values), v), said: append(slices.Clone(at.said), d.name+"="+v),
				})
			}
		}
		list = longer
	}
	var policies []scheduling.Policy
	for n, at := range list {
		idle, err := p.makePoint(cmd, at, grid)
		if err != nil {
			return nil, at.fault(err)
		}
		for i := range grid {
			if n == 0 || idle[i] == "" {
				grid[i].idle = idle[i]
			}
		}
		at.flags.quiet = at.flags.quiet || n > 0 // the first one tells of the load
		policies = append(policies, at.config.Policy)
	}
	p.warnIdle(policies...)
	for _, d := range grid {
		if d.idle != "" {
			return nil, usageError("--sweep %s has no effect %s", words.Shown(d.name), d.idle)
		}
	}
	return list, list[0].flags.idleSets(policies...)
}

// makePoint makes the configuration of a point: that of the sweep's own command line with the values
// of the point. It tells why dimensions have no effect there.
func (p *program) makePoint(cmd *cobra.Command, at *sweepPoint, grid []dimension) (idle []string, err error) {
	line := at.flags.command(p)
	sim, root := &cobra.Command{Use: "sim"}, &cobra.Command{Use: "tarry"}
	root.AddCommand(sim)
	sim.AddCommand(line)
	_, words, err := cmd.Root().Find(p.args)
	if err == nil {
		err = line.ParseFlags(words)
	}
	if err != nil {
		return nil, err
	}
	for i, d := range grid {
		if d.field != nil {
			at.flags.sets = append(at.flags.sets, d.field.Key+"="+at.values[i])
		} else if err := line.Flags().Set(d.name, at.values[i]); err != nil {
			return nil, flagError(line, err, "")
		}
	}
	if err := firstError(p.flagsFromEnv(line), at.flags.begin(p, line)); err != nil {
		return nil, err
	}
	policy, err := at.flags.policy(at.flags.scheduler)
	if err != nil {
		return nil, err
	}
	why, err := whyIdle(grid, line, func() error {
		return firstError(checkFlags(line), heeded(line, &policy), at.flags.check(line))
	})
	if err != nil {
		return nil, err
	}
	for _, d := range grid {
		if d.field != nil {
			idle = append(idle, d.field.Idle(&policy))
		} else {
			idle = append(idle, why[d.name])
		}
	}
	if err := at.flags.files.unused(at.flags.scheduler, false); err != nil {
		return nil, err
	}
	at.config, err = at.flags.config(policy)
	return idle, err
}

// whyIdle tells for each dimension that is a flag why it has no effect, if check refuses it; other
// errors of check are returned.
func whyIdle(grid []dimension, cmd *cobra.Command, check func() error) (why map[string]string, err error) {
	why = map[string]string{}
	for {
		err := check()
		e, ok := errors.AsType[*noEffectError](err)
		if !ok || !slices.Contains(names(grid), e.flag) {
			return why, err
		}
		why[e.flag] = e.why
		cmd.Flag(e.flag).Changed = false
	}
}
