package allocation

import (
	"bytes"
	"strings"
)

// queuesElement reads the root of mapred-queues.xml.
func (p *queueParser) queuesElement(root *element) {
	root.noAttrs(&p.faults, "aclsEnabled")
	root.container(&p.faults)
	if text, times := root.attr("aclsEnabled"); times > 0 {
		p.single(&p.enabled, &property{name: "aclsEnabled", value: text, line: root.line, file: p.file})
	}
	for _, e := range root.children {
		switch e.name {
		case "queue":
			p.queueElement(e, nil)
		case "properties": // of the root queue, which has none that anybody reads
			p.warn(e.line, "<properties> of the root have no effect")
		default:
			p.add(e.line, "unknown element <%s> in <queues>", e.name)
		}
	}
}

// queueElement reads a <queue> in parent, and what lies in it.
func (p *queueParser) queueElement(e *element, parent *queueNode) {
	e.noAttrs(&p.faults)
	e.container(&p.faults)
	q := p.namedElement(e, parent)
	if q == nil {
		return
	}
	for _, c := range e.children {
		switch c.name {
		case "name":
		case "queue":
			p.queueElement(c, q)
		case "properties":
			p.propertiesElement(c, q)
		case keyState, listSubmit, listAdminister:
			if c.plain(&p.faults) {
				p.setting(q, &property{name: c.name, value: string(c.text), line: c.line, file: p.file})
			}
		default:
			p.add(c.line, "queue %s: unknown element <%s>", q.name, c.name)
		}
	}
}

// namedElement makes the queue of a <queue> element, or notes why it cannot.
func (p *queueParser) namedElement(e *element, parent *queueNode) *queueNode {
	name, times := "", 0
	for _, c := range e.children {
		if c.name == "name" {
			times++
			name, _ = c.value(&p.faults)
		}
	}
	switch {
	case times != 1:
		p.add(e.line, "<queue> with %d names, want one", times)
		return nil
	case name == "":
		return nil
	case strings.Contains(name, ":"):
		p.add(e.line, "the queue name %q has a colon, which stands between the names of a path", shorten(name))
		return nil
	}
	if parent != nil {
		name = parent.name + ":" + name
	}
	if q := p.byName[name]; q != nil {
		p.add(e.line, "queue %s stands here again, first on line %d", shorten(name), q.line)
		return nil
	}
	q := p.queue(name, e.line)
	if q != nil {
		q.implied = false
	}
	return q
}

// propertiesElement reads <properties> with <property key= value=/>.
func (p *queueParser) propertiesElement(e *element, q *queueNode) {
	e.noAttrs(&p.faults)
	e.container(&p.faults)
	for _, c := range e.children {
		key, keys := c.attr("key")
		value, values := c.attr("value")
		c.noAttrs(&p.faults, "key", "value")
		switch {
		case c.name != "property":
			p.add(c.line, "queue %s: unknown element <%s> in <properties>", q.name, c.name)
		case len(c.children) > 0 || len(bytes.TrimSpace(c.text)) > 0:
			p.add(c.line, "queue %s: a <property> here has only the attributes key and value", q.name)
		case keys != 1 || values != 1:
			p.add(c.line, "queue %s: a <property> needs one key and one value", q.name)
		case !isCapacityKey(key):
			p.add(c.line, "queue %s: unknown setting %q", q.name, shorten(key))
		default:
			p.setting(q, &property{name: key, value: value, line: c.line, file: p.file})
		}
	}
}
