package allocation

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/internal/spelling"
)

// table holds the elements, attributes or properties that may be given in one place of a file, each
// with the setter that reads its value; nil: the value is read elsewhere.
type table map[string]func(v entry)

// near returns, for the end of a message about an unknown name, the similar one in the table, if
// there is one. The search takes place only if the message is written.
func (t table) near(name string) fmt.Stringer {
	return suggestion(func() string { return spelling.Closest(name, slices.Sorted(maps.Keys(t))) })
}

// suggestion returns the name that was probably meant, or "".
type suggestion func() string

// String returns text such as ", did you mean maxMaps?", or "".
func (s suggestion) String() string {
	if name := s(); name != "" {
		return ", did you mean " + strings.TrimPrefix(name, "@") + "?"
	}
	return ""
}

// noEffect returns a setter for a count that has no effect; why is the end of its warning.
func noEffect(why string) func(entry) {
	return func(v entry) {
		if v.count(1) > 0 {
			v.useless(why)
		}
	}
}

// read calls the setter of each child of e, and returns the child elements that are not in the
// table. It reports text in e, and children that are given twice; in comes before their names in
// messages.
func (t table) read(r *reader, in string, e *element) (others []*element) {
	if text := bytes.TrimSpace(e.text); len(text) > 0 {
		r.add(e.place, "text %q directly inside <%s>", shorten(string(text)), e.name)
	}
	first := map[string]place{}
	for _, c := range e.children {
		set, known := t[c.name]
		what := in + strings.TrimPrefix(c.name, "@")
		switch {
		case !known && c.isAttribute():
			r.unknownAttribute(e, c)
		case !known:
			others = append(others, c)
		case r.once(first, c.name, what, c.place) && set != nil:
			if v, ok := r.entry(c, what); ok {
				set(v)
			}
		}
	}
	return others
}

// property calls the setter of a Hadoop property; it returns false if the property is not in the
// table.
func (t table) property(r *reader, e *element) (known bool) {
	set := t[e.name]
	if set == nil {
		return false
	}
	if v, ok := r.entry(e, e.name); ok {
		set(v)
	}
	return true
}

// unknown reports children of e that are not in the table; in comes before their names in messages.
func (t table) unknown(r *reader, in string, e *element, others ...*element) {
	for _, c := range others {
		if in != "" {
			r.add(c.place, "%sunknown element <%s>%v", in, c.name, t.near(c.name))
		} else {
			r.add(c.place, "unknown element <%s> in <%s>%v", c.name, e.name, t.near(c.name))
		}
	}
}

// unknownAttribute adds a problem about an attribute of e.
func (r *reader) unknownAttribute(e, attr *element) {
	r.add(attr.place, "unknown attribute %q of <%s>", attr.name[1:], e.name)
}

// once reports whether key is new in first, and records it; if not, it adds a problem about what.
func (r *reader) once(first map[string]place, key, what string, at place) bool {
	was, again := first[key]
	switch {
	case !again:
		first[key] = at
	case was.file != at.file:
		r.add(at, "%s is repeated, first on line %d of %s", what, was.line, was.file)
	default:
		r.add(at, "%s is repeated, first on line %d", what, was.line)
	}
	return !again
}

// entry returns the element's value, which must not be blank unless it is an access list. If it is,
// or if the element has children or attributes, entry adds a problem and returns false.
func (r *reader) entry(e *element, what string) (v entry, ok bool) {
	v, ok = entry{r, e, what, strings.TrimSpace(string(e.text))}, len(e.children) == 0
	for _, c := range e.children {
		if c.isAttribute() {
			r.unknownAttribute(e, c)
		} else {
			r.add(c.place, "<%s> inside <%s>, which holds a value only", c.name, e.name)
		}
	}
	if ok && v.text == "" && !isList(e.name) {
		r.add(e.place, "%s is empty", what)
		ok = false
	}
	return v, ok
}

// onlyProperties returns the <property> elements in e, which may hold nothing else.
func (r *reader) onlyProperties(e *element) (list []*element) {
	for _, c := range (table{}).read(r, "", e) {
		if c.name == "property" {
			list = append(list, c)
		} else {
			r.add(c.place, "unknown element <%s> in <%s>, want <property>", c.name, e.name)
		}
	}
	return list
}

// properties returns the properties of a <configuration>, each as an element with the property's
// name. It reports and skips repeated ones; first has the earlier ones.
func (r *reader) properties(root *element, first map[string]place) (list []*element) {
	for _, e := range r.onlyProperties(root) {
		if p := r.readProperty(e); p != nil && r.once(first, p.name, "property "+p.name, p.place) {
			list = append(list, p)
		}
	}
	return list
}

// propertyElements has the elements that a <property> may have.
var propertyElements = table{
	"name": nil, "value": nil, "description": nil, "source": nil,
	"final": func(v entry) { v.yes() },
}

// readProperty reads one <property>; nil if it is wrong.
func (r *reader) readProperty(e *element) *element {
	propertyElements.unknown(r, "", e, propertyElements.read(r, "", e)...)
	name, value := e.child("name"), e.child("value")
	if name == nil {
		r.add(e.place, "<property> without a <name>")
		return nil
	}
	v, ok := r.entry(name, "<name>")
	switch {
	case !ok:
		return nil
	case value == nil:
		r.add(e.place, "property %s has no <value>", v.text)
		return nil
	}
	return &element{place: e.place, name: v.text, text: value.text, children: value.children}
}
