package allocation

import "strings"

// property is one entry of a Hadoop configuration file.
type property struct {
	name, value string // the value as it stands, spaces included
	line        int
	file        string
}

// properties are the entries of one or more files, each name once.
type properties struct {
	list   []*property
	byName map[string]*property
}

// read adds the <configuration> below root, noting what is wrong and what stands there twice.
func (ps *properties) read(f *faults, root *element) {
	if ps.byName == nil {
		ps.byName = map[string]*property{}
	}
	root.noAttrs(f)
	root.container(f)
	for _, e := range root.children {
		if e.name != "property" {
			f.add(e.line, "unknown element <%s> in <configuration>, want <property>", e.name)
			continue
		}
		p := readProperty(f, e)
		if p == nil {
			continue
		}
		if first := ps.byName[p.name]; first != nil {
			where := ""
			if first.file != p.file {
				where = " of " + first.file
			}
			f.add(p.line, "property %s stands here again, first on line %d%s", p.name, first.line, where)
			continue
		}
		ps.list = append(ps.list, p)
		ps.byName[p.name] = p
	}
}

// readProperty reads one <property>, or returns nil if it has no name or value.
func readProperty(f *faults, e *element) *property {
	e.noAttrs(f)
	e.container(f)
	p := &property{line: e.line, file: f.file}
	times := map[string]int{}
	for _, c := range e.children {
		times[c.name]++
		if times[c.name] > 1 {
			f.add(c.line, "<%s> twice in one <property>", c.name)
			continue
		}
		switch c.name {
		case "name":
			p.name, _ = c.value(f)
		case "value":
			c.plain(f)
			p.value = string(c.text)
		case "final":
			if text, ok := c.value(f); ok {
				entry{f, c.line, "final", text}.is(true)
			}
		case "description", "source":
		default:
			f.add(c.line, "unknown element <%s> in <property>", c.name)
		}
	}
	switch {
	case times["name"] == 0:
		f.add(e.line, "<property> without a <name>")
	case p.name == "": // noted above
	case times["value"] == 0:
		f.add(e.line, "property %s has no <value>", p.name)
	default:
		return p
	}
	return nil
}

// find is the property of that name, or nil.
func find(list []*property, name string) *property {
	for _, p := range list {
		if p.name == name {
			return p
		}
	}
	return nil
}

// entry is the value without spaces around it, for the value to be read; an empty one is noted, and
// ok is false. what names it in messages.
func (p *property) entry(f *faults, what string) (v entry, ok bool) {
	f.file = p.file
	text := strings.TrimSpace(p.value)
	if text == "" {
		f.add(p.line, "%s is empty", p.name)
	}
	return entry{f, p.line, what, text}, text != ""
}

// list is the value as an access list; what names it in messages.
func (p *property) list(f *faults, what string) List {
	l, err := ParseList(p.value)
	if err != nil {
		f.file = p.file
		f.add(p.line, "%s: %v", what, err)
	}
	return l
}
