package allocation

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of a configuration file; a file that exceeds one is rejected.
const (
	maxFileBytes = 4 << 20
	maxDepth     = 32
	maxElements  = 500_000 // and attributes
)

// byteOrderMark is written before UTF-8 by some editors.
const byteOrderMark = "\xef\xbb\xbf"

// element is an XML element, or an attribute, whose name then begins with @. A Hadoop property is
// kept as an element too: its name and value are the element's name and text.
type element struct {
	place
	name     string
	children []*element // attributes first
	text     []byte     // all character data directly in it, not trimmed
}

func (e *element) isAttribute() bool { return strings.HasPrefix(e.name, "@") }

// document returns the root element of a file. If the file is not well-formed, it adds one problem
// and returns nil.
func (r *reader) document(s Source) *element {
	limited := &io.LimitedReader{R: s.Reader, N: maxFileBytes + 1}
	text := bufio.NewReader(limited)
	if start, _ := text.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, _ = text.Discard(len(byteOrderMark))
	}
	d := document{dec: xml.NewDecoder(text), at: place{s.Name, 1}}
	var file element // its only child is the root
	err := d.read(&file, 0)
	syntax, malformed := errors.AsType[*xml.SyntaxError](err)
	switch {
	case limited.N <= 0:
		r.add(place{file: s.Name}, "larger than %d bytes", maxFileBytes)
	case malformed:
		r.add(place{s.Name, syntax.Line}, "not well-formed XML: %s", syntax.Msg)
	case !errors.Is(err, io.EOF):
		r.add(d.at, "%w", err)
	case len(file.children) == 0:
		r.add(place{file: s.Name}, "no root element: the file is empty")
	default:
		return file.children[0]
	}
	return nil
}

// document is the state of reading an XML file.
type document struct {
	dec *xml.Decoder
	at  place // the token that is read
	n   int   // elements so far
}

// read reads the content of e up to its end tag; depth is the number of open elements.
func (d *document) read(e *element, depth int) error {
	for {
		d.at.line, _ = d.dec.InputPos()
		token, err := d.dec.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.EndElement:
			return nil
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(t)) > 0 {
				return fmt.Errorf("text %q outside the root element", shorten(string(t)))
			}
			e.text = append(e.text, t...)
		case xml.StartElement:
			child := &element{place: d.at, name: fullName(t.Name)}
			for _, a := range t.Attr {
				attr := &element{place: d.at, name: "@" + fullName(a.Name), text: []byte(a.Value)}
				child.children = append(child.children, attr)
			}
			d.n += 1 + len(t.Attr)
			switch {
			case d.n > maxElements:
				return fmt.Errorf("more than %d elements and attributes", maxElements)
			case depth >= maxDepth:
				return fmt.Errorf("elements nest deeper than %d", maxDepth)
			case depth == 0 && len(e.children) > 0:
				return fmt.Errorf("a second root element <%s>", child.name)
			}
			e.children = append(e.children, child)
			if err := d.read(child, depth+1); err != nil {
				return err
			}
		}
	}
}

// fullName returns the name of an element or attribute as NAMESPACE:NAME, or NAME without one.
func fullName(n xml.Name) string {
	if n.Space == "" {
		return shorten(n.Local)
	}
	return shorten(n.Space) + ":" + shorten(n.Local)
}

// child returns the first child with that name; nil if none.
func (e *element) child(name string) *element {
	for _, c := range e.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// maxShown is the maximum number of characters of input in a message.
const maxShown = 40

// shorten limits input to maxShown characters, so that messages fit on a line.
func shorten(s string) string {
	s = strings.TrimSpace(s)
	n := 0
	for i := range s {
		if n++; n > maxShown {
			return s[:i] + "…"
		}
	}
	return s
}

// alternatives joins words for a message: "a, b or c" if comma is ", " and or is " or ".
func alternatives(words []string, comma, or string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], comma) + or + words[last]
}
