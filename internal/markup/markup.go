// Package markup writes HTML in which no value becomes markup.
//
// It is not html/template, because whatever links that in keeps every exported method of every type:
// the linker cannot know which of them a template calls.
package markup

import (
	"bytes"
	"fmt"
	"html"
)

// Writer collects a document. The zero value is an empty one; it is not safe for concurrent use.
type Writer struct{ document bytes.Buffer }

// Put adds markup with a value in the place of each %s. Values are escaped: a %s stands in text or
// within a quoted attribute that is neither a script, a style nor an address of the value's choice.
func (w *Writer) Put(markup string, values ...any) {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = html.EscapeString(fmt.Sprint(v))
	}
	fmt.Fprintf(&w.document, markup, escaped...)
}

// PutIf is Put if a condition holds.
func (w *Writer) PutIf(holds bool, markup string, values ...any) {
	if holds {
		w.Put(markup, values...)
	}
}

// Raw adds what is markup already.
func (w *Writer) Raw(markup []byte) { w.document.Write(markup) }

// Bytes is the document.
func (w *Writer) Bytes() []byte { return w.document.Bytes() }
