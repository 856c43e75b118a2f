package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
)

// ReadYAML reads a workload file of our own form:
//
//	name: two pools
//	block: 128MiB               # of inputs given in maps; 128MiB if left out
//	files:
//	  - {name: logs, blocks: 1440, replicas: 3}
//	jobs:
//	  - name: scan              # every line but maps or input may be left out
//	    count: 20               # so many jobs, scan-1 … scan-20
//	    gap: exponential 14s    # between them, and before the first one of the next entry
//	    at: 10s                 # of the first; or after: NAME
//	    maps: uniform 5 500     # or input: 64GB, in blocks
//	    file: logs
//	    reduces: 3
//	    shuffle: 10GB           # of all maps; or shuffle_ratio: 0.25 of the input
//	    output: 1GB             # or output_ratio
//	    map_time: 12s           # computing besides reading
//	    reduce_time: 1m
//	    spread: 0.2             # sigma of a lognormal factor on each task's computing time
//	    setup: 1s
//	    cpu: 2
//	    skew: {zipf: 1, shares: 0.5, cells: 0.2}
//	    pool: research
//	    user: ann
//	    queue: default
//	    priority: HIGH
//	    class: small
//	    slow_start: 0.5
//	    slots: 1
//	    no_suspend: true
//	    no_location: true
//	    known_times: true
//
// Numbers, sizes and times may be distributions ("14", "exponential 14s", "uniform 5 500",
// "lognormal 100 1.2", "zipf 20 1"), drawn from r for each job. Errors wrap ErrFormat and start
// with file, line and column; an unknown key is an error.
func ReadYAML(in io.Reader, name string, r *rand.Rand) (Workload, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxYAML+1))
	if err != nil {
		return Workload{}, fmt.Errorf("workload: reading %s: %w", name, err)
	}
	if len(text) > maxYAML {
		return Workload{}, refuse(name, 1, "longer than %d bytes", maxYAML)
	}
	if line := notText(text); line > 0 {
		return Workload{}, refuse(name, line, "not text: a NUL byte, or not UTF-8")
	}
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	p := yamlReader{name: name, r: r, block: DefaultBlock, files: map[string]int{}}
	root, err := p.parse(text)
	if err != nil {
		return Workload{}, err
	}
	err = p.mapping(root, map[string]field{
		"name":  p.text(&p.w.Name),
		"block": func(n ast.Node) error { return p.bytes(&p.block)(n) },
		"files": func(n ast.Node) error { return p.each(n, p.readFile) },
		"jobs":  func(n ast.Node) error { p.jobs = n; return nil }, // after block and files, wherever they stand
	})
	if err != nil {
		return Workload{}, err
	}
	if p.jobs == nil {
		return Workload{}, p.fault(root, "no jobs in it")
	}
	if p.block < 1 {
		return Workload{}, p.fault(root, "block of %d bytes", p.block)
	}
	if err := p.each(p.jobs, p.readJob); err != nil {
		return Workload{}, err
	}
	p.sort()
	if err := p.w.Validate(); err != nil {
		return Workload{}, refuse(name, 1, "%v", err)
	}
	return p.w, nil
}

// yamlReader walks the syntax tree, so that every fault has its line.
type yamlReader struct {
	name   string
	r      *rand.Rand
	w      Workload
	block  int64
	files  map[string]int
	jobs   ast.Node
	tasks  int           // of all jobs so far
	blocks int64         // of all files so far, each as often as it has replicas
	at     time.Duration // where the next entry without a time starts
}

// field reads the value of one key.
type field func(n ast.Node) error

// fault makes the error for a node.
func (p *yamlReader) fault(n ast.Node, format string, args ...any) error {
	line, col := 1, 1
	if n != nil {
		if t := n.GetToken(); t != nil && t.Position != nil {
			line, col = t.Position.Line, t.Position.Column
		}
	}
	return fmt.Errorf("%s:%d:%d: %w: %s", p.name, line, col, ErrFormat, fmt.Sprintf(format, args...))
}

// parse gives the root of the only document.
func (p *yamlReader) parse(text []byte) (ast.Node, error) {
	tokens := lexer.Tokenize(string(text))
	if at, reason := yamlBeyond(tokens); at != nil {
		return nil, fmt.Errorf("%s:%d:%d: %w: %s", p.name, at.Position.Line, at.Position.Column, ErrFormat, reason)
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		line := 1
		var syntax yaml.Error
		if errors.As(err, &syntax) && syntax.GetToken() != nil && syntax.GetToken().Position != nil {
			return nil, refuse(p.name, syntax.GetToken().Position.Line, "%s", syntax.GetMessage())
		}
		return nil, refuse(p.name, line, "%v", err)
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return nil, refuse(p.name, 1, "%d documents, want one", len(file.Docs))
	}
	return file.Docs[0].Body, nil
}

// mapping hands each key's value to its field.
func (p *yamlReader) mapping(n ast.Node, fields map[string]field) error {
	var values []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		return p.fault(n, "want keys and values, not %s", kindOf(n))
	}
	seen := map[string]bool{}
	for _, v := range values {
		key := v.Key.GetToken().Value
		read, known := fields[key]
		if !known {
			return p.fault(v.Key, "unknown key %.40q", key)
		}
		if seen[key] {
			return p.fault(v.Key, "key %q twice", key)
		}
		seen[key] = true
		if err := read(v.Value); err != nil {
			return err
		}
	}
	return nil
}

// kindOf names a node's kind for people.
func kindOf(n ast.Node) string {
	if n == nil {
		return "nothing"
	}
	return strings.ToLower(n.Type().String())
}

// each hands the items of a list to read.
func (p *yamlReader) each(n ast.Node, read func(ast.Node) error) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return p.fault(n, "want a list, not %s", kindOf(n))
	}
	for _, item := range list.Values {
		if err := read(item); err != nil {
			return err
		}
	}
	return nil
}

// scalar gives the text of a plain value.
func (p *yamlReader) scalar(n ast.Node) (string, error) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, nil
	}
	return "", p.fault(n, "want a plain value, not %s", kindOf(n))
}

// value reads a plain value by parse.
func value[T any](p *yamlReader, to *T, parse func(string) (T, error)) field {
	return func(n ast.Node) error {
		s, err := p.scalar(n)
		if err != nil {
			return err
		}
		if *to, err = parse(s); err != nil {
			return p.fault(n, "%v", err)
		}
		return nil
	}
}

// text reads a string.
func (p *yamlReader) text(to *string) field {
	return value(p, to, func(s string) (string, error) {
		if len(s) > maxNameLen {
			return "", fmt.Errorf("name of %d bytes", len(s))
		}
		return s, nil
	})
}

// dist reads a distribution.
func (p *yamlReader) dist(to **Dist, number func(string) (float64, error)) field {
	return value(p, to, func(s string) (*Dist, error) {
		d, err := parseDist(s, number)
		if err != nil {
			if v, whole := number(s); whole == nil { // a size with a space in it: 1.5 GB
				return &Dist{A: v}, nil
			}
		}
		return &d, err
	})
}

// bytes reads a fixed size.
func (p *yamlReader) bytes(to *int64) field {
	return value(p, to, func(s string) (int64, error) {
		f, err := parseBytes(s)
		return int64(f), err
	})
}

// count reads a fixed whole number from 1 to high.
func (p *yamlReader) count(to *int, high int) field {
	return value(p, to, func(s string) (int, error) {
		f, err := parsePlain(s, float64(high))
		if err != nil || f != float64(int(f)) || f < 1 {
			return 0, fmt.Errorf("%.40q is not a whole number from 1 to %d", s, high)
		}
		return int(f), nil
	})
}

// plain reads a number from 0 to top.
func (p *yamlReader) plain(to *float64, top float64) field {
	return value(p, to, func(s string) (float64, error) { return parsePlain(s, top) })
}

// truth reads true or false.
func (p *yamlReader) truth(to *bool) field {
	return func(n ast.Node) error {
		b, ok := n.(*ast.BoolNode)
		if !ok {
			return p.fault(n, "want true or false, not %s", kindOf(n))
		}
		*to = b.Value
		return nil
	}
}
