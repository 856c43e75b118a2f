package allocation

// table holds the settings that may be given in one place of a file, each with the setter that
// reads its value.
type table[T any] map[string]func(to *T, v entry)

// read reads the settings in list into to. Messages prefix their names with in. Elements that are
// not in the table are passed to unknown.
func (t table[T]) read(f *faults, in string, list []*element, to *T, unknown func(*element)) {
	first := map[string]place{}
	for _, e := range list {
		set := t[e.name]
		if set == nil {
			unknown(e)
		} else if f.once(first, e.name, in+e.name, e.place) {
			if v, ok := e.entry(f, in+e.name); ok {
				set(to, v)
			}
		}
	}
}

// once reports whether key is new in first; if not, it adds a problem about what.
func (f *faults) once(first map[string]place, key, what string, at place) bool {
	was, again := first[key]
	switch {
	case !again:
		first[key] = at
	case was.file != at.file:
		f.add(at, "%s is repeated, first on line %d of %s", what, was.line, was.file)
	default:
		f.add(at, "%s is repeated, first on line %d", what, was.line)
	}
	return !again
}

// entry returns the element's value, which must not be blank unless it is an access list. If it is,
// or if the element has children or attributes, entry adds a problem and returns false.
func (e *element) entry(f *faults, what string) (v entry, ok bool) {
	v = newEntry(f, e.place, what, string(e.text))
	ok = e.noAttrs(f)
	for _, c := range e.children {
		f.add(c.place, "<%s> inside <%s>, which holds a value only", c.name, e.name)
		ok = false
	}
	if ok && v.text == "" && !isList(e.name) {
		f.add(e.place, "%s is empty", what)
		ok = false
	}
	return v, ok
}

// properties returns the <property> elements below a <configuration>, each as an element with the
// property's name. It reports and skips repeated ones; first has the earlier ones.
func properties(f *faults, root *element, first map[string]place) []*element {
	root.container(f)
	var list []*element
	for _, e := range root.children {
		if e.name != "property" {
			f.add(e.place, "unknown element <%s> in <configuration>, want <property>", e.name)
		} else if p, ok := readProperty(f, e); ok && f.once(first, p.name, "property "+p.name, p.place) {
			list = append(list, p)
		}
	}
	return list
}

// propertyElements are the elements of a <property>. Spaces around a value matter only for access
// lists.
var propertyElements = map[string]func(f *faults, p, e *element){
	"name": func(f *faults, p, e *element) {
		v, _ := e.entry(f, "<name>")
		p.name = v.text
	},
	"value": func(_ *faults, p, e *element) { p.text, p.attrs, p.children = e.text, e.attrs, e.children },
	"final": func(f *faults, _, e *element) {
		if v, ok := e.entry(f, "final"); ok {
			v.yes()
		}
	},
	"description": func(*faults, *element, *element) {},
	"source":      func(*faults, *element, *element) {},
}

// readProperty reads one <property>.
func readProperty(f *faults, e *element) (property *element, ok bool) {
	e.container(f)
	property = &element{place: e.place}
	given := map[string]bool{}
	for _, c := range e.children {
		read := propertyElements[c.name]
		switch {
		case read == nil:
			f.add(c.place, "unknown element <%s> in <property>", c.name)
		case given[c.name]:
			f.add(c.place, "<%s> twice in one <property>", c.name)
		default:
			read(f, property, c)
		}
		given[c.name] = true
	}
	switch {
	case !given["name"]:
		f.add(e.place, "<property> without a <name>")
	case property.name == "": // reported
	case !given["value"]:
		f.add(e.place, "property %s has no <value>", property.name)
	default:
		return property, true
	}
	return nil, false
}

// find returns the first element with that name; nil if none.
func find(list []*element, name string) *element {
	for _, e := range list {
		if e.name == name {
			return e
		}
	}
	return nil
}
