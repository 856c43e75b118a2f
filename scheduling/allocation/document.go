package allocation

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Limits of a configuration file; a file that exceeds one is rejected.
const (
	maxFileBytes = 4 << 20
	maxDepth     = 32
	maxElements  = 250_000
	maxAttrs     = 32 // of one element
)

// byteOrderMark is written before UTF-8 by some editors.
const byteOrderMark = "\xef\xbb\xbf"

// element is one element of a file, or a property treated as one: the property's name and value are
// the element's name and text.
type element struct {
	place
	name     string
	attrs    []xml.Attr
	children []*element
	text     []byte // all character data directly in it, not trimmed
}

// readDocument returns the root element of r. If the file is not well-formed, it adds one problem
// and returns nil.
func readDocument(f *faults, name string, r io.Reader) *element {
	limited := &io.LimitedReader{R: r, N: maxFileBytes + 1}
	text := bufio.NewReader(limited)
	if start, _ := text.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, _ = text.Discard(len(byteOrderMark))
	}
	b, at := builder{dec: xml.NewDecoder(text)}, place{name, 1}
	var err error
	for err == nil {
		at.line, _ = b.dec.InputPos()
		var token xml.Token
		if token, err = b.dec.Token(); err == nil {
			err = b.take(token, at)
		}
	}
	var syntax *xml.SyntaxError
	switch {
	case limited.N <= 0:
		f.add(place{file: name}, "larger than %d bytes", maxFileBytes)
	case errors.As(err, &syntax):
		f.add(place{name, syntax.Line}, "not well-formed XML: %s", syntax.Msg)
	case !errors.Is(err, io.EOF):
		f.addCause(err, at, "%v", err)
	case b.root == nil:
		f.add(place{file: name}, "no root element: the file is empty")
	default:
		return b.root
	}
	return nil
}

// builder builds the tree from tokens.
type builder struct {
	dec  *xml.Decoder
	root *element
	open []*element
	n    int // elements so far
}

// take adds one token.
func (b *builder) take(token xml.Token, at place) error {
	switch t := token.(type) {
	case xml.StartElement:
		return b.start(t, at)
	case xml.EndElement:
		b.open = b.open[:len(b.open)-1]
	case xml.CharData:
		if len(b.open) > 0 {
			top := b.open[len(b.open)-1]
			top.text = append(top.text, t...)
		} else if strings.TrimSpace(string(t)) != "" {
			return fmt.Errorf("text %q outside the root element", shorten(string(t)))
		}
	}
	return nil
}

// start opens an element.
func (b *builder) start(t xml.StartElement, at place) error {
	e := &element{place: at, name: shorten(t.Name.Local), attrs: t.Attr}
	if t.Name.Space != "" {
		e.name = shorten(t.Name.Space) + ":" + e.name
	}
	b.n++
	switch {
	case b.n > maxElements:
		return fmt.Errorf("more than %d elements", maxElements)
	case len(t.Attr) > maxAttrs:
		return fmt.Errorf("<%s> has more than %d attributes", e.name, maxAttrs)
	case len(b.open) >= maxDepth:
		return fmt.Errorf("elements nest deeper than %d", maxDepth)
	case len(b.open) > 0:
		top := b.open[len(b.open)-1]
		top.children = append(top.children, e)
	case b.root != nil:
		return fmt.Errorf("a second root element <%s>", e.name)
	default:
		b.root = e
	}
	b.open = append(b.open, e)
	return nil
}

// container adds problems for text in an element that may contain only elements, and for attributes
// other than the allowed ones.
func (e *element) container(f *faults, allowed ...string) {
	e.noAttrs(f, allowed...)
	if text := bytes.TrimSpace(e.text); len(text) > 0 {
		f.add(e.place, "text %q directly inside <%s>", shorten(string(text)), e.name)
	}
}

// noAttrs adds a problem for each attribute other than the allowed ones.
func (e *element) noAttrs(f *faults, allowed ...string) bool {
	ok := true
	for _, a := range e.attrs {
		if a.Name.Space != "" || !slices.Contains(allowed, a.Name.Local) {
			f.add(e.place, "unknown attribute %q of <%s>", shorten(a.Name.Local), e.name)
			ok = false
		}
	}
	return ok
}

// attr returns the attribute's value and the number of times it is given.
func (e *element) attr(name string) (value string, times int) {
	for _, a := range e.attrs {
		if a.Name.Space == "" && a.Name.Local == name {
			value = a.Value
			times++
		}
	}
	return value, times
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
