package cli

import (
	"cmp"
	"fmt"
	"io"
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

// schedulerFlags choose the scheduler of a cluster, live or simulated, and name its configuration
// files.
type schedulerFlags struct {
	scheduler, reducePlacement string
	skips                      []int
	wait, rackWait             time.Duration
	slowStart                  float64
	preempt, noSpread          bool
	speculation                string
	policyFlags

	allocations, queues, parameters string // file names, or empty

	rule  scheduling.SpeculationRule // set by begin
	given func(flag string) bool     // set by begin: whether the command line or the environment has it
	parts scheduling.Parts           // set by begin: that settings may name
	files schedulerFiles             // set by begin
}

// place gives a policy the placement of reduces of that name.
func (s *schedulerFlags) place(policy *scheduling.Policy, name string) error {
	if policyfile.SetPart(policy, s.parts, policyfile.Setting{Key: "reduce.rule", Value: name}) {
		return nil
	}
	rule, err := policyfile.Find("reduce.rule")
	if err == nil {
		err = rule.Set(policy, name)
	}
	if err != nil {
		return usageError("unknown reduce placement %s: want any, cogrs or larts", words.Quoted(name))
	}
	return nil
}

// register adds the flags, but for those of registerName. waits says what waits are without a flag.
func (s *schedulerFlags) register(f *pflag.FlagSet, waits string) {
	f.StringVar(&s.reducePlacement, "reduce-placement", "",
		"where reduces go: any, cogrs (center of gravity of their input) or larts (most of their input) "+
			"(default: cogrs with hfs, any with the others)")
	number(f, &s.wait, "wait", 0, span(0, 1000*hour),
		"how long a map waits for a node with its data, 0s for not at all (default: "+waits+")")
	number(f, &s.rackWait, "rack-wait", 0, span(0, 1000*hour), "how long it then waits for a rack with its data (default: as --wait)")
	number(f, &s.skips, "skips", nil, span(0, 1e9),
		"instead of waits: slot offers that a map lets pass for a node with its data, "+
			"and then for such a rack, as D1,D2 (default of delay: as many as give each job 95 % locality)")
	number(f, &s.slowStart, "slow-start", scheduling.DefaultSlowStart, parts,
		"part of a job's maps that must be done before its reduces launch")
	f.BoolVar(&s.preempt, "preemption", false, "let hfs kill tasks of pools above their shares for pools below theirs")
	f.BoolVar(&s.noSpread, "no-spread", false,
		"let a node take tasks for all its slots also if the cluster has more slots than tasks; else fifo and hfs "+
			"spread them over the nodes, as Hadoop's load manager does")
	f.StringVar(&s.speculation, "speculation", "none",
		"copy slow tasks and take the copy that ends first: none, late (the longest to go, not on slow nodes) "+
			"or native (Hadoop's older rule)")
	s.registerSets(f)
	f.StringVar(&s.allocations, "allocations", "", "fair-scheduler.xml with the pools of hfs")
	f.StringVar(&s.queues, "queues", "",
		"capacity-scheduler.xml or mapred-queues.xml with the queues of capacity, and access lists, "+
			"which hold for pools, too")
	f.StringVar(&s.parameters, "parameters", "", "mapred-site.xml with the scheduler's parameters; flags win over it")
	group(f, "Scheduler", "reduce-placement wait rack-wait skips slow-start preemption no-spread speculation set allocations queues parameters")
}

// registerName adds --scheduler and --policy.
func (s *schedulerFlags) registerName(f *pflag.FlagSet) {
	f.StringVar(&s.scheduler, "scheduler", "hfs",
		"which job's task goes next: "+strings.Join(scheduling.Presets(), ", "))
	s.registerFile(f)
	group(f, "Scheduler", "policy")
}

// complete lets the shell complete the values of those flags that cmd has.
func (s *schedulerFlags) complete(cmd *cobra.Command) {
	complete(cmd, "scheduler", scheduling.Presets()...)
	complete(cmd, "schedulers", scheduling.Presets()...)
	complete(cmd, "reduce-placement", "any", "cogrs", "larts")
	complete(cmd, "speculation", "none", "late", "native")
	for _, flag := range []string{"allocations", "queues", "parameters"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, filesNamed("xml"))
	}
	_ = cmd.RegisterFlagCompletionFunc("policy", filesNamed("yaml", "yml")) // an error: no such flag
}

// begin checks the flags and reads the files; warnings about them go to standard error.
func (s *schedulerFlags) begin(p *program, cmd *cobra.Command) error {
	s.given, s.parts = cmd.Flags().Changed, p.parts
	if len(s.skips) > 2 {
		return usageError("--skips of %d numbers: want D1, or D1,D2 for nodes and racks", len(s.skips))
	}
	if err := s.rule.UnmarshalText([]byte(s.speculation)); err != nil {
		return usageError("--speculation %s: want none, late or native", words.Shown(s.speculation))
	}
	if preset, err := scheduling.Preset(s.scheduler); err == nil && s.policyFile+s.parameters+s.queues == "" {
		if err := heeded(cmd, &preset); err != nil { // before any file is read
			return err
		}
	}
	err := s.read(openFile)
	for _, w := range s.files.warnings {
		fmt.Fprintf(p.stderr, "tarry: warning: %v\n", w)
	}
	if err != nil {
		return err
	}
	if f := s.files.parameters; f != nil && f.Scheduler != "" && !s.given("scheduler") {
		s.scheduler = f.Scheduler
	}
	return nil
}

// policy gives the preset or policy file of a name with what files and flags change; "+any",
// "+cogrs" or "+larts" behind the name of a preset sets its placement of reduces. --policy goes
// before the name.
func (s *schedulerFlags) policy(name string) (scheduling.Policy, error) {
	file, err := s.policyFileOf(name)
	if err != nil {
		return scheduling.Policy{}, err
	}
	base, placement, own := strings.Cut(name, "+")
	if file != nil {
		base, own = file.Scheduler, false
	}
	policy, err := scheduling.Preset(base)
	if err != nil {
		known := strings.Join(scheduling.Presets(), ", ")
		return policy, usageError("unknown scheduler %s: want %s", words.Quoted(base), known)
	}
	policy.Reduce.Rule = scheduling.DefaultReduceRule(base)
	byFlag := s.given("reduce-placement") && !own
	if byFlag {
		placement = s.reducePlacement
	}
	if byFlag || own {
		if err := s.place(&policy, placement); err != nil {
			return policy, err
		}
	}
	placed := policy.Reduce.Rule
	if err := s.filesOver(&policy, file); err != nil {
		return policy, err
	}
	if err := s.setOver(&policy, s.parts); err != nil {
		return policy, err
	}
	said := policy
	if byFlag {
		policy.Reduce.Rule = placed
	}
	s.flagsOver(&policy)
	if err := policy.Validate(); err != nil {
		return policy, configError("%w", err)
	}
	return policy, idleKey(file, &said, &policy)
}

// idleKey refuses a policy file of which a key has an effect neither by itself nor with the flags
// that win over it.
func idleKey(file *policyfile.File, said, policy *scheduling.Policy) error {
	if file == nil || file.Idle(said) == nil {
		return nil
	}
	if err := file.Idle(policy); err != nil {
		return configError("%w", err)
	}
	return nil
}

// filesOver puts what files say over a preset: the policy file, if there is one, over the others.
func (s *schedulerFlags) filesOver(policy *scheduling.Policy, file *policyfile.File) error {
	if file == nil {
		s.files.apply(policy)
		return nil
	}
	if err := file.Apply(policy); err != nil { // its order decides which other files are heeded
		return configError("%w", err)
	}
	s.files.apply(policy)
	policy.Name = file.Name()
	return file.Apply(policy)
}

// heeded refuses flags that the order of a policy does not heed.
func heeded(cmd *cobra.Command, p *scheduling.Policy) error {
	pools, capacity, fifo := p.Order == "pools", p.Order == "capacity", p.Order == "fifo"
	priorities := slices.ContainsFunc(p.Queues, func(q scheduling.QueueConfig) bool { return q.Priorities })
	none := func(what string) string { return "with " + p.Name + ", which has no " + what }
	return refuse(
		cmd,
		idle{!pools, none("pools"), "pool preemption allocations weight"},
		idle{!capacity && !given(cmd, "parameters"), none("queues"), "queue"}, // pools may be named by queues
		idle{!pools && !fifo && !capacity, none("priorities"), "priority"},
		idle{capacity && !priorities, "with capacity unless --queues has a queue with supports-priority", "priority"},
		idle{!pools && !fifo, "with " + p.Name + ", which does not spread tasks", "no-spread"},
	)
}

// warnIdle warns of policies that would preempt if anything ever counted as starved.
func (p *program) warnIdle(policies ...scheduling.Policy) {
	if slices.ContainsFunc(policies, idlePreemption) {
		fmt.Fprintln(p.stderr, "tarry: warning: preemption kills nothing: --allocations sets no "+
			"fairSharePreemptionTimeout, and for no pool both a minimum share and a minSharePreemptionTimeout")
	}
}

// idlePreemption tells whether a policy has preemption on, but nothing that starts it.
func idlePreemption(policy scheduling.Policy) bool {
	a := policy.Pools
	starves := func(p scheduling.PoolConfig) bool {
		return cmp.Or(p.MinTimeout, a.MinTimeout) > 0 && p.Min != [2]int{}
	}
	return policy.Order == "pools" && policy.Preemption.Mode != scheduling.PreemptOff &&
		a.FairTimeout == 0 && !slices.ContainsFunc(a.Pools, starves)
}

// flagsOver puts what flags say over preset and files.
func (s *schedulerFlags) flagsOver(policy *scheduling.Policy) {
	waits := []time.Duration{s.wait, s.rackWait}
	if s.given("wait") != s.given("rack-wait") {
		one := s.wait + s.rackWait // one of them is 0
		waits = []time.Duration{one, one}
	}
	switch {
	case s.given("skips"):
		policy.Locality = scheduling.LocalityPolicy{Rule: scheduling.SkipCount, Skips: s.skips}
	case !s.given("wait") && !s.given("rack-wait"):
	case s.wait+s.rackWait == 0:
		policy.Locality = scheduling.LocalityPolicy{} // the nearest at once
	default:
		policy.Locality = scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: waits}
	}
	if s.given("slow-start") {
		policy.SlowStart = s.slowStart
	}
	if s.preempt {
		policy.Preemption.Mode = scheduling.PreemptOn
	}
	if s.noSpread {
		policy.Spread = false
	}
	if s.given("speculation") {
		policy.Speculation.Rule, policy.Speculation.Except = s.rule, [2]bool{}
	}
}

// schedulerFiles is what the scheduler's configuration files say; nil where there is no file.
type schedulerFiles struct {
	pools      *allocation.Fair
	queues     *allocation.Queues
	parameters *allocation.Parameters
	policy     *policyfile.File

	names    []string // of the files
	warnings []*allocation.Problem

	poolsUsed, queuesUsed bool // a policy took them in
}

// read reads the files that the flags name; the parameters may name one more. After an error
// s.files.names holds those up to the one that is wrong.
func (s *schedulerFlags) read(open func(name string) (io.ReadCloser, error)) error {
	f := &s.files
	parameters := func(name string, r io.Reader) ([]*allocation.Problem, error) {
		got, err := allocation.ParseParameters(name, r)
		f.parameters = &got
		return got.Warnings, err
	}
	pools := func(name string, r io.Reader) ([]*allocation.Problem, error) {
		got, err := allocation.ParseFair(name, r)
		f.pools = &got
		return got.Warnings, err
	}
	queues := func(name string, r io.Reader) ([]*allocation.Problem, error) {
		got, err := allocation.ParseQueues(allocation.Source{Name: name, Reader: r})
		f.queues = &got
		return got.Warnings, err
	}
	if err := f.readFile(open, s.parameters, parameters); err != nil {
		return err
	}
	named := s.allocations
	if named == "" && f.parameters != nil {
		named = f.parameters.AllocationFile
	}
	if err := f.readFile(open, named, pools); err != nil {
		return err
	}
	if err := f.readFile(open, s.queues, queues); err != nil {
		return err
	}
	return f.readPolicy(open, s.policyFile)
}

// readFile has parse read a file; an empty name is none.
func (f *schedulerFiles) readFile(open func(name string) (io.ReadCloser, error), name string,
	parse func(name string, r io.Reader) ([]*allocation.Problem, error),
) error {
	if name == "" {
		return nil
	}
	f.names = append(f.names, name)
	file, err := open(name)
	if err != nil {
		return configError("%w", err)
	}
	defer file.Close()
	warnings, err := parse(name, file)
	f.warnings = append(f.warnings, warnings...)
	if err != nil {
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
