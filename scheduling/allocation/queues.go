package allocation

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/scheduling"
)

// Source is a file to read; Name is used in messages.
type Source struct {
	Name   string
	Reader io.Reader
}

// Queues is what the files about queues say.
type Queues struct {
	// Configs lists the queues, parents before children and siblings in the order of the files. The
	// name of a queue in a queue is its path, with colons: "sch:prod".
	Configs  []scheduling.QueueConfig
	Access   Access     // the leaf queues' lists; a list that is not there admits nobody
	Warnings []*Problem // settings without effect, missing lists
}

// ParseQueues reads the files about queues together, in any number and order:
//
//   - capacity-scheduler.xml and mapred-queue-acls.xml, <configuration> with properties such as
//     mapred.capacity-scheduler.queue.NAME.capacity and mapred.queue.NAME.acl-submit-job;
//     "sch:prod" is queue prod in queue sch;
//   - mapred-queues.xml, <queues> with nested <queue> elements, whose <properties> have keys such
//     as capacity.
//
// Names and settings may stand once only in all of them. If none names a queue there is one,
// "default", with all slots. The error joins a *Problem for everything wrong; YARN's
// capacity-scheduler.xml is errors.Is(err, ErrYARN).
func ParseQueues(sources ...Source) (Queues, error) {
	p := queueParser{byName: map[string]*queueNode{}}
	files := map[string]int{}
	for i, s := range sources {
		files[s.Name] = i
		p.file = s.Name
		if root := readDocument(&p.faults, s.Reader); root != nil {
			p.document(root)
		}
	}
	p.properties()
	out := p.build()
	order := func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(files[a.File], files[b.File]), cmp.Compare(a.Line, b.Line))
	}
	if len(p.errs) > 0 {
		slices.SortStableFunc(p.errs, order)
		return Queues{}, p.err()
	}
	slices.SortStableFunc(p.warnings, order)
	out.Warnings = p.noted()
	return out, nil
}

// queueParser gathers what the files say before it is put together.
type queueParser struct {
	faults
	props   properties
	queues  []*queueNode // in order of appearance
	byName  map[string]*queueNode
	names   *property // mapred.queue.names
	enabled *property
	admins  *property
	// defaults of leaf queues: priorities, user limit, initialized jobs
	defaults scheduling.QueueConfig
	accept   int // jobs accepted for each that may be initialized; 0 if not in the files
	system   int // jobs initialized in all queues; 0 if not in the files
}

// queueNode is one queue; its settings have the keys of <properties> and of the lists.
type queueNode struct {
	name     string // with the path
	parent   *queueNode
	children []*queueNode
	settings []*property
	line     int // where it is first spoken of
	file     string
	implied  bool // spoken of only as part of a child's path
}

// document reads one file.
func (p *queueParser) document(root *element) {
	switch root.name {
	case "configuration":
		p.props.read(&p.faults, root)
	case "queues":
		p.queuesElement(root)
	case "allocations":
		p.add(root.line, "the root element is <allocations>; this looks like the Fair Scheduler's file, not one about queues")
	default:
		p.add(root.line, "the root element is <%s>, want <configuration> or <queues>", root.name)
	}
}

// The names of properties, and their beginnings.
const (
	prefixCapacity = "mapred.capacity-scheduler.queue."
	prefixQueue    = "mapred.queue."
	prefixDefaults = "mapred.capacity-scheduler.default-"
	prefixYARN     = "yarn.scheduler.capacity."
	propertyNames  = "mapred.queue.names"

	propertyACLs    = "mapred.acls.enabled"
	propertyACLsNew = "mapreduce.cluster.acls.enabled"
	propertyAdmins  = "mapreduce.cluster.administrators"
)

// isListSwitch tells the properties that turn access lists on.
func isListSwitch(name string) bool { return name == propertyACLs || name == propertyACLsNew }

// The settings of a queue.
const (
	keyCapacity   = "capacity"
	keyMax        = "maximum-capacity"
	keyPriorities = "supports-priority"
	keyUserLimit  = "minimum-user-limit-percent"
	keyInitJobs   = "maximum-initialized-jobs-per-user"
	keyUserFactor = "user-limit-factor"
	keyAccept     = "init-accept-jobs-factor"
	keyTasks      = "maximum-initialized-active-tasks"
	keyUserTasks  = "maximum-initialized-active-tasks-per-user"
	keyState      = "state"

	propertySystemJobs = "mapred.capacity-scheduler.maximum-system-jobs"
)

// isCapacityKey tells the settings that the Capacity Scheduler reads.
func isCapacityKey(key string) bool { return key == keyAccept || queueSettings[key] != nil }

// isQueueKey tells the settings that MapReduce itself reads.
func isQueueKey(key string) bool {
	return key == listSubmit || key == listAdminister || key == keyState
}

// properties sorts the properties of all files to the queues.
func (p *queueParser) properties() {
	for _, prop := range p.props.list {
		p.file = prop.file
		switch {
		case strings.HasPrefix(prop.name, prefixYARN):
			p.addCause(ErrYARN, prop.line, "%s: %v; the properties here begin with mapred.capacity-scheduler", shorten(prop.name), ErrYARN)
			return // the rest would be of that kind too
		case prop.name == propertyNames:
			p.names = prop
		case isListSwitch(prop.name):
			p.single(&p.enabled, prop)
		case prop.name == propertyAdmins:
			p.single(&p.admins, prop)
		case strings.HasPrefix(prop.name, prefixCapacity):
			p.queueProperty(prop, prefixCapacity, isCapacityKey)
		case strings.HasPrefix(prop.name, prefixQueue):
			p.queueProperty(prop, prefixQueue, isQueueKey)
		case p.known(prop):
		default:
			p.add(prop.line, "unknown property %s", shorten(prop.name))
		}
	}
}

// single notes a setting that has several names but may be given once.
func (p *queueParser) single(to **property, prop *property) {
	if *to != nil {
		p.add(prop.line, "%s says what %s says on line %d already", prop.name, (*to).name, (*to).line)
		return
	}
	*to = prop
}

// known takes the properties that are not about one queue. Those of the initialization threads are
// checked and have no effect.
func (p *queueParser) known(prop *property) bool {
	switch prop.name {
	case prefixDefaults + keyPriorities, prefixDefaults + keyUserLimit, prefixDefaults + keyInitJobs, prefixDefaults + keyUserFactor,
		prefixDefaults + keyAccept, propertySystemJobs:
		return true
	case prefixDefaults + "maximum-active-tasks-per-queue", prefixDefaults + "maximum-active-tasks-per-user":
		if v, ok := prop.entry(&p.faults, prop.name); ok {
			v.tasks()
		}
		return true
	case "mapred.capacity-scheduler.init-poll-interval", "mapred.capacity-scheduler.init-worker-threads":
		if v, ok := prop.entry(&p.faults, prop.name); ok && v.count(1) > 0 {
			p.warn(prop.line, "%s has no effect: jobs are initialized without threads or polling", prop.name)
		}
		return true
	}
	return false
}

// queueProperty gives PREFIX.NAME.KEY to queue NAME.
func (p *queueParser) queueProperty(prop *property, prefix string, known func(string) bool) {
	rest := strings.TrimPrefix(prop.name, prefix)
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		p.add(prop.line, "%s names no queue; want %sNAME.SETTING", shorten(prop.name), prefix)
		return
	}
	name, key := rest[:dot], rest[dot+1:]
	if !known(key) {
		p.add(prop.line, "queue %s: unknown setting %q in property %s", shorten(name), shorten(key), shorten(prop.name))
		return
	}
	if q := p.queue(name, prop.line); q != nil {
		q.implied = false
		p.setting(q, &property{name: key, value: prop.value, line: prop.line, file: prop.file})
	}
}

// setting gives a setting to a queue, once.
func (p *queueParser) setting(q *queueNode, s *property) {
	if first := find(q.settings, s.name); first != nil {
		p.add(s.line, "queue %s: %s stands here again, first on line %d of %s", q.name, s.name, first.line, cmp.Or(first.file, "the file"))
		return
	}
	q.settings = append(q.settings, s)
}

// queue finds or makes the queue of that path, and its parents.
func (p *queueParser) queue(path string, line int) *queueNode {
	if q := p.byName[path]; q != nil {
		return q
	}
	if strings.Count(path, ":") > maxDepth {
		p.add(line, "the queue name %q leads through more than %d queues", shorten(path), maxDepth)
		return nil
	}
	q := &queueNode{name: path, line: line, file: p.file, implied: true}
	last := path
	if i := strings.LastIndexByte(path, ':'); i >= 0 {
		last = path[i+1:]
		if q.parent = p.queue(path[:i], line); q.parent == nil {
			return nil
		}
	}
	if reason := nameReason(last); reason != "" {
		p.add(line, "the queue name %q %s", shorten(path), reason)
		return nil
	}
	p.queues = append(p.queues, q)
	p.byName[path] = q
	if q.parent != nil {
		q.parent.children = append(q.parent.children, q)
	}
	return q
}
