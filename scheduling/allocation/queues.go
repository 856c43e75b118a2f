package allocation

import (
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Hadoop's files about queues are read together, in any number and order:
//
//   - capacity-scheduler.xml and mapred-queue-acls.xml, <configuration> with properties such as
//     mapred.capacity-scheduler.queue.NAME.capacity and mapred.queue.NAME.acl-submit-job;
//     "sch:prod" is queue prod in queue sch;
//   - mapred-queues.xml, <queues> with nested <queue> elements, whose <properties> have keys such
//     as capacity.
//
// Each name and setting may be given only once in all files. If none names a queue, the result is
// one queue, "default", with all slots.

// queues collects the queues and settings of all files; buildQueues then combines them.
type queues struct {
	file     string           // the last one
	given    map[string]place // all properties
	list     []*queue         // in the order in which the files mention them
	byName   map[string]*queue
	access   access.Control
	names    *entry // mapred.queue.names
	enabled  *entry // the switch of access lists
	defaults queue  // settings of leaf queues
	system   int    // jobs initialized in all queues; 0 if not in the files
}

// queue is one queue of the files. The parent of the topmost queues is a queue without a name.
type queue struct {
	place         // where it is first mentioned
	name          string
	parent        *queue
	children      []*queue
	settings      element // its children are the settings
	config        scheduling.QueueConfig
	submit, admin access.List
	stopped       bool
	accept        int // jobs accepted per job that may be initialized; 0 if not in the files
}

// add adds e to the settings of the queue.
func (q *queue) add(e *element) { q.settings.children = append(q.settings.children, e) }

// Names and prefixes of properties.
const (
	prefixScheduler = "mapred.capacity-scheduler."
	prefixCapacity  = prefixScheduler + "queue."
	prefixDefaults  = prefixScheduler + "default-"
	prefixQueue     = "mapred.queue."
	prefixYARN      = "yarn.scheduler.capacity."

	propertyACLs    = "mapred.acls.enabled"
	propertyACLsNew = "mapreduce.cluster.acls.enabled"
	propertyAdmins  = "mapreduce.cluster.administrators"
)

// isList reports whether the setting is an access list, which may be blank: then it admits nobody.
func isList(name string) bool {
	return name == access.SubmitList || name == access.AdministerList || name == propertyAdmins
}

// The names of settings of a queue that are used outside of queueSettings.
const (
	keyCapacity = "capacity"
	keyMax      = "maximum-capacity"
	keyState    = "state"
)

// Ends of warnings: why settings about the initialization of jobs have no effect.
const (
	noThreads  = ": jobs are initialized without threads or polling"
	smallTasks = ": tasks take little memory before they are launched"
)

// queueSettings has the setters of a queue's settings. The last three belong to MapReduce itself,
// under prefixQueue, the others to the Capacity Scheduler, under prefixCapacity.
var queueSettings = table{
	keyCapacity: func(v entry) {
		v.queue.config.Capacity = max(v.percentage(), minPercent) // not 0, which means "not given"
	},
	keyMax: func(v entry) {
		if v.text != "-1" {
			v.queue.config.Max = v.percentage()
		}
	},
	"supports-priority": func(v entry) { v.queue.config.Priorities = v.yes() },
	"minimum-user-limit-percent": func(v entry) {
		n := v.count(1)
		if n > 100 {
			v.bad("%d %% are more than 100", n)
		}
		v.queue.config.UserLimit = n
	},
	"maximum-initialized-jobs-per-user":         func(v entry) { v.queue.config.InitJobs = v.count(1) },
	"user-limit-factor":                         func(v entry) { v.queue.config.UserFactor = v.weight() },
	"init-accept-jobs-factor":                   func(v entry) { v.queue.accept = v.count(1) },
	"maximum-initialized-active-tasks":          noEffect(smallTasks),
	"maximum-initialized-active-tasks-per-user": noEffect(smallTasks),

	keyState:              func(v entry) { v.queue.stopped = v.either("stopped", "running") },
	access.SubmitList:     func(v entry) { v.queue.submit = v.list() },
	access.AdministerList: func(v entry) { v.queue.admin = v.list() },
}

// clusterSettings has the setters of the properties that do not concern a single queue.
var clusterSettings = table{
	"mapred.queue.names": func(v entry) { v.queues.names = &v },
	propertyACLs:         entry.switchLists,
	propertyACLsNew:      entry.switchLists,
	propertyAdmins:       func(v entry) { v.queues.access.Admins = v.list() },

	prefixScheduler + "maximum-system-jobs": func(v entry) { v.queues.system = v.count(1) },
	prefixScheduler + "init-poll-interval":  noEffect(noThreads),
	prefixScheduler + "init-worker-threads": noEffect(noThreads),

	prefixDefaults + "supports-priority":                 entry.setDefault,
	prefixDefaults + "minimum-user-limit-percent":        entry.setDefault,
	prefixDefaults + "maximum-initialized-jobs-per-user": entry.setDefault,
	prefixDefaults + "user-limit-factor":                 entry.setDefault,
	prefixDefaults + "init-accept-jobs-factor":           entry.setDefault,
	prefixDefaults + "maximum-active-tasks-per-queue":    noEffect(smallTasks),
	prefixDefaults + "maximum-active-tasks-per-user":     noEffect(smallTasks),
}

// setDefault reads a property that sets the default of a setting, for queues without that setting.
func (v entry) setDefault() {
	v.queue = &v.queues.defaults
	queueSettings[strings.TrimPrefix(v.what, prefixDefaults)](v)
}

// switchLists turns access lists on or off, as v says; a second property that does so is an error.
func (v entry) switchLists() {
	q := &v.queues
	if q.enabled != nil {
		v.add(v.place, "%s says what %s says on line %d already", v.what, q.enabled.what, q.enabled.line)
		return
	}
	q.enabled, q.access.Enabled = &v, v.yes()
}
