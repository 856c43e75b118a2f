package allocation

import (
	"bytes"
	"strings"

	"github.com/tarry-mr/tarry/scheduling/access"
)

// readQueues reads a file about queues.
func (r *reader) readQueues(root *element) {
	r.queues.file = root.file
	if root.name == "queues" {
		r.queuesElement(root)
		return
	}
	for _, e := range r.properties(root, r.queues.given) {
		switch {
		case strings.HasPrefix(e.name, prefixYARN):
			r.add(e.place, "%s: %w; the properties here begin with mapred.capacity-scheduler", shorten(e.name), ErrYARN)
			return // the rest has the same problem
		case clusterSettings.property(r, e):
		case strings.HasPrefix(e.name, prefixCapacity):
			r.queueProperty(e, prefixCapacity)
		case strings.HasPrefix(e.name, prefixQueue):
			r.queueProperty(e, prefixQueue)
		default:
			r.add(e.place, "unknown property %s%v", shorten(e.name), clusterSettings.near(e.name))
		}
	}
}

// queueProperty assigns PREFIX.NAME.KEY to queue NAME.
func (r *reader) queueProperty(e *element, prefix string) {
	rest := strings.TrimPrefix(e.name, prefix)
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		r.add(e.place, "%s names no queue; want %sNAME.SETTING", shorten(e.name), prefix)
		return
	}
	name := rest[:dot]
	e.name = rest[dot+1:]
	if r.known(name, e, prefix) {
		if q := r.queueNamed(name, e.place); q != nil {
			q.add(e)
		}
	}
}

// known reports whether e is a setting of queues, under that prefix; if not, it says so.
func (r *reader) known(queue string, e *element, prefix string) bool {
	own := isList(e.name) || e.name == keyState // a setting of MapReduce itself
	ok := queueSettings[e.name] != nil && own == (prefix == prefixQueue)
	if !ok {
		r.add(e.place, "queue %s: unknown setting %q%v", shorten(queue), shorten(e.name), queueSettings.near(e.name))
	}
	return ok
}

// queueNamed returns the queue with that path. It creates the queue if necessary, and returns nil
// if the name is wrong.
func (r *reader) queueNamed(path string, at place) *queue {
	all := &r.queues
	if q := all.byName[path]; q != nil {
		return q
	}
	if strings.Count(path, ":") > maxDepth {
		r.add(at, "the queue name %q leads through more than %d queues", shorten(path), maxDepth)
		return nil
	}
	if reason := access.NameFault(path[strings.LastIndexByte(path, ':')+1:]); reason != "" {
		r.add(at, "the queue name %q %s", shorten(path), reason)
		return nil
	}
	q := &queue{place: at, name: path}
	all.byName[path] = q
	all.list = append(all.list, q)
	return q
}

// queuesElements has the setter of the root element of mapred-queues.xml.
var queuesElements = table{"@aclsEnabled": entry.switchLists}

// queuesElement reads the root of mapred-queues.xml.
func (r *reader) queuesElement(root *element) {
	for _, e := range queuesElements.read(r, "", root) {
		switch e.name {
		case "queue":
			r.queueElement(e, "")
		case "properties": // the root queue has no properties that are used
			r.warn(e.place, "<properties> of the root have no effect")
		default:
			queuesElements.unknown(r, "", root, e)
		}
	}
}

// addSetting adds an element of a <queue> to the settings of the queue.
func (v entry) addSetting() { v.queue.add(v.element) }

// queueElements has the setters of the elements of a <queue>, except those that may be repeated.
var queueElements = table{
	"name": nil, keyState: entry.addSetting, access.SubmitList: entry.addSetting, access.AdministerList: entry.addSetting,
}

// queueElement reads a <queue> and the queues in it; path is its parent's name and a colon.
func (r *reader) queueElement(e *element, path string) {
	q := r.namedElement(e, path)
	if q == nil {
		return
	}
	in := "queue " + q.name + ": "
	r.queue = q
	for _, c := range queueElements.read(r, in, e) {
		switch c.name {
		case "queue":
			r.queueElement(c, q.name+":")
		case "properties":
			r.propertiesElement(c, q)
		default:
			queueElements.unknown(r, in, e, c)
		}
	}
}

// namedElement creates the queue of a <queue> element, or reports why it cannot.
func (r *reader) namedElement(e *element, path string) *queue {
	name := e.child("name")
	if name == nil {
		r.add(e.place, "<queue> without a <name>")
		return nil
	}
	v, ok := r.entry(name, "<name>")
	switch {
	case !ok: // reported
	case strings.Contains(v.text, ":"):
		r.add(e.place, "the queue name %q has a colon, which separates the names of a path", shorten(v.text))
	case r.queues.byName[path+v.text] != nil:
		r.add(e.place, "queue %s is repeated, first on line %d", shorten(path+v.text), r.queues.byName[path+v.text].line)
	default:
		return r.queueNamed(path+v.text, e.place)
	}
	return nil
}

// propertiesElement reads <properties> with <property key= value=/>.
func (r *reader) propertiesElement(e *element, q *queue) {
	for _, c := range r.onlyProperties(e) {
		key, value := c.child("@key"), c.child("@value")
		if key == nil || value == nil || len(c.children) > 2 || len(bytes.TrimSpace(c.text)) > 0 {
			r.add(c.place, "queue %s: a <property> here has one key and one value, as attributes, and nothing else", q.name)
			continue
		}
		s := &element{place: c.place, name: string(key.text), text: value.text}
		if r.known(q.name, s, prefixCapacity) {
			q.add(s)
		}
	}
}
