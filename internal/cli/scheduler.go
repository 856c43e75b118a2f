package cli

import (
	"fmt"
	"io"
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

// schedulerFlags choose the scheduler of a cluster, live or simulated, and name its files.
type schedulerFlags struct {
	scheduler, reducePlacement      string
	wait                            time.Duration
	sets                            []string // KEY=VALUE
	allocations, queues, parameters string   // file names, or empty

	parts    scheduling.Parts // set by begin: that settings may name
	assigned []assignment     // set by begin: what the flags say
	files    schedulerFiles   // set by begin
}

// assignment is a setting that a flag gives.
type assignment struct {
	flag  string // as it was given
	field *policyfile.Field
	value string
}

// register adds the flags to one of the command's sets, but for --scheduler and those of files. waits is
// what waits are without a flag.
func (s *schedulerFlags) register(cmd *cobra.Command, f *pflag.FlagSet, waits string) {
	f.StringVar(&s.reducePlacement, "reduce-placement", "",
		"where reduces go: any, cogrs (center of gravity of their input) or larts (most of their input) "+
			"(default: cogrs with hfs, any with the others)")
	number(f, &s.wait, "wait", 0, span(0, 1000*hour),
		"how long a map waits for a node with its data, and then for its rack, 0s for not at all (default: "+waits+")")
	s.registerSets(f)
	complete(cmd, "reduce-placement", "any", "cogrs", "larts")
	grouped(cmd, "Scheduler", "reduce-placement wait set")
}

// registerSets adds --set.
func (s *schedulerFlags) registerSets(f *pflag.FlagSet) {
	f.StringArrayVar(&s.sets, "set", nil, "any setting of the scheduler, as KEY=VALUE, such as theta=0.1 or "+
		"locality.waits=2s/4s; may be repeated; tarry config policy lists them all")
}

// registerName adds --scheduler.
func (s *schedulerFlags) registerName(cmd *cobra.Command, f *pflag.FlagSet, byDefault, more string) {
	f.StringVar(&s.scheduler, "scheduler", byDefault,
		"which job's task goes next: "+strings.Join(scheduling.Presets(), ", ")+", or a policy file (.yaml)"+more)
	complete(cmd, "scheduler", scheduling.Presets()...)
}

// registerFiles adds the flags of Hadoop's configuration files.
func (s *schedulerFlags) registerFiles(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.allocations, "allocations", "", "fair-scheduler.xml with the pools of hfs")
	f.StringVar(&s.queues, "queues", "",
		"capacity-scheduler.xml or mapred-queues.xml with the queues of capacity, and access lists, "+
			"which hold for pools, too")
	f.StringVar(&s.parameters, "parameters", "", "mapred-site.xml with the scheduler's parameters; flags win over it")
	grouped(cmd, "Scheduler", "allocations queues parameters")
}

// begin checks the flags and reads the files; warnings about them go to standard error.
func (s *schedulerFlags) begin(p *program, cmd *cobra.Command) error {
	s.parts = p.parts
	if err := s.assign(cmd); err != nil {
		return err
	}
	err := s.read(openFile)
	for _, w := range s.files.warnings {
		fmt.Fprintf(p.stderr, "tarry: warning: %v\n", w)
	}
	if f := s.files.parameters; err == nil && f != nil && f.Scheduler != "" && !given(cmd, "scheduler") {
		s.scheduler = f.Scheduler
	}
	return err
}

// assign makes settings of the flags; --set wins over the others.
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

// badPolicy is what is wrong with a setting, without the word for it.
func badPolicy(err error) string {
	return strings.TrimPrefix(words.OneLine(err), policyfile.ErrBad.Error()+": ")
}

// isPolicyFile reports whether a scheduler is named by a policy file.
func isPolicyFile(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(name))
}

// policy gives the preset or policy file of a name with what files and flags change; "+any",
// "+cogrs" or "+larts" behind the name of a preset sets its placement of reduces.
func (s *schedulerFlags) policy(name string) (policy scheduling.Policy, err error) {
	base, placement, placed := strings.Cut(name, "+")
	var file *policyfile.File
	if isPolicyFile(name) {
		if file, err = s.files.readPolicy(openFile, name); err != nil {
			return policy, err
		}
		base, placed = file.Scheduler, false
	}
	if policy, err = policyfile.Preset(base); err != nil {
		return policy, usageError("unknown scheduler %s: want %s, or a policy file (.yaml)",
			words.Quoted(base), strings.Join(scheduling.Presets(), ", "))
	}
	if err := s.filesOver(&policy, file); err != nil {
		return policy, configError("%w", err)
	}
	said := policy
	assigned := s.assigned
	if placed {
		rule, _ := policyfile.Find("reduce.rule")
		assigned = append(slices.Clone(assigned), assignment{"scheduler " + words.Shown(name), rule, placement})
	}
	if err := s.over(&policy, assigned); err != nil {
		return policy, err
	}
	if file != nil && file.Idle(&said) != nil { // a key without effect, by itself and with the flags that win over it
		err = file.Idle(&policy)
	}
	if err := firstError(policy.Validate(), err); err != nil {
		return policy, configError("%w", err)
	}
	return policy, nil
}

// livePolicy is the scheduler of a live cluster. Its waits follow the heartbeats, as Hadoop's do,
// unless flags or files set them.
func (s *schedulerFlags) livePolicy() (scheduling.Policy, error) {
	policy, err := s.policy(s.scheduler)
	if err != nil {
		return policy, err
	}
	if policy.Locality.Rule == scheduling.TimedWait && s.files.parameters == nil && !s.says("locality.") {
		policy.Locality.Auto = true
	}
	return policy, s.files.unused(s.scheduler, true)
}

// filesOver puts what files say over a preset: the policy file, if there is one, over the others.
func (s *schedulerFlags) filesOver(policy *scheduling.Policy, file *policyfile.File) error {
	if file == nil {
		s.files.apply(policy)
		return nil
	}
	if err := file.Apply(policy); err != nil { // its order decides which other files are heeded
		return err
	}
	s.files.apply(policy)
	policy.Name = file.Name()
	return file.Apply(policy)
}

// over puts settings over preset and files.
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

// unheeded refuses flags that have no effect in any of the policies.
func (s *schedulerFlags) unheeded(policies ...scheduling.Policy) error {
	for _, a := range s.assigned {
		heeds := func(p scheduling.Policy) bool { return a.field.Idle(&p) == "" }
		if !slices.ContainsFunc(policies, heeds) {
			return usageError("%s has no effect %s", a.flag, a.field.Idle(&policies[0]))
		}
	}
	return nil
}

// says reports whether a flag or policy file gives a setting below a key.
func (s *schedulerFlags) says(above string) bool {
	file := s.files.policies[s.scheduler]
	return file != nil && file.Says(above) ||
		slices.ContainsFunc(s.assigned, func(a assignment) bool { return strings.HasPrefix(a.field.Key, above) })
}

// schedulerFiles is what the scheduler's configuration files say; nil where there is no file.
type schedulerFiles struct {
	pools      *allocation.Fair
	queues     *allocation.Queues
	parameters *allocation.Parameters
	policies   map[string]*policyfile.File // by name

	names    []string // of the files
	warnings []*allocation.Problem

	poolsUsed, queuesUsed bool // a policy took them in
}

// opener opens a file by its name.
type opener func(name string) (io.ReadCloser, error)

// read reads the files that the flags name; the parameters may name one more. After an error
// s.files.names holds those up to the one that is wrong.
func (s *schedulerFlags) read(open opener) error {
	s.files = schedulerFiles{}
	f := &s.files
	err := f.readFile(open, s.parameters, func(name string, r io.Reader) error {
		got, err := allocation.ParseParameters(name, r)
		f.parameters, f.warnings = &got, append(f.warnings, got.Warnings...)
		return err
	})
	pools := s.allocations
	if pools == "" && f.parameters != nil {
		pools = f.parameters.AllocationFile
	}
	if err == nil {
		err = f.readFile(open, pools, func(name string, r io.Reader) error {
			got, err := allocation.ParseFair(name, r)
			f.pools, f.warnings = &got, append(f.warnings, got.Warnings...)
			return err
		})
	}
	if err == nil {
		err = f.readFile(open, s.queues, func(name string, r io.Reader) error {
			got, err := allocation.ParseQueues(allocation.Source{Name: name, Reader: r})
			f.queues, f.warnings = &got, append(f.warnings, got.Warnings...)
			return err
		})
	}
	if err == nil && isPolicyFile(s.scheduler) {
		_, err = f.readPolicy(open, s.scheduler)
	}
	return err
}

// readPolicy reads a policy file, once.
func (f *schedulerFiles) readPolicy(open opener, name string) (*policyfile.File, error) {
	if file := f.policies[name]; file != nil {
		return file, nil
	}
	err := f.readFile(open, name, func(name string, r io.Reader) error {
		file, err := policyfile.Read(r, name)
		if f.policies == nil {
			f.policies = map[string]*policyfile.File{}
		}
		f.policies[name] = file
		return err
	})
	return f.policies[name], err
}

// readFile has parse read a file; an empty name is none.
func (f *schedulerFiles) readFile(open opener, name string, parse func(name string, r io.Reader) error) error {
	if name == "" {
		return nil
	}
	f.names = append(f.names, name)
	file, err := open(name)
	if err != nil {
		return configError("%w", err)
	}
	defer file.Close()
	if err := parse(name, file); err != nil {
		return configError("%w", err)
	}
	return nil
}

// apply puts into a policy what the files say of its kind.
func (f *schedulerFiles) apply(to *scheduling.Policy) {
	switch {
	case f.parameters == nil:
	case to.Order == "pools":
		f.parameters.Apply(to)
	default:
		f.parameters.ApplyToAny(to)
	}
	if f.pools != nil && to.Order == "pools" {
		f.pools.Apply(to)
		f.poolsUsed = true
	}
	if f.queues != nil && to.Order == "capacity" {
		f.queues.Apply(to)
		f.queuesUsed = true
	}
}

// rules say which jobs may go where, or nil if no file says anything of it.
func (f *schedulerFiles) rules() *allocation.Rules {
	if f.pools == nil && f.queues == nil && f.parameters == nil {
		return nil
	}
	r := new(allocation.Rules)
	if f.queues != nil {
		r.Access = f.queues.Access
	}
	if f.parameters != nil {
		r.PoolProperty = f.parameters.PoolProperty
		f.parameters.ApplyAccess(&r.Access)
	}
	return r
}

// unused refuses files of which the named schedulers use nothing. lists says that somebody heeds
// the access lists.
func (f *schedulerFiles) unused(name string, lists bool) error {
	switch {
	case f.pools != nil && !f.poolsUsed:
		return usageError("an allocation file is for schedulers with pools, such as hfs, not for %s", name)
	case f.queues != nil && !f.queuesUsed && !lists:
		return usageError("--queues is for schedulers with queues, such as capacity, not for %s", name)
	}
	return nil
}
