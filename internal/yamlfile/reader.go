// Package yamlfile reads YAML files strictly: every error has its position in the file; unknown and
// duplicate keys are errors, and so is a file that is too large.
package yamlfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tarry-mr/tarry/internal/spelling"
	"github.com/tarry-mr/tarry/internal/textfile"
)

// maxBytes limits the size of a file.
const maxBytes = 4 << 20

// Node is an element of a YAML file: a list, a mapping or a plain value.
type Node = *yaml.Node

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

// parse returns the root of a file with one document.
func (r *Reader) parse(text []byte) (Node, error) {
	var list []Node // roots of documents
	for in := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		switch err := in.Decode(&document); {
		case errors.Is(err, io.EOF) && len(list) == 0:
			return nil, r.Refuse(1, "nothing in it")
		case errors.Is(err, io.EOF) && len(list) == 1:
			return list[0], nil
		case errors.Is(err, io.EOF):
			return nil, r.Refuse(1, "%d documents, want one", len(list))
		case err != nil:
			return nil, r.syntaxError(err)
		}
		list = append(list, document.Content...)
	}
}

// syntaxError returns an error of package yaml, such as "yaml: line 3: did not find …", with its place.
func (r *Reader) syntaxError(err error) error {
	line, reason := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(reason, "line %d:", &line); n == 1 {
		_, reason, _ = strings.Cut(reason, ": ")
	}
	return r.Refuse(line, "%s", reason)
}

// Refuse returns an error that names the file and a line, counted from 1.
func (r *Reader) Refuse(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %s", r.Name, line, r.Bad, fmt.Sprintf(format, args...))
}

// Fault returns an error that names the file and n's line and column.
func (r *Reader) Fault(n Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %w: %s", r.Name, n.Line, n.Column, r.Bad, fmt.Sprintf(format, args...))
}

// Mapping calls, for each key of n, the function in fields with the key's value. An unknown or
// repeated key is an error; for an unknown one it suggests a similar key.
func (r *Reader) Mapping(n Node, fields map[string]Field) error {
	if n.Kind != yaml.MappingNode {
		return r.Fault(n, "want keys and values, not %s", KindOf(n))
	}
	seen := map[string]bool{}
	for pair := range slices.Chunk(n.Content, 2) {
		key := pair[0].Value
		read, known := fields[key]
		if !known {
			near := spelling.Closest(key, slices.Sorted(maps.Keys(fields)))
			if near != "" {
				near = fmt.Sprintf(", did you mean %q?", near)
			}
			return r.Fault(pair[0], "unknown key %.40q%s", key, near)
		}
		if seen[key] {
			return r.Refuse(pair[0].Line, "mapping key %q already defined", key)
		}
		seen[key] = true
		if err := read(pair[1]); err != nil {
			return err
		}
	}
	return nil
}

// kinds names the kinds of nodes in messages.
var kinds = map[string]string{
	"!!map": "mapping", "!!seq": "sequence", "!!str": "string", "!!int": "integer", "!!float": "float", "!!bool": "bool", "!!null": "null",
}

// KindOf returns the name of a node's kind for messages.
func KindOf(n Node) string {
	if n.Kind == yaml.AliasNode {
		return "alias"
	}
	return cmp.Or(kinds[n.ShortTag()], n.ShortTag())
}

// IsList reports whether a node is a list.
func IsList(n Node) bool { return n.Kind == yaml.SequenceNode }

// Each calls read with each item of a list; if n is not a list, it returns an error.
func (r *Reader) Each(n Node, read Field) error {
	if !IsList(n) {
		return r.Fault(n, "want a list, not %s", KindOf(n))
	}
	for _, item := range n.Content {
		if err := read(item); err != nil {
			return err
		}
	}
	return nil
}

// Scalar returns the text of a string, number or boolean; other values are errors.
func (r *Reader) Scalar(n Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" {
		return "", r.Fault(n, "want a plain value, not %s", KindOf(n))
	}
	return n.Value, nil
}

// Truth reads true or false.
func (r *Reader) Truth(to *bool) Field {
	return func(n Node) error {
		if n.ShortTag() != "!!bool" {
			return r.Fault(n, "want true or false, not %s", KindOf(n))
		}
		*to = strings.EqualFold(n.Value, "true")
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
