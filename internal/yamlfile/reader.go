// Package yamlfile reads YAML files strictly: every error has its position in the file; unknown and
// duplicate keys are errors, and so is a file that is too large or too deeply nested.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/tarry-mr/tarry/internal/spelling"
	"github.com/tarry-mr/tarry/internal/textfile"
)

// Node is an element of a YAML file: a list, a mapping or a plain value.
type Node = ast.Node

// Field reads the value of one key.
type Field func(n Node) error

// Reader reads one file.
type Reader struct {
	Name string // name of the file, with which each error begins
	Bad  error  // error that each returned error wraps
}

// Root reads a file of at most 4 MiB and returns the root of its only document.
func (r *Reader) Root(in io.Reader) (Node, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", r.Name, err)
	}
	if len(text) > maxBytes {
		return nil, r.Refuse(1, "longer than %d bytes", maxBytes)
	}
	if line := textfile.NotText(text); line > 0 {
		return nil, r.Refuse(line, "%v", textfile.ErrNotText)
	}
	return r.parse(bytes.TrimPrefix(text, []byte(textfile.ByteOrderMark)))
}

func (r *Reader) parse(text []byte) (Node, error) {
	tokens := lexer.Tokenize(string(text))
	if at, reason := beyond(tokens); at != nil {
		return nil, fmt.Errorf("%s:%d:%d: %w: %s", r.Name, at.Position.Line, at.Position.Column, r.Bad, reason)
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		var syntax syntaxError
		if errors.As(err, &syntax) && syntax.GetToken() != nil && syntax.GetToken().Position != nil {
			return nil, r.Refuse(syntax.GetToken().Position.Line, "%s", syntax.GetMessage())
		}
		return nil, r.Refuse(1, "%v", err)
	}
	switch {
	case len(file.Docs) > 1:
		return nil, r.Refuse(1, "%d documents, want one", len(file.Docs))
	case len(file.Docs) == 0 || file.Docs[0].Body == nil:
		return nil, r.Refuse(1, "nothing in it")
	}
	return file.Docs[0].Body, nil
}

// syntaxError is implemented by the parser's errors. go-yaml declares it too, but in a package that
// would add a decoder to the playground's WebAssembly module.
type syntaxError interface {
	error
	GetToken() *token.Token
	GetMessage() string
}

// Refuse returns an error that names the file and a line, counted from 1.
func (r *Reader) Refuse(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %s", r.Name, line, r.Bad, fmt.Sprintf(format, args...))
}

// Fault returns an error that names the file and n's line and column.
func (r *Reader) Fault(n Node, format string, args ...any) error {
	line, col := 1, 1
	if n != nil {
		if t := n.GetToken(); t != nil && t.Position != nil {
			line, col = t.Position.Line, t.Position.Column
		}
	}
	return fmt.Errorf("%s:%d:%d: %w: %s", r.Name, line, col, r.Bad, fmt.Sprintf(format, args...))
}

// Mapping calls, for each key of n, the function in fields with the key's value. An unknown or
// repeated key is an error; for an unknown one it suggests a similar key.
func (r *Reader) Mapping(n Node, fields map[string]Field) error {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		return r.Fault(n, "want keys and values, not %s", KindOf(n))
	}
	seen := map[string]bool{}
	for _, v := range values {
		key := v.Key.GetToken().Value
		read, known := fields[key]
		if !known {
			near := spelling.Closest(key, slices.Sorted(maps.Keys(fields)))
			if near != "" {
				near = fmt.Sprintf(", did you mean %q?", near)
			}
			return r.Fault(v.Key, "unknown key %.40q%s", key, near)
		}
		if seen[key] {
			return r.Fault(v.Key, "key %q twice", key)
		}
		seen[key] = true
		if err := read(v.Value); err != nil {
			return err
		}
	}
	return nil
}

// KindOf returns the name of a node's kind for messages.
func KindOf(n Node) string {
	if n == nil {
		return "nothing"
	}
	return strings.ToLower(n.Type().String())
}

// IsList reports whether a node is a list.
func IsList(n Node) bool {
	_, ok := n.(*ast.SequenceNode)
	return ok
}

// Each calls read with each item of a list; if n is not a list, it returns an error.
func (r *Reader) Each(n Node, read Field) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return r.Fault(n, "want a list, not %s", KindOf(n))
	}
	for _, item := range list.Values {
		if err := read(item); err != nil {
			return err
		}
	}
	return nil
}

// Scalar returns the text of a string, number or boolean; other values are errors.
func (r *Reader) Scalar(n Node) (string, error) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, nil
	}
	return "", r.Fault(n, "want a plain value, not %s", KindOf(n))
}

// Truth reads true or false.
func (r *Reader) Truth(to *bool) Field {
	return func(n Node) error {
		b, ok := n.(*ast.BoolNode)
		if !ok {
			return r.Fault(n, "want true or false, not %s", KindOf(n))
		}
		*to = b.Value
		return nil
	}
}

// Value returns a Field that parses a plain value into *to. Errors of parse get the position.
func Value[T any](r *Reader, to *T, parse func(string) (T, error)) Field {
	return func(n Node) error {
		s, err := r.Scalar(n)
		if err != nil {
			return err
		}
		if *to, err = parse(s); err != nil {
			return r.Fault(n, "%v", err)
		}
		return nil
	}
}
