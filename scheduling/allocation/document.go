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

// Limits of a configuration file; more is refused rather than read.
const (
	maxFileBytes = 4 << 20
	maxDepth     = 32
	maxElements  = 250_000
	maxAttrs     = 32 // of one element
)

// byteOrderMark is what some editors put before UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// element is one element of a file, with the line on which it starts.
type element struct {
	name     string
	line     int
	attrs    []xml.Attr
	children []*element
	text     []byte // all character data directly in it, not trimmed
}

// readDocument reads the one root element of r. What is not well-formed is a single Problem.
func readDocument(f *faults, r io.Reader) *element {
	limited := &io.LimitedReader{R: r, N: maxFileBytes + 1}
	text := bufio.NewReader(limited)
	if start, _ := text.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, _ = text.Discard(len(byteOrderMark))
	}
	b := builder{dec: xml.NewDecoder(text)}
	line, err := 1, error(nil)
	for err == nil {
		line, _ = b.dec.InputPos()
		var token xml.Token
		if token, err = b.dec.Token(); err == nil {
			err = b.take(token, line)
		}
	}
	var syntax *xml.SyntaxError
	switch {
	case limited.N <= 0:
		f.add(0, "larger than %d bytes", maxFileBytes)
	case errors.As(err, &syntax):
		f.add(syntax.Line, "not well-formed XML: %s", syntax.Msg)
	case !errors.Is(err, io.EOF):
		f.addCause(err, line, "%v", err)
	case b.root == nil:
		f.add(0, "no root element: the file is empty")
	default:
		return b.root
	}
	return nil
}

// builder makes the tree while tokens come in.
type builder struct {
	dec  *xml.Decoder
	root *element
	open []*element
	n    int // elements so far
}

// take adds one token that starts on line.
func (b *builder) take(token xml.Token, line int) error {
	switch t := token.(type) {
	case xml.StartElement:
		return b.start(t, line)
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
func (b *builder) start(t xml.StartElement, line int) error {
	e := &element{name: shorten(t.Name.Local), line: line, attrs: t.Attr}
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

// value is the element's text without spaces around it. Children, attributes and emptiness are
// noted as errors, and ok is false.
func (e *element) value(f *faults) (text string, ok bool) {
	text = strings.TrimSpace(string(e.text))
	if !e.plain(f) {
		return "", false
	}
	if text == "" {
		f.add(e.line, "<%s> is empty", e.name)
		return "", false
	}
	return text, true
}

// plain notes children and attributes, which an element that holds a value has none of.
func (e *element) plain(f *faults) bool {
	ok := e.noAttrs(f)
	for _, c := range e.children {
		f.add(c.line, "<%s> inside <%s>, which holds a value only", c.name, e.name)
		ok = false
	}
	return ok
}

// container notes text in an element that holds elements only.
func (e *element) container(f *faults) {
	if text := bytes.TrimSpace(e.text); len(text) > 0 {
		f.add(e.line, "text %q directly inside <%s>", shorten(string(text)), e.name)
	}
}

// noAttrs notes every attribute but the allowed ones.
func (e *element) noAttrs(f *faults, allowed ...string) bool {
	ok := true
next:
	for _, a := range e.attrs {
		for _, name := range allowed {
			if a.Name.Space == "" && a.Name.Local == name {
				continue next
			}
		}
		f.add(e.line, "unknown attribute %q of <%s>", shorten(a.Name.Local), e.name)
		ok = false
	}
	return ok
}

// attr is the attribute's value and how often it stands there.
func (e *element) attr(name string) (value string, times int) {
	for _, a := range e.attrs {
		if a.Name.Space == "" && a.Name.Local == name {
			value = a.Value
			times++
		}
	}
	return value, times
}

// maxShown is how many characters of somebody else's text a message shows.
const maxShown = 40

// shorten keeps messages to a line.
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
