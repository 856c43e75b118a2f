package allocation

import (
	"cmp"
	"io"
	"path"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Parameters are the scheduler's settings in mapred-site.xml [Hadoop Fair Scheduler Guide §4.1],
// with Hadoop's defaults for missing ones.
type Parameters struct {
	// Scheduler is the preset for mapred.jobtracker.taskScheduler: "hfs", "capacity" or "fifo"; ""
	// if it is not in the file.
	Scheduler string
	// AllocationFile is the absolute path of fair-scheduler.xml; "" if it is not in the file.
	AllocationFile string
	PoolProperty   string // for Rules: the job property that names the pool; default access.PropertyUser
	// TaskTimeout is the maximum time without progress of an attempt; 0 means no limit, -1 that it
	// is not in the file. It concerns live clusters, not the policy.
	TaskTimeout time.Duration
	// Policy holds the settings that Files.Apply copies; others are zero. SlowStart is -1 if it is not in
	// the file.
	Policy scheduling.Policy
	// Access holds this file's settings of access control: whether it is on, and the
	// administrators. The lists are in the files about queues.
	Access access.Control
}

// ParseParameters reads mapred-site.xml; name is used in messages. It ignores properties of other
// components, but those that begin with mapred.fairscheduler must be known. Settings without effect
// and properties of single queues cause warnings.
func ParseParameters(name string, r io.Reader) (Parameters, []*Problem, error) {
	return parse(name, r, readParameters)
}

// readParameters returns the settings in the root element of mapred-site.xml; problems go to f.
func readParameters(f *faults, root *element) (out Parameters) {
	if !f.rootIs(root, "configuration") {
		return out
	}
	out.PoolProperty, out.TaskTimeout = access.PropertyUser, -1
	out.Policy.SlowStart, out.Policy.Preemption.Interval = -1, 15*time.Second
	p := parameterParser{faults: f, file: place{file: root.file}, out: &out, policy: &out.Policy}
	list := properties(f, root, map[string]place{})
	parameters.read(f, "", &element{children: list}, &p, func(e *element) bool {
		switch {
		case isParameter(e.name):
			f.add(e.place, "unknown property %s%v", shorten(e.name), parameters.near(e.name))
		case isAboutQueues(e.name):
			f.warn(e.place, "%s has no effect here: it belongs in a file about queues, such as capacity-scheduler.xml", shorten(e.name))
		}
		return true
	})
	p.together()
	return out
}

// parameterParser collects the values of mapred-site.xml; together combines them.
type parameterParser struct {
	*faults
	file             place
	out              *Parameters
	policy           *scheduling.Policy // of out
	preempt, onlyLog bool
	adjuster         bool
	common           *time.Duration    // locality delay; -1: computed; nil: not in the file
	delay            [2]*time.Duration // of node and rack
	copied           [2]bool           // by kind of task: speculative execution is on
	thresholds       *entry            // last property about speculative attempts that does not turn them on
}

// together sets the settings of the policy that depend on several properties.
func (p *parameterParser) together() {
	policy, pools := p.policy, &p.policy.Pools
	switch {
	case p.preempt && p.onlyLog:
		policy.Preemption.Mode = scheduling.PreemptLog
	case p.preempt:
		policy.Preemption.Mode = scheduling.PreemptOn
	case p.onlyLog:
		p.warn(p.file, "%spreemption.only.log has no effect without %spreemption", prefixFair, prefixFair)
	}
	switch {
	case p.adjuster:
		pools.BoostFactor, pools.BoostTime = cmp.Or(pools.BoostFactor, 3), cmp.Or(pools.BoostTime, 5*time.Minute)
	case pools.BoostFactor != 0 || pools.BoostTime != 0:
		p.warn(p.file, "%s* has no effect without %sweightadjuster", prefixBooster, prefixFair)
		pools.BoostFactor, pools.BoostTime = 0, 0
	}
	pools.PoolPerUser = p.out.PoolProperty == access.PropertyUser || p.out.PoolProperty == access.PropertyUserOld
	policy.Locality = p.locality()
	if p.copied != [2]bool{} { // Hadoop's default is on for both kinds; here it is off unless the file says otherwise
		policy.Speculation.Rule = scheduling.LATE
		policy.Speculation.Except = [2]bool{!p.copied[0], !p.copied[1]}
	} else if v := p.thresholds; v != nil {
		v.useless(" without " + propertyCopyMaps + " or " + propertyCopyReduces)
	}
}

// locality returns the waits for locality. If only one of two is given, the other gets its value;
// Hadoop would ignore it and compute both.
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

// threshold notes that the file has a property v that only matters with speculation, and returns v.
func (p *parameterParser) threshold(v entry) entry {
	p.thresholds = &v
	return v
}

// Names and prefixes of properties.
const (
	prefixFair    = "mapred.fairscheduler."
	prefixBooster = "mapred.newjobweightbooster."

	propertyCopyMaps    = "mapreduce.map.speculative"
	propertyCopyReduces = "mapreduce.reduce.speculative"
)

// newNames maps old property names to those of newer versions of Hadoop [Hadoop 0.20, 0.21
// mapred-default.xml].
var newNames = map[string]string{
	"mapred.jobtracker.taskScheduler":           "mapreduce.jobtracker.taskscheduler",
	"mapred.reduce.slowstart.completed.maps":    "mapreduce.job.reduce.slowstart.completedmaps",
	"mapred.task.timeout":                       "mapreduce.task.timeout",
	"mapred.map.tasks.speculative.execution":    propertyCopyMaps,
	"mapred.reduce.tasks.speculative.execution": propertyCopyReduces,
	"mapred.max.tracker.failures":               "mapreduce.job.maxtaskfailures.per.tracker",
	"mapred.max.tracker.blacklists":             "mapreduce.jobtracker.tasktracker.maxblacklists",
}

// isParameter reports whether ParseParameters reads the property (except those about access lists),
// or would if it were known.
func isParameter(name string) bool {
	return parameters[name] != nil && !isListSwitch(name) && name != propertyAdmins ||
		strings.HasPrefix(name, prefixFair) || strings.HasPrefix(name, prefixBooster)
}

func init() {
	for old, name := range newNames {
		parameters[old] = parameters[name]
	}
}

// parameters has, by name, the setters of the properties that ParseParameters reads.
var parameters = table[parameterParser]{
	propertyACLs:    switchAccess,
	propertyACLsNew: switchAccess,
	propertyAdmins:  func(p *parameterParser, v entry) { p.out.Access.Admins = v.list() },

	"mapreduce.jobtracker.taskscheduler": func(p *parameterParser, v entry) {
		presets := map[string]string{"FairScheduler": "hfs", "CapacityTaskScheduler": "capacity", "JobQueueTaskScheduler": "fifo"}
		p.out.Scheduler = presets[v.class("FairScheduler", "CapacityTaskScheduler", "JobQueueTaskScheduler")]
	},
	"mapreduce.job.reduce.slowstart.completedmaps": func(p *parameterParser, v entry) { p.policy.SlowStart = v.part() },
	"mapreduce.task.timeout":                       func(p *parameterParser, v entry) { p.out.TaskTimeout = v.millis(0) },

	// speculative attempts, and nodes on which tasks fail
	propertyCopyMaps:                                 func(p *parameterParser, v entry) { p.copied[scheduling.Map] = v.yes() },
	propertyCopyReduces:                              func(p *parameterParser, v entry) { p.copied[scheduling.Reduce] = v.yes() },
	"mapreduce.job.speculative.speculativecap":       func(p *parameterParser, v entry) { p.policy.Speculation.Cap = p.threshold(v).part() },
	"mapreduce.job.speculative.slowtaskthreshold":    func(p *parameterParser, v entry) { p.policy.Speculation.SlowTask = p.threshold(v).deviations() },
	"mapreduce.job.speculative.slownodethreshold":    func(p *parameterParser, v entry) { p.policy.Speculation.SlowNode = p.threshold(v).deviations() },
	"mapreduce.job.maxtaskfailures.per.tracker":      func(p *parameterParser, v entry) { p.policy.Avoid.JobFailures = v.count(1) },
	"mapreduce.jobtracker.tasktracker.maxblacklists": func(p *parameterParser, v entry) { p.policy.Avoid.Jobs = v.count(1) },

	// the Fair Scheduler
	prefixFair + "preemption":             func(p *parameterParser, v entry) { p.preempt = v.yes() },
	prefixFair + "preemption.only.log":    func(p *parameterParser, v entry) { p.onlyLog = v.yes() },
	prefixFair + "preemption.interval":    func(p *parameterParser, v entry) { p.policy.Preemption.Interval = v.millis(1) },
	prefixFair + "update.interval":        noEffect[parameterParser](": shares are computed every 500 ms"),
	prefixFair + "allow.undeclared.pools": func(p *parameterParser, v entry) { p.policy.Pools.Known = !v.yes() },
	prefixFair + "poolnameproperty":       func(p *parameterParser, v entry) { p.out.PoolProperty = v.text },
	prefixFair + "allocation.file": func(p *parameterParser, v entry) {
		if p.out.AllocationFile = v.text; !path.IsAbs(v.text) {
			v.bad("%q is not an absolute path", shorten(v.text))
		}
	},
	prefixFair + "sizebasedweight":        func(p *parameterParser, v entry) { p.policy.Pools.SizeBasedWeight = v.yes() },
	prefixFair + "assignmultiple":         func(p *parameterParser, v entry) { p.policy.OneTask = !v.yes() },
	prefixFair + "assignmultiple.maps":    onlyAll,
	prefixFair + "assignmultiple.reduces": onlyAll,
	prefixFair + "load.max.diff":          func(p *parameterParser, v entry) { p.policy.LoadMaxDiff = v.part() },
	prefixFair + "locality.delay":         func(p *parameterParser, v entry) { p.common = wait(v) },
	prefixFair + "locality.delay.node":    func(p *parameterParser, v entry) { p.delay[0] = wait(v) },
	prefixFair + "locality.delay.rack":    func(p *parameterParser, v entry) { p.delay[1] = wait(v) },
	prefixFair + "weightadjuster":         func(p *parameterParser, v entry) { p.adjuster = v.class("NewJobWeightBooster") != "" },
	prefixFair + "loadmanager":            func(_ *parameterParser, v entry) { v.class("CapBasedLoadManager") },
	prefixFair + "taskselector":           func(_ *parameterParser, v entry) { v.class("DefaultTaskSelector") },
	prefixFair + "pool":                   func(_ *parameterParser, v entry) { v.useless(": it is a property of jobs") },
	prefixFair + "eventlog.enabled":       otherwise,
	prefixFair + "eventlog.location":      otherwise,
	prefixFair + "dump.interval":          otherwise,
	prefixFair + "dump.status.period":     otherwise,
	prefixBooster + "factor":              func(p *parameterParser, v entry) { p.policy.Pools.BoostFactor = v.weight() },
	prefixBooster + "duration":            func(p *parameterParser, v entry) { p.policy.Pools.BoostTime = v.millis(1) },
}

// switchAccess turns access lists on; either property name may do so.
func switchAccess(p *parameterParser, v entry) {
	p.out.Access.Enabled = v.yes() || p.out.Access.Enabled
}

// onlyAll reads the number of tasks per heartbeat, which must be unlimited.
func onlyAll(_ *parameterParser, v entry) {
	if v.text != "-1" {
		v.bad("only -1, as many as there are free slots, is supported")
	}
}

// otherwise warns that a property about Hadoop's event log has no effect.
func otherwise(_ *parameterParser, v entry) {
	v.useless(": events are recorded otherwise")
}
