package allocation

import (
	"bytes"
	"strings"

	"github.com/tarry-mr/tarry/scheduling/access"
)

// queueProperties adds properties to the settings of their queues, and returns those about none.
func (p *queueParser) queueProperties(list []*element) (others []*element) {
	for _, e := range list {
		switch {
		case strings.HasPrefix(e.name, prefixYARN):
			p.add(e.place, "%s: %w; the properties here begin with mapred.capacity-scheduler", shorten(e.name), ErrYARN)
			return others // the rest has the same problem
		case strings.HasPrefix(e.name, prefixCapacity):
			p.queueProperty(e, prefixCapacity)
		case clusterSettings[e.name] == nil && strings.HasPrefix(e.name, prefixQueue):
			p.queueProperty(e, prefixQueue)
		default:
			others = append(others, e)
		}
	}
	return others
}

// queueProperty assigns PREFIX.NAME.KEY to queue NAME.
func (p *queueParser) queueProperty(e *element, prefix string) {
	rest := strings.TrimPrefix(e.name, prefix)
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		p.add(e.place, "%s names no queue; want %sNAME.SETTING", shorten(e.name), prefix)
		return
	}
	name := rest[:dot]
	e.name = rest[dot+1:]
	if p.known(name, e, prefix == prefixQueue) {
		if q := p.queue(name, e.place); q != nil {
			q.add(e)
		}
	}
}

// known reports whether e is a setting of queues, of MapReduce itself if own; if not, it says so.
func (p *queueParser) known(queue string, e *element, own bool) bool {
	ok := queueSettings[e.name] != nil && isQueueKey(e.name) == own
	if !ok {
		p.add(e.place, "queue %s: unknown setting %q%v", shorten(queue), shorten(e.name), queueSettings.near(e.name))
	}
	return ok
}

// queue returns the queue with that path, which is configured itself, not only implied by a child's
// path. It creates the queue and its parents if necessary, and returns nil if the name is wrong.
func (p *queueParser) queue(path string, at place) *queue {
	q := p.implied(path, at)
	if q != nil {
		q.implied = false
	}
	return q
}

// implied is like queue, but the queue may have no configuration of its own, only a child that has.
func (p *queueParser) implied(path string, at place) *queue {
	if q := p.byName[path]; q != nil {
		return q
	}
	if strings.Count(path, ":") > maxDepth {
		p.add(at, "the queue name %q leads through more than %d queues", shorten(path), maxDepth)
		return nil
	}
	q := &queue{place: at, name: path, implied: true, parent: &p.root}
	last := path
	if i := strings.LastIndexByte(path, ':'); i >= 0 {
		last = path[i+1:]
		if q.parent = p.implied(path[:i], at); q.parent == nil {
			return nil
		}
	}
	if reason := access.NameFault(last); reason != "" {
		p.add(at, "the queue name %q %s", shorten(path), reason)
		return nil
	}
	p.byName[path] = q
	q.parent.children = append(q.parent.children, q)
	return q
}

// queuesElements has the setter of the root element of mapred-queues.xml.
var queuesElements = table[queueParser]{"@aclsEnabled": (*queueParser).switchLists}

// queuesElement reads the root of mapred-queues.xml.
func (p *queueParser) queuesElement(root *element) {
	queuesElements.read(p.faults, "", root, p, func(e *element) bool {
		switch e.name {
		case "queue":
			p.queueElement(e, "")
		case "properties": // the root queue has no properties that are used
			p.warn(e.place, "<properties> of the root have no effect")
		default:
			return false
		}
		return true
	})
}

// queueElements has the setters of the elements of a <queue>, except those that may be repeated.
var queueElements = table[queue]{
	"name":                nil,
	keyState:              func(q *queue, v entry) { q.add(v.element) },
	access.SubmitList:     func(q *queue, v entry) { q.add(v.element) },
	access.AdministerList: func(q *queue, v entry) { q.add(v.element) },
}

// queueElement reads a <queue> and the queues in it; path is its parent's name and a colon.
func (p *queueParser) queueElement(e *element, path string) {
	q := p.namedElement(e, path)
	if q == nil {
		return
	}
	queueElements.read(p.faults, "queue "+q.name+": ", e, q, func(c *element) bool {
		switch c.name {
		case "queue":
			p.queueElement(c, q.name+":")
		case "properties":
			p.propertiesElement(c, q)
		default:
			return false
		}
		return true
	})
}

// namedElement creates the queue of a <queue> element, or reports why it cannot.
func (p *queueParser) namedElement(e *element, path string) *queue {
	name := e.child("name")
	if name == nil {
		p.add(e.place, "<queue> without a <name>")
		return nil
	}
	v, ok := name.entry(p.faults, "<name>")
	switch {
	case !ok: // reported
	case strings.Contains(v.text, ":"):
		p.add(e.place, "the queue name %q has a colon, which separates the names of a path", shorten(v.text))
	case p.byName[path+v.text] != nil:
		p.add(e.place, "queue %s is repeated, first on line %d", shorten(path+v.text), p.byName[path+v.text].line)
	default:
		return p.queue(path+v.text, e.place)
	}
	return nil
}

// propertiesElement reads <properties> with <property key= value=/>.
func (p *queueParser) propertiesElement(e *element, q *queue) {
	for _, c := range onlyProperties(p.faults, e) {
		key, value := c.child("@key"), c.child("@value")
		if key == nil || value == nil || len(c.children) > 2 || len(bytes.TrimSpace(c.text)) > 0 {
			p.add(c.place, "queue %s: a <property> here has one key and one value, as attributes, and nothing else", q.name)
			continue
		}
		s := &element{place: c.place, name: string(key.text), text: value.text}
		if p.known(q.name, s, false) {
			q.add(s)
		}
	}
}
