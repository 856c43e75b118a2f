package allocation

import (
	"path"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

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
