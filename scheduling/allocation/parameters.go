package allocation

import (
	"cmp"
	"io"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
)

// Parameters are the scheduler's settings in mapred-site.xml [Hadoop Fair Scheduler Guide §4.1],
// with Hadoop's defaults for missing ones.
type Parameters struct {
	// Scheduler is the preset for mapred.jobtracker.taskScheduler: "hfs", "capacity" or "fifo"; ""
	// if it is not in the file.
	Scheduler string
	// AllocationFile is the absolute path of fair-scheduler.xml, named on AllocationLine; "" and 0
	// if it is not in the file.
	AllocationFile string
	AllocationLine int
	PoolProperty   string // for Rules: the job property that names the pool; default PropertyUser
	// Declared means that allow.undeclared.pools is false: jobs are rejected if the allocation file
	// does not name their pool.
	Declared       bool
	UpdateInterval time.Duration // between updates of shares; default 500 ms

	Preemption      scheduling.PreemptionPolicy // default off, every 15 s
	SizeBasedWeight bool
	BoostFactor     float64 // of the NewJobWeightBooster; 0: none
	BoostTime       time.Duration
	Locality        scheduling.LocalityPolicy // default: both waits are computed
	OneTask         bool                      // assignmultiple is false
	LoadMaxDiff     float64
	SlowStart       float64 // -1 if it is not in the file

	// Speculation configures speculative attempts, Avoid the avoidance of nodes on which tasks
	// fail. They apply to every scheduler.
	Speculation scheduling.SpeculationPolicy
	Avoid       scheduling.Avoidance

	// TaskTimeout is the maximum time without progress of an attempt; 0 means no limit, -1 that it
	// is not in the file. It concerns live clusters, not the policy.
	TaskTimeout time.Duration

	// Access holds this file's settings of access control: whether it is on, and the
	// administrators. The lists are in the files about queues.
	Access Access

	Warnings []*Problem // settings without effect
}

// ParseParameters reads mapred-site.xml; name is used in messages. It ignores properties of other
// components, but those that begin with mapred.fairscheduler must be known. Properties of single
// queues cause warnings.
func ParseParameters(name string, r io.Reader) (Parameters, error) {
	var f faults
	out := parseParameters(&f, readDocument(&f, name, r))
	if err := f.err(); err != nil {
		return Parameters{}, err
	}
	return out, nil
}

// parseParameters reads the root element of mapred-site.xml; root may be nil.
func parseParameters(f *faults, root *element) Parameters {
	p := parameterParser{faults: f}
	p.out = Parameters{
		PoolProperty: PropertyUser, UpdateInterval: 500 * time.Millisecond, SlowStart: -1, TaskTimeout: -1,
		Preemption: scheduling.PreemptionPolicy{Interval: 15 * time.Second},
	}
	if root == nil {
		return p.out
	}
	if root.name != "configuration" {
		f.add(root.place, "the root element is <%s>, want <configuration>", root.name)
		return p.out
	}
	p.file = place{file: root.file}
	parameters.read(f, "", properties(f, root, map[string]place{}), &p, func(e *element) {
		switch {
		case isParameter(e.name):
			f.add(e.place, "unknown property %s", shorten(e.name))
		case isAboutQueues(e.name):
			f.warn(e.place, "%s has no effect here: it belongs in a file about queues, such as capacity-scheduler.xml", shorten(e.name))
		}
	})
	p.together()
	p.out.Warnings = f.noted()
	return p.out
}

// Apply applies the parameters to a policy; they replace its own settings.
func (p Parameters) Apply(to *scheduling.Policy) {
	to.Preemption, to.Locality, to.OneTask, to.LoadMaxDiff = p.Preemption, p.Locality, p.OneTask, p.LoadMaxDiff
	to.Pools.SizeBasedWeight, to.Pools.BoostFactor, to.Pools.BoostTime = p.SizeBasedWeight, p.BoostFactor, p.BoostTime
	to.Pools.Known = p.Declared
	to.Pools.PoolPerUser = p.PoolProperty == PropertyUser || p.PoolProperty == propertyUserOld
	p.ApplyToAny(to)
}

// ApplyToAny applies only the parameters that are not specific to the Fair Scheduler.
func (p Parameters) ApplyToAny(to *scheduling.Policy) {
	to.Speculation, to.Avoid = p.Speculation, p.Avoid
	if p.SlowStart >= 0 {
		to.SlowStart = p.SlowStart
	}
}

// ApplyAccess adds this file's access settings to those of the files about queues. Either file may
// turn the lists on.
func (p Parameters) ApplyAccess(to *Access) {
	to.Enabled = to.Enabled || p.Access.Enabled
	to.Admins = to.Admins.with(p.Access.Admins)
}

// parameterParser collects the parameters.
type parameterParser struct {
	*faults
	file             place
	out              Parameters
	preempt, onlyLog bool
	adjuster         bool
	factor           float64
	boost            time.Duration
	common           *time.Duration    // locality delay; -1: computed; nil: not in the file
	delay            [2]*time.Duration // of node and rack
	copied           [2]bool           // by kind of task: speculative execution is on
	thresholds       *entry            // last property about speculative attempts that does not turn them on
}

// together sets what depends on several properties.
func (p *parameterParser) together() {
	switch {
	case p.preempt && p.onlyLog:
		p.out.Preemption.Mode = scheduling.PreemptLog
	case p.preempt:
		p.out.Preemption.Mode = scheduling.PreemptOn
	case p.onlyLog:
		p.warn(p.file, "%spreemption.only.log has no effect without %spreemption", prefixFair, prefixFair)
	}
	switch {
	case p.adjuster:
		p.out.BoostFactor, p.out.BoostTime = cmp.Or(p.factor, 3), cmp.Or(p.boost, 5*time.Minute)
	case p.factor != 0 || p.boost != 0:
		p.warn(p.file, "%s* has no effect without %sweightadjuster", prefixBooster, prefixFair)
	}
	p.out.Locality = p.locality()
	if p.copied != [2]bool{} { // Hadoop's default is on for both kinds; here it is off unless the file says otherwise
		p.out.Speculation.Rule = scheduling.LATE
		p.out.Speculation.Except = [2]bool{!p.copied[0], !p.copied[1]}
	} else if v := p.thresholds; v != nil {
		v.useless(" without " + propertyCopyMaps + " or " + propertyCopyReduces)
	}
}

// locality sets the waits. Hadoop computes both unless both are given, which overwrites a single
// one; here the other gets the same value.
func (p *parameterParser) locality() scheduling.LocalityPolicy {
	w := scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: []time.Duration{0, 0}}
	node, rack := cmp.Or(p.delay[0], p.common), cmp.Or(p.delay[1], p.common)
	if node == nil && rack == nil {
		w.Auto = true
		return w
	}
	if node == nil || rack == nil {
		p.warn(p.file, "%slocality.delay: one wait of two is given; the other takes the same", prefixFair)
		node, rack = cmp.Or(node, rack), cmp.Or(rack, node)
	}
	w.Auto = *node < 0 && *rack < 0
	if !w.Auto && (*node < 0 || *rack < 0) {
		p.add(p.file, "%slocality.delay: one wait is -1, computed, and the other is not; give both or neither", prefixFair)
	}
	w.Waits = []time.Duration{max(*node, 0), max(*rack, 0)}
	return w
}

// wait reads a locality delay in milliseconds; -1 means computed.
func wait(v entry) *time.Duration {
	d := time.Duration(-1)
	if v.text != "-1" {
		d = v.millis(0)
	}
	return &d
}

// threshold records a property about speculative attempts.
func (p *parameterParser) threshold(v entry) entry {
	p.thresholds = &v
	return v
}
