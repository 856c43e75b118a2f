package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/numbers"
	"github.com/tarry-mr/tarry/internal/cli/internal/sweep"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// sweepPoint is a point of a grid: a command line of `tarry sim` of its own.
type sweepPoint struct {
	values []string // of the dimensions
	said   []string // NAME=VALUE
	flags  *simFlags
	config simulator.Config
}

// fixed are flags of `tarry sim sweep` that no sweep varies.
const fixed = "sweep parallel output seed repeat json quiet set help"

// sweepPoints makes all points, so that what is wrong with one of them is told before anything
// runs.
func (p *program) sweepPoints(cmd *cobra.Command, dimensions []sweep.Dimension) ([]*sweepPoint, error) {
	fields := make([]*policyfile.Field, len(dimensions)) // nil where a dimension is a flag
	for i, d := range dimensions {
		var err error
		if fields[i], err = sweptSetting(cmd, d.Name); err != nil {
			return nil, err
		}
	}
	heeded := make([]string, len(dimensions)) // why a dimension has no effect; empty: it has
	var list []*sweepPoint
	var policies []scheduling.Policy
	for n, values := range sweep.Points(dimensions) {
		at := &sweepPoint{values: values}
		for i, d := range dimensions {
			at.said = append(at.said, d.Name+"="+values[i])
		}
		idle, err := p.makePoint(cmd, at, dimensions, fields)
		if err != nil {
			return nil, at.fault(err)
		}
		for i := range heeded {
			if n == 0 || idle[i] == "" {
				heeded[i] = idle[i]
			}
		}
		list = append(list, at)
		policies = append(policies, at.config.Policy)
	}
	p.warnIdle(policies...)
	list[0].flags.quiet, _ = cmd.Flags().GetBool("quiet") // it tells of the load
	for i, d := range dimensions {
		if heeded[i] != "" {
			return nil, usageError("--sweep %s has no effect %s", words.Shown(d.Name), heeded[i])
		}
	}
	return list, list[0].flags.idleSets(policies...)
}

// sweptSetting is the setting of a policy that a sweep varies, nil for a flag.
func sweptSetting(cmd *cobra.Command, name string) (*policyfile.Field, error) {
	field, err := policyfile.Find(name)
	if err == nil && (field.Key == name || cmd.Flag(name) == nil) {
		if field.IsList() {
			return nil, usageError("--sweep %s: a list of what has names varies from policy file to policy file: sweep policy", name)
		}
		return field, nil
	}
	switch {
	case slices.Contains(strings.Fields(fixed), name):
		return nil, usageError("--sweep %s: no sweep varies it", name)
	case cmd.Flag(name) == nil:
		return nil, usageError("--sweep %s: %s, and no flag of tarry sim", words.Shown(name), badPolicy(err))
	}
	return nil, nil
}

// makePoint makes the configuration of a point, and tells why dimensions have no effect in it.
func (p *program) makePoint(
	cmd *cobra.Command, at *sweepPoint, dimensions []sweep.Dimension, fields []*policyfile.Field,
) (idle []string, err error) {
	at.flags = new(simFlags)
	line := pointCommand(at.flags)
	if err := copyFlags(line.Flags(), cmd.Flags()); err != nil {
		return nil, err
	}
	var swept []string
	for i, d := range dimensions {
		if fields[i] != nil {
			at.flags.sets = append(at.flags.sets, fields[i].Key+"="+at.values[i])
			continue
		}
		swept = append(swept, d.Name)
		if err := line.Flags().Set(d.Name, at.values[i]); err != nil {
			return nil, flagError(line, err, "")
		}
	}
	at.flags.quiet = true
	if err := at.flags.begin(p, line); err != nil {
		return nil, err
	}
	policy, err := at.flags.policy(at.flags.scheduler)
	if err != nil {
		return nil, err
	}
	why, err := whyIdle(swept, line, func() error {
		return firstError(checkFlags(line), heeded(line, &policy), at.flags.check(line))
	})
	if err != nil {
		return nil, err
	}
	if err := at.flags.files.unused(at.flags.scheduler, false); err != nil {
		return nil, err
	}
	for i, d := range dimensions {
		if fields[i] != nil {
			idle = append(idle, fields[i].Idle(&policy))
		} else {
			idle = append(idle, why[d.Name])
		}
	}
	at.config, err = at.flags.config(policy)
	return idle, err
}

// whyIdle tells for each of some flags why it has no effect, if check refuses it; other errors of
// check are returned.
func whyIdle(flags []string, cmd *cobra.Command, check func() error) (why map[string]string, err error) {
	why = map[string]string{}
	for {
		err := check()
		e, ok := errors.AsType[*noEffectError](err)
		if !ok || !slices.Contains(flags, e.flag) {
			return why, err
		}
		why[e.flag] = e.why
		cmd.Flag(e.flag).Changed = false
	}
}

// pointCommand is a command line that a point fills in.
func pointCommand(f *simFlags) *cobra.Command {
	root, sim, line := &cobra.Command{Use: "tarry"}, &cobra.Command{Use: "sim"}, &cobra.Command{Use: "sweep"}
	f.register(line)
	f.registerName(line.Flags())
	sim.AddCommand(line)
	root.AddCommand(sim)
	return line
}

// copyFlags gives flags the values that were given elsewhere.
func copyFlags(to, from *pflag.FlagSet) (err error) {
	from.Visit(func(f *pflag.Flag) {
		if err != nil || to.Lookup(f.Name) == nil {
			return
		}
		v := f.Value
		if n, ok := v.(*numbers.Value); ok {
			v = n.Value
		}
		texts := []string{v.String()}
		if list, ok := v.(pflag.SliceValue); ok {
			texts = list.GetSlice()
		}
		for _, text := range texts {
			if err == nil {
				err = to.Set(f.Name, text)
			}
		}
		if isFromEnv(f) && err == nil {
			err = to.SetAnnotation(f.Name, fromEnv, f.Annotations[fromEnv])
		}
	})
	return err
}

// runKey tells all that the figures of a run depend on: the settings, the workload and this very
// program.
func runKey(cfg simulator.Config, load *workload.Workload) string {
	sum := sha256.New()
	cfg.Progress, cfg.Places, cfg.Core.Events, cfg.Core.Calls = nil, nil, nil, nil
	fmt.Fprintf(sum, "%s\n%+v\n", thisProgram(), cfg)
	_ = json.NewEncoder(sum).Encode(load) // no writer fails
	return hex.EncodeToString(sum.Sum(nil))[:32]
}

// thisProgram tells this program from all others: by its bytes, for a version does not tell of
// changes that were not committed.
var thisProgram = sync.OnceValue(func() string {
	sum := sha256.New()
	if name, err := os.Executable(); err == nil {
		if f, err := os.Open(name); err == nil {
			defer f.Close()
			_, _ = io.Copy(sum, f)
		}
	}
	return fmt.Sprintf("%+v %x", readVersion(), sum.Sum(nil))
})
