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
type table[T any] map[string]func(to *T, v entry)

// near returns, for the end of a message about an unknown name, the similar one in the table, if there
// is one. The search takes place only if the message is written.
func (t table[T]) near(name string) fmt.Stringer {
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
func noEffect[T any](why string) func(*T, entry) {
	return func(_ *T, v entry) {
		if v.count(1) > 0 {
			v.useless(why)
		}
	}
}

// read calls the setter of each child of e with to. It reports children that are unknown or given
// twice; in comes before their names in messages. Elements that are not in the table are passed to
// other, which reports whether it knows them; nil knows none.
func (t table[T]) read(f *faults, in string, e *element, to *T, other func(c *element) bool) {
	f.noText(e)
	first := map[string]place{}
	for _, c := range e.children {
		set, known := t[c.name]
		what := in + strings.TrimPrefix(c.name, "@")
		switch {
		case known:
			if f.once(first, c.name, what, c.place) && set != nil {
				if v, ok := c.entry(f, what); ok {
					set(to, v)
				}
			}
		case c.isAttribute():
			f.unknownAttribute(e, c)
		case other != nil && other(c):
		case in != "":
			f.add(c.place, "%sunknown element <%s>%v", in, c.name, t.near(c.name))
		default:
			f.add(c.place, "unknown element <%s> in <%s>%v", c.name, e.name, t.near(c.name))
		}
	}
}

// unknownAttribute adds a problem about an attribute of e.
func (f *faults) unknownAttribute(e, attr *element) {
	f.add(attr.place, "unknown attribute %q of <%s>", attr.name[1:], e.name)
}

// noText adds a problem for text in an element that may contain only elements.
func (f *faults) noText(e *element) {
	if text := bytes.TrimSpace(e.text); len(text) > 0 {
		f.add(e.place, "text %q directly inside <%s>", shorten(string(text)), e.name)
	}
}

// once reports whether key is new in first, and records it; if not, it adds a problem about what.
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
	v, ok = entry{f, e, what, strings.TrimSpace(string(e.text))}, len(e.children) == 0
	for _, c := range e.children {
		if c.isAttribute() {
			f.unknownAttribute(e, c)
		} else {
			f.add(c.place, "<%s> inside <%s>, which holds a value only", c.name, e.name)
		}
	}
	if ok && v.text == "" && !isList(e.name) {
		f.add(e.place, "%s is empty", what)
		ok = false
	}
	return v, ok
}

// onlyProperties returns the <property> elements in e, which may hold nothing else.
func onlyProperties(f *faults, e *element) (list []*element) {
	f.noText(e)
	for _, c := range e.children {
		switch {
		case c.name == "property":
			list = append(list, c)
		case c.isAttribute():
			f.unknownAttribute(e, c)
		default:
			f.add(c.place, "unknown element <%s> in <%s>, want <property>", c.name, e.name)
		}
	}
	return list
}

// properties returns the properties of a <configuration>, each as an element with the property's
// name. It reports and skips repeated ones; first has the earlier ones.
func properties(f *faults, root *element, first map[string]place) (list []*element) {
	for _, e := range onlyProperties(f, root) {
		if p := readProperty(f, e); p != nil && f.once(first, p.name, "property "+p.name, p.place) {
			list = append(list, p)
		}
	}
	return list
}

// propertyElements has the elements that a <property> may have.
var propertyElements = table[element]{
	"name": nil, "value": nil, "description": nil, "source": nil,
	"final": func(_ *element, v entry) { v.yes() },
}

// readProperty reads one <property>; nil if it is wrong.
func readProperty(f *faults, e *element) *element {
	propertyElements.read(f, "", e, nil, nil)
	name, value := e.child("name"), e.child("value")
	if name == nil {
		f.add(e.place, "<property> without a <name>")
		return nil
	}
	v, ok := name.entry(f, "<name>")
	switch {
	case !ok:
		return nil
	case value == nil:
		f.add(e.place, "property %s has no <value>", v.text)
		return nil
	}
	return &element{place: e.place, name: v.text, text: value.text, children: value.children}
}
