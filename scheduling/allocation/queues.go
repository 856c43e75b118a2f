package allocation

import (
	"io"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Source is a file to read; Name is used in messages.
type Source struct {
	Name   string
	Reader io.Reader
}

// Queues is the configuration of the queues of Hadoop's Capacity Scheduler, from ParseQueues.
type Queues struct {
	// Configs lists the queues, parents before children and siblings in the order of the files. The
	// name of a nested queue is its path, with colons: "sch:prod".
	Configs []scheduling.QueueConfig
	Access  access.Control // the leaf queues' lists; a missing list admits nobody
}

// ParseQueues reads Hadoop's files about queues together, in any number and order:
//
//   - capacity-scheduler.xml and mapred-queue-acls.xml, <configuration> with properties such as
//     mapred.capacity-scheduler.queue.NAME.capacity and mapred.queue.NAME.acl-submit-job;
//     "sch:prod" is queue prod in queue sch;
//   - mapred-queues.xml, <queues> with nested <queue> elements, whose <properties> have keys such
//     as capacity.
//
// Each name and setting may be given only once in all files. If none names a queue, the result is
// one queue, "default", with all slots. Warnings are about settings without effect and missing
// access lists. The error joins a *Problem for everything wrong; for YARN's
// capacity-scheduler.xml, errors.Is(err, ErrYARN) is true.
func ParseQueues(sources ...Source) (Queues, []*Problem, error) {
	var f faults
	var roots []*element
	for _, s := range sources {
		if root := readDocument(&f, s.Name, s.Reader); root != nil {
			roots = append(roots, root)
		}
	}
	out := readQueues(&f, roots, sources)
	if err := f.err(); err != nil {
		return Queues{}, nil, err
	}
	return out, f.warnings.all("warnings"), nil
}

// readQueues reads the root elements of the files, and sorts all problems in the order of sources.
func readQueues(f *faults, roots []*element, sources []Source) Queues {
	p := queueParser{faults: f, byName: map[string]*queue{}}
	var props []*element
	first := map[string]place{}
	for _, root := range roots {
		p.file = root.file
		switch {
		case !f.rootIs(root, "configuration", "queues"):
		case root.name == "queues":
			p.queuesElement(root)
		default:
			props = append(props, properties(f, root, first)...)
		}
	}
	cluster := &element{children: p.queueProperties(props)}
	clusterSettings.read(f, "", cluster, &p, func(e *element) bool {
		p.add(e.place, "unknown property %s%v", shorten(e.name), clusterSettings.near(e.name))
		return true
	})
	p.build()
	f.errs.sort(sources)
	f.warnings.sort(sources)
	return p.out
}

// queueParser collects the queues and settings of all files; build then combines them.
type queueParser struct {
	*faults
	file     string // the last one
	out      Queues
	root     queue // the parent of the topmost queues
	byName   map[string]*queue
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
	implied       bool    // mentioned only as part of a child's path
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
	prefixCapacity = "mapred.capacity-scheduler.queue."
	prefixQueue    = "mapred.queue."
	prefixDefaults = "mapred.capacity-scheduler.default-"
	prefixYARN     = "yarn.scheduler.capacity."

	propertyACLs    = "mapred.acls.enabled"
	propertyACLsNew = "mapreduce.cluster.acls.enabled"
	propertyAdmins  = "mapreduce.cluster.administrators"
)

// isListSwitch reports whether the property turns access lists on.
func isListSwitch(name string) bool { return name == propertyACLs || name == propertyACLsNew }

// isList reports whether the setting is an access list, which may be blank: then it admits nobody.
func isList(name string) bool {
	return name == access.SubmitList || name == access.AdministerList || name == propertyAdmins
}

// isQueueKey reports whether the setting of a queue belongs to MapReduce itself, under prefixQueue,
// and not to the Capacity Scheduler, under prefixCapacity.
func isQueueKey(key string) bool { return isList(key) || key == keyState }

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

// queueSettings has the setters of a queue's settings.
var queueSettings = table[queue]{
	keyCapacity: func(q *queue, v entry) {
		q.config.Capacity = max(v.percentage(), minPercent) // not 0, which means "not given"
	},
	keyMax: func(q *queue, v entry) {
		if v.text != "-1" {
			q.config.Max = v.percentage()
		}
	},
	"supports-priority": func(q *queue, v entry) { q.config.Priorities = v.yes() },
	"minimum-user-limit-percent": func(q *queue, v entry) {
		if q.config.UserLimit = v.count(1); q.config.UserLimit > 100 {
			v.bad("%d %% are more than 100", q.config.UserLimit)
		}
	},
	"maximum-initialized-jobs-per-user":         func(q *queue, v entry) { q.config.InitJobs = v.count(1) },
	"user-limit-factor":                         func(q *queue, v entry) { q.config.UserFactor = v.weight() },
	"init-accept-jobs-factor":                   func(q *queue, v entry) { q.accept = v.count(1) },
	"maximum-initialized-active-tasks":          noEffect[queue](smallTasks),
	"maximum-initialized-active-tasks-per-user": noEffect[queue](smallTasks),

	keyState:              func(q *queue, v entry) { q.stopped = v.either("stopped", "running") },
	access.SubmitList:     func(q *queue, v entry) { q.submit = v.list() },
	access.AdministerList: func(q *queue, v entry) { q.admin = v.list() },
}

// clusterSettings has the setters of the properties that do not concern a single queue.
var clusterSettings = table[queueParser]{
	"mapred.queue.names": func(p *queueParser, v entry) { p.names = &v },
	propertyACLs:         (*queueParser).switchLists,
	propertyACLsNew:      (*queueParser).switchLists,
	propertyAdmins:       func(p *queueParser, v entry) { p.out.Access.Admins = v.list() },

	"mapred.capacity-scheduler.maximum-system-jobs": func(p *queueParser, v entry) { p.system = v.count(1) },
	"mapred.capacity-scheduler.init-poll-interval":  noEffect[queueParser](noThreads),
	"mapred.capacity-scheduler.init-worker-threads": noEffect[queueParser](noThreads),

	prefixDefaults + "supports-priority":                 byDefault,
	prefixDefaults + "minimum-user-limit-percent":        byDefault,
	prefixDefaults + "maximum-initialized-jobs-per-user": byDefault,
	prefixDefaults + "user-limit-factor":                 byDefault,
	prefixDefaults + "init-accept-jobs-factor":           byDefault,
	prefixDefaults + "maximum-active-tasks-per-queue":    noEffect[queueParser](smallTasks),
	prefixDefaults + "maximum-active-tasks-per-user":     noEffect[queueParser](smallTasks),
}

// byDefault reads a property that sets the default of a setting, for queues without that setting.
func byDefault(p *queueParser, v entry) {
	queueSettings[strings.TrimPrefix(v.what, prefixDefaults)](&p.defaults, v)
}

// switchLists turns access lists on or off, as v says; a second property that does so is an error.
func (p *queueParser) switchLists(v entry) {
	if p.enabled != nil {
		v.add(v.place, "%s says what %s says on line %d already", v.what, p.enabled.what, p.enabled.line)
		return
	}
	p.enabled, p.out.Access.Enabled = &v, v.yes()
}
