package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/allocation"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

// schedulerFlags choose the scheduler of a live or simulated cluster, and its configuration files.
type schedulerFlags struct {
	scheduler, reducePlacement string
	wait                       time.Duration
	sets                       []string // KEY=VALUE
	names                      allocation.FileNames

	parts    scheduling.Parts            // set by begin: own orders, placements
	assigned []assignment                // set by begin, from the flags
	files    allocation.Files            // set by begin
	policies map[string]*policyfile.File // set by begin and policy: files that were read, by name
	lists    bool                        // --queues also serves access lists
}

// assignment is the value that a flag gives to one setting of the policy.
type assignment struct {
	flag  string // as it was given
	field *policyfile.Field
	value string
}

// register adds the flags to f, a flag set of cmd, except --scheduler and the flags of files. waits
// describes the default of --wait.
func (s *schedulerFlags) register(cmd *cobra.Command, f *pflag.FlagSet, waits string) {
	f.StringVar(&s.reducePlacement, "reduce-placement", "",
		"place reduces by this `RULE`: any, cogrs (center of gravity of their input), larts (where most of their input is), "+
			"in simulations also leen (by their keys) (default: cogrs with hfs, any with others)")
	number(f, &s.wait, "wait", 0, span(0, 1000*hour),
		"let a map wait this long for a node with its data, and then for a rack with its data; 0s does not wait (default: "+waits+")")
	s.registerSets(f)
	complete(cmd, "reduce-placement", "any", "cogrs", "larts")
	grouped(cmd, "Scheduler", "reduce-placement wait set")
}

// registerSets adds --set.
func (s *schedulerFlags) registerSets(f *pflag.FlagSet) {
	f.StringArrayVar(&s.sets, "set", nil, "change a setting of the scheduler, such as theta=0.1 or "+
		"locality.waits=2s/4s; may be repeated; tarry config policy lists all `KEY=VALUE`")
}

// registerName adds --scheduler.
func (s *schedulerFlags) registerName(cmd *cobra.Command, f *pflag.FlagSet, byDefault, more string) {
	f.StringVar(&s.scheduler, "scheduler", byDefault,
		"schedule jobs by this `NAME`: "+strings.Join(scheduling.Presets(), ", ")+", or a policy file (.yaml)"+more)
	complete(cmd, "scheduler", scheduling.Presets()...)
}

// registerFiles adds the flags of Hadoop's configuration files.
func (s *schedulerFlags) registerFiles(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.names.Pools, "allocations", "", "read the pools of hfs from `FILE`, a fair-scheduler.xml")
	f.StringVar(&s.names.Queues, "queues", "", "read the queues of capacity, and access lists of queues and pools, from `FILE`, "+
		"a capacity-scheduler.xml or mapred-queues.xml")
	f.StringVar(&s.names.Parameters, "parameters", "", "read the scheduler's parameters from `FILE`, a mapred-site.xml; flags override it")
	grouped(cmd, "Scheduler", "allocations queues parameters")
}

// begin checks the flags and reads the files that they name. It prints the files' warnings.
func (s *schedulerFlags) begin(c *command) error {
	s.parts = c.parts
	if err := s.assign(c.Command); err != nil {
		return err
	}
	err := s.read()
	for _, w := range s.files.Warnings {
		fmt.Fprintf(c.stderr, "tarry: warning: %v\n", w)
	}
	if name := s.files.Scheduler; err == nil && name != "" && !given(c.Command, "scheduler") {
		s.scheduler = name
	}
	return err
}

// assign sets assigned from --wait, --reduce-placement and --set; --set comes last and wins.
func (s *schedulerFlags) assign(cmd *cobra.Command) (err error) {
	s.assigned = nil
	add := func(flag, key, value string) {
		field, bad := policyfile.Find(key)
		if bad != nil && err == nil {
			err = usageError("%s: %s", flag, badPolicy(bad))
		}
		s.assigned = append(s.assigned, assignment{flag, field, value})
	}
	switch flag := "--wait " + s.wait.String(); {
	case !given(cmd, "wait"):
	case s.wait == 0:
		add(flag, "locality.rule", "greedy")
	default:
		add(flag, "locality.rule", "wait")
		add(flag, "locality.auto", "false")
		add(flag, "locality.waits", s.wait.String()+"/"+s.wait.String())
	}
	if given(cmd, "reduce-placement") {
		add("--reduce-placement "+words.Shown(s.reducePlacement), "reduce.rule", s.reducePlacement)
	}
	for _, text := range s.sets {
		key, value, found := strings.Cut(text, "=")
		if !found {
			return usageError("--set %s: want KEY=VALUE", words.Shown(text))
		}
		add("--set "+words.Shown(text), key, value)
	}
	return err
}

// badPolicy returns the message of an error about a setting, without policyfile's prefix.
func badPolicy(err error) string {
	return strings.TrimPrefix(words.OneLine(err), policyfile.ErrBad.Error()+": ")
}

// read reads the files that the flags name, up to the first with an error.
func (s *schedulerFlags) read() (err error) {
	s.policies = map[string]*policyfile.File{}
	if s.files, err = allocation.ReadFiles(s.names, openFile); err != nil {
		return configError("%w", err)
	}
	_, err = s.policyFile(s.scheduler)
	return err
}

// policyFile returns the content of the policy file called name, which it reads only once. It
// returns nil for a preset's name.
func (s *schedulerFlags) policyFile(name string) (*policyfile.File, error) {
	if !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name)) || s.policies[name] != nil {
		return s.policies[name], nil
	}
	s.files.Names = append(s.files.Names, name)
	file, err := readConfig(name, policyfile.Read)
	s.policies[name] = file
	return file, err
}

// policy returns the policy of a preset or policy file, with the changes of other files and flags.
// A suffix of a preset, such as "hfs+any", sets the placement of reduces.
func (s *schedulerFlags) policy(name string) (policy scheduling.Policy, err error) {
	base, placement, placed := strings.Cut(name, "+")
	file, err := s.policyFile(name)
	if err != nil {
		return policy, err
	}
	if file != nil {
		base, placed = file.Scheduler, false
	}
	if policy, err = policyfile.Preset(base); err != nil {
		return policy, usageError("unknown scheduler %s: want %s, or a policy file (.yaml)",
			words.Quoted(base), strings.Join(scheduling.Presets(), ", "))
	}
	if file != nil { // applied twice: Files.Apply needs its order, but it overrides them
		file.Apply(&policy)
		policy.Name = file.Name()
	}
	s.files.Apply(&policy)
	if file != nil {
		file.Apply(&policy)
	}
	said, assigned := policy, s.assigned
	if placed {
		rule, _ := policyfile.Find("reduce.rule")
		assigned = append(slices.Clone(assigned), assignment{"scheduler " + words.Shown(name), rule, placement})
	}
	if err := s.over(&policy, assigned); err != nil {
		return policy, err
	}
	if file != nil && file.Idle(&said) != nil { // a key of the file has no effect, with and without the flags
		err = file.Idle(&policy)
	}
	return policy, invalid(firstError(policy.Validate(), err))
}

// livePolicy returns the scheduler of a live cluster. Its waits follow the heartbeats, as in
// Hadoop, unless flags or files set them.
func (s *schedulerFlags) livePolicy() (scheduling.Policy, error) {
	policy, err := s.policy(s.scheduler)
	file := s.policies[s.scheduler]
	said := s.files.Has(allocation.ParameterFile) || file != nil && file.Says("locality.") ||
		slices.ContainsFunc(s.assigned, func(a assignment) bool { return strings.HasPrefix(a.field.Key, "locality.") })
	if policy.Locality.Rule == scheduling.TimedWait && !said {
		policy.Locality.Auto = true
	}
	return policy, err
}

// over changes policy by the settings in list, in order.
func (s *schedulerFlags) over(policy *scheduling.Policy, list []assignment) error {
	for _, a := range list {
		if policyfile.SetPart(policy, s.parts, policyfile.Setting{Key: a.field.Key, Value: a.value}) {
			continue
		}
		if err := a.field.Set(policy, a.value); err != nil {
			return usageError("%s: %s", a.flag, badPolicy(err))
		}
	}
	return nil
}

// unheeded rejects a flag or file that has no effect in any of the policies.
func (s *schedulerFlags) unheeded(policies ...scheduling.Policy) error {
	for _, a := range s.assigned {
		heeds := func(p scheduling.Policy) bool { return a.field.Idle(&p) == "" }
		if !slices.ContainsFunc(policies, heeds) {
			return usageError("%s has no effect %s", a.flag, a.field.Idle(&policies[0]))
		}
	}
	lacks := func(order string) bool {
		return !slices.ContainsFunc(policies, func(p scheduling.Policy) bool { return p.Order == order })
	}
	switch {
	case s.files.Has(allocation.PoolFile) && lacks("pools"):
		return usageError("an allocation file is for schedulers with pools, such as hfs, not for %s", policies[0].Name)
	case s.files.Has(allocation.QueueFile) && lacks("capacity") && !s.lists:
		return usageError("--queues is for schedulers with queues, such as capacity, not for %s", policies[0].Name)
	}
	return nil
}
