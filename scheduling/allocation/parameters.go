package allocation

import (
	"cmp"
	"path"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// site collects the values of mapred-site.xml that no Parameters hold; together combines them.
type site struct {
	file             place
	poolProperty     string         // for Rules
	access           access.Control // whether lists are on, and the administrators
	preempt, onlyLog bool
	adjuster         bool
	common           *time.Duration    // locality delay; -1: computed; nil: not in the file
	delay            [2]*time.Duration // of node and rack
	thresholds       *entry            // last property about speculative attempts that does not turn them on
}

// readParameters reads mapred-site.xml. It ignores properties of other components, but those that
// begin with mapred.fairscheduler must be known.
func (r *reader) readParameters(root *element) {
	r.site = site{file: place{file: root.file}, poolProperty: access.PropertyUser}
	r.Parameters = Parameters{Policy: scheduling.Policy{
		SlowStart: -1, Preemption: scheduling.PreemptionPolicy{Interval: 15 * time.Second},
		Speculation: scheduling.SpeculationPolicy{Except: [2]bool{true, true}},
	}}
	for _, e := range r.properties(root, map[string]place{}) {
		if parameters.property(r, e) {
			continue
		}
		switch kindOfProperty(e.name) {
		case ParameterFile:
			r.add(e.place, "unknown property %s%v", shorten(e.name), parameters.near(e.name))
		case QueueFile:
			r.warn(e.place, "%s has no effect here: it belongs in a file about queues, such as capacity-scheduler.xml", shorten(e.name))
		}
	}
	r.together()
}

// together sets the settings of the policy that depend on several properties.
func (r *reader) together() {
	s, policy := &r.site, &r.Policy
	switch {
	case s.preempt && s.onlyLog:
		policy.Preemption.Mode = scheduling.PreemptLog
	case s.preempt:
		policy.Preemption.Mode = scheduling.PreemptOn
	case s.onlyLog:
		r.warn(s.file, "%spreemption.only.log has no effect without %spreemption", prefixFair, prefixFair)
	}
	switch pools := &policy.Pools; {
	case s.adjuster:
		pools.BoostFactor, pools.BoostTime = cmp.Or(pools.BoostFactor, 3), cmp.Or(pools.BoostTime, 5*time.Minute)
	case pools.BoostFactor != 0 || pools.BoostTime != 0:
		r.warn(s.file, "%s* has no effect without %sweightadjuster", prefixBooster, prefixFair)
		pools.BoostFactor, pools.BoostTime = 0, 0
	}
	policy.Pools.PoolPerUser = s.poolProperty == access.PropertyUser || s.poolProperty == access.PropertyUserOld
	policy.Locality = r.locality()
	if policy.Speculation.Rule == scheduling.NoSpeculation {
		policy.Speculation.Except = [2]bool{}
		if s.thresholds != nil {
			s.thresholds.useless(" without " + propertyCopyMaps + " or " + propertyCopyReduces)
		}
	}
}

// locality returns the waits for locality. If only one of two is given, the other gets its value;
// Hadoop would ignore it and compute both.
func (r *reader) locality() scheduling.LocalityPolicy {
	w := scheduling.LocalityPolicy{Rule: scheduling.TimedWait, Waits: []time.Duration{0, 0}}
	node, rack := cmp.Or(r.site.delay[0], r.site.common), cmp.Or(r.site.delay[1], r.site.common)
	if node == nil && rack == nil {
		w.Auto = true
		return w
	}
	if node == nil || rack == nil {
		r.warn(r.site.file, "%slocality.delay: one wait of two is given; the other takes the same", prefixFair)
		node, rack = cmp.Or(node, rack), cmp.Or(rack, node)
	}
	w.Auto = *node < 0 && *rack < 0
	if !w.Auto && (*node < 0 || *rack < 0) {
		r.add(r.site.file, "%slocality.delay: one wait is -1, computed, and the other is not; give both or neither", prefixFair)
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

// threshold notes that the file has the property v, which only matters with speculation, and
// returns it.
func (v entry) threshold() entry {
	v.site.thresholds = &v
	return v
}

// speculate reads whether tasks of a kind get speculative attempts. Hadoop's default is that tasks
// of both kinds do; here none do unless the file says so.
func (v entry) speculate(k scheduling.TaskKind) {
	if v.yes() {
		v.Policy.Speculation.Rule, v.Policy.Speculation.Except[k] = scheduling.LATE, false
	}
}

// otherwise is the end of warnings about properties of Hadoop's event log.
const otherwise = ": events are recorded otherwise"

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

func init() {
	for old, name := range newNames {
		parameters[old] = parameters[name]
	}
}

// parameters has, by name, the setters of the properties of mapred-site.xml that are read.
var parameters = table{
	propertyACLs:    switchAccess,
	propertyACLsNew: switchAccess,
	propertyAdmins:  func(v entry) { v.site.access.Admins = v.list() },

	"mapreduce.jobtracker.taskscheduler": func(v entry) {
		presets := map[string]string{"FairScheduler": "hfs", "CapacityTaskScheduler": "capacity", "JobQueueTaskScheduler": "fifo"}
		v.Scheduler = presets[v.class("FairScheduler", "CapacityTaskScheduler", "JobQueueTaskScheduler")]
	},
	"mapreduce.job.reduce.slowstart.completedmaps": func(v entry) { v.Policy.SlowStart = v.part() },
	"mapreduce.task.timeout":                       func(v entry) { v.TaskTimeout = cmp.Or(v.millis(0), -1) },

	// speculative attempts, and nodes on which tasks fail
	propertyCopyMaps:                                 func(v entry) { v.speculate(scheduling.Map) },
	propertyCopyReduces:                              func(v entry) { v.speculate(scheduling.Reduce) },
	"mapreduce.job.speculative.speculativecap":       func(v entry) { v.Policy.Speculation.Cap = v.threshold().part() },
	"mapreduce.job.speculative.slowtaskthreshold":    func(v entry) { v.Policy.Speculation.SlowTask = v.threshold().deviations() },
	"mapreduce.job.speculative.slownodethreshold":    func(v entry) { v.Policy.Speculation.SlowNode = v.threshold().deviations() },
	"mapreduce.job.maxtaskfailures.per.tracker":      func(v entry) { v.Policy.Avoid.JobFailures = v.count(1) },
	"mapreduce.jobtracker.tasktracker.maxblacklists": func(v entry) { v.Policy.Avoid.Jobs = v.count(1) },

	// the Fair Scheduler
	prefixFair + "preemption":             func(v entry) { v.site.preempt = v.yes() },
	prefixFair + "preemption.only.log":    func(v entry) { v.site.onlyLog = v.yes() },
	prefixFair + "preemption.interval":    func(v entry) { v.Policy.Preemption.Interval = v.millis(1) },
	prefixFair + "update.interval":        noEffect(": shares are computed every 500 ms"),
	prefixFair + "allow.undeclared.pools": func(v entry) { v.Policy.Pools.Known = !v.yes() },
	prefixFair + "poolnameproperty":       func(v entry) { v.site.poolProperty = v.text },
	prefixFair + "allocation.file": func(v entry) {
		if v.AllocationFile = v.text; !path.IsAbs(v.text) {
			v.bad("%q is not an absolute path", shorten(v.text))
		}
	},
	prefixFair + "sizebasedweight":        func(v entry) { v.Policy.Pools.SizeBasedWeight = v.yes() },
	prefixFair + "assignmultiple":         func(v entry) { v.Policy.OneTask = !v.yes() },
	prefixFair + "assignmultiple.maps":    onlyAll,
	prefixFair + "assignmultiple.reduces": onlyAll,
	prefixFair + "load.max.diff":          func(v entry) { v.Policy.LoadMaxDiff = v.part() },
	prefixFair + "locality.delay":         func(v entry) { v.site.common = wait(v) },
	prefixFair + "locality.delay.node":    func(v entry) { v.site.delay[0] = wait(v) },
	prefixFair + "locality.delay.rack":    func(v entry) { v.site.delay[1] = wait(v) },
	prefixFair + "weightadjuster":         func(v entry) { v.site.adjuster = v.class("NewJobWeightBooster") != "" },
	prefixFair + "loadmanager":            func(v entry) { v.class("CapBasedLoadManager") },
	prefixFair + "taskselector":           func(v entry) { v.class("DefaultTaskSelector") },
	prefixFair + "pool":                   func(v entry) { v.useless(": it is a property of jobs") },
	prefixFair + "eventlog.enabled":       func(v entry) { v.useless(otherwise) },
	prefixFair + "eventlog.location":      func(v entry) { v.useless(otherwise) },
	prefixFair + "dump.interval":          func(v entry) { v.useless(otherwise) },
	prefixFair + "dump.status.period":     func(v entry) { v.useless(otherwise) },
	prefixBooster + "factor":              func(v entry) { v.Policy.Pools.BoostFactor = v.weight() },
	prefixBooster + "duration":            func(v entry) { v.Policy.Pools.BoostTime = v.millis(1) },
}

// switchAccess turns access lists on; either property name may do so.
func switchAccess(v entry) {
	v.site.access.Enabled = v.yes() || v.site.access.Enabled
}

// onlyAll reads the number of tasks per heartbeat, which must be unlimited.
func onlyAll(v entry) {
	if v.text != "-1" {
		v.bad("only -1, as many as there are free slots, is supported")
	}
}

// summary describes the content of mapred-site.xml in a few words.
func (r *reader) summary() string {
	list := []string{map[scheduling.PreemptionMode]string{
		scheduling.PreemptOff: "preemption off", scheduling.PreemptOn: "preemption on", scheduling.PreemptLog: "preemption only logged",
	}[r.Policy.Preemption.Mode]}
	if r.Scheduler != "" {
		list = append([]string{"scheduler " + r.Scheduler}, list...)
	}
	if r.AllocationFile != "" {
		list = append(list, "pools in "+r.AllocationFile)
	}
	if r.site.access.Enabled {
		list = append(list, "access lists on")
	}
	return strings.Join(list, ", ")
}
