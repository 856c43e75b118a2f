package allocation

import (
	"bytes"
	"strings"
)

// properties assigns the properties of all files to their queues.
func (p *queueParser) properties(list []*element) {
	for _, e := range list {
		switch {
		case strings.HasPrefix(e.name, prefixYARN):
			p.addCause(ErrYARN, e.place, "%s: %v; the properties here begin with mapred.capacity-scheduler", shorten(e.name), ErrYARN)
			return // the rest has the same problem
		case strings.HasPrefix(e.name, prefixCapacity):
			p.queueProperty(e, prefixCapacity)
		case clusterSettings[e.name] == nil && strings.HasPrefix(e.name, prefixQueue):
			p.queueProperty(e, prefixQueue)
		default:
			p.cluster = append(p.cluster, e)
		}
	}
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
			q.implied = false
			q.settings = append(q.settings, e)
		}
	}
}

// known reports whether a queue has the setting; own selects the settings of MapReduce itself.
func (p *queueParser) known(queue string, e *element, own bool) bool {
	ok := queueSettings[e.name] != nil && isQueueKey(e.name) == own
	if !ok {
		p.add(e.place, "queue %s: unknown setting %q", shorten(queue), shorten(e.name))
	}
	return ok
}

// queue returns the queue with that path; it creates the queue and its parents if necessary. It
// returns nil if the name is wrong.
func (p *queueParser) queue(path string, at place) *queue {
	if q := p.byName[path]; q != nil {
		return q
	}
	if strings.Count(path, ":") > maxDepth {
		p.add(at, "the queue name %q leads through more than %d queues", shorten(path), maxDepth)
		return nil
	}
	q := &queue{place: at, name: path, implied: true}
	last := path
	if i := strings.LastIndexByte(path, ':'); i >= 0 {
		last = path[i+1:]
		if q.parent = p.queue(path[:i], at); q.parent == nil {
			return nil
		}
	}
	if reason := nameReason(last); reason != "" {
		p.add(at, "the queue name %q %s", shorten(path), reason)
		return nil
	}
	p.queues = append(p.queues, q)
	p.byName[path] = q
	if q.parent != nil {
		q.parent.children = append(q.parent.children, q)
	}
	return q
}

// queuesElement reads the root of mapred-queues.xml.
func (p *queueParser) queuesElement(root *element) {
	root.container(p.faults, "aclsEnabled")
	if text, times := root.attr("aclsEnabled"); times > 0 {
		p.switchLists(newEntry(p.faults, root.place, "aclsEnabled", text))
	}
	for _, e := range root.children {
		switch e.name {
		case "queue":
			p.queueElement(e, "")
		case "properties": // the root queue has no properties that are used
			p.warn(e.place, "<properties> of the root have no effect")
		default:
			p.add(e.place, "unknown element <%s> in <queues>", e.name)
		}
	}
}

// queueElement reads a <queue> and the queues in it; path is its parent's name and a colon.
func (p *queueParser) queueElement(e *element, path string) {
	e.container(p.faults)
	q := p.namedElement(e, path)
	if q == nil {
		return
	}
	for _, c := range e.children {
		switch {
		case c.name == "name":
		case c.name == "queue":
			p.queueElement(c, q.name+":")
		case c.name == "properties":
			p.propertiesElement(c, q)
		case isQueueKey(c.name):
			q.settings = append(q.settings, c)
		default:
			p.add(c.place, "queue %s: unknown element <%s>", q.name, c.name)
		}
	}
}

// namedElement creates the queue of a <queue> element, or reports why it cannot.
func (p *queueParser) namedElement(e *element, path string) *queue {
	var name entry
	times := 0
	for _, c := range e.children {
		if c.name == "name" {
			times++
			name, _ = c.entry(p.faults, "<name>")
		}
	}
	switch {
	case times != 1:
		p.add(e.place, "<queue> with %d names, want one", times)
	case name.text == "": // reported
	case strings.Contains(name.text, ":"):
		p.add(e.place, "the queue name %q has a colon, which separates the names of a path", shorten(name.text))
	case p.byName[path+name.text] != nil:
		p.add(e.place, "queue %s is repeated, first on line %d", shorten(path+name.text), p.byName[path+name.text].line)
	default:
		q := p.queue(path+name.text, e.place)
		if q != nil {
			q.implied = false
		}
		return q
	}
	return nil
}

// propertiesElement reads <properties> with <property key= value=/>.
func (p *queueParser) propertiesElement(e *element, q *queue) {
	e.container(p.faults)
	for _, c := range e.children {
		key, keys := c.attr("key")
		value, values := c.attr("value")
		c.noAttrs(p.faults, "key", "value")
		s := &element{place: c.place, name: key, text: []byte(value)}
		switch {
		case c.name != "property":
			p.add(c.place, "queue %s: unknown element <%s> in <properties>", q.name, c.name)
		case len(c.children) > 0 || len(bytes.TrimSpace(c.text)) > 0:
			p.add(c.place, "queue %s: a <property> here has only the attributes key and value", q.name)
		case keys != 1 || values != 1:
			p.add(c.place, "queue %s: a <property> needs one key and one value", q.name)
		case p.known(q.name, s, false):
			q.settings = append(q.settings, s)
		}
	}
}
