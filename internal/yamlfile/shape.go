package yamlfile

import (
	"github.com/goccy/go-yaml/token"
)

// Limits of a file. Parsing takes time quadratic in the depth and in the number of keys, so tokens
// are checked against the limits before a file is parsed.
const (
	maxBytes = 4 << 20 // parsing takes up to 200 times as much memory
	maxDepth = 12      // nested lists and mappings; a workload has five levels
	maxKeys  = 64      // in one mapping; a job has thirty
)

// shape tracks which lists and mappings are open after each token of a file.
type shape struct {
	blocks []block
	flows  []int // per open [ or {: keys so far; -1 for a list
}

// block is an open list or mapping that is written by indentation, without brackets.
type block struct {
	column int
	list   bool
	keys   int
}

// beyond returns the first token that exceeds a limit, and the reason; nil if all limits hold.
func beyond(tokens token.Tokens) (at *token.Token, reason string) {
	var s shape
	for _, t := range tokens {
		if t.Position == nil {
			continue
		}
		if reason := s.take(t); reason != "" {
			return t, reason
		}
	}
	return nil, ""
}

// take processes one token. It returns which limit the token exceeds, or "".
func (s *shape) take(t *token.Token) string {
	keys := 0
	switch t.Type {
	case token.SequenceStartType:
		s.flows = append(s.flows, -1)
	case token.MappingStartType:
		s.flows = append(s.flows, 1)
	case token.SequenceEndType, token.MappingEndType:
		if n := len(s.flows); n > 0 {
			s.flows = s.flows[:n-1]
		}
	case token.CollectEntryType:
		if n := len(s.flows); n > 0 && s.flows[n-1] >= 0 {
			s.flows[n-1]++
			keys = s.flows[n-1]
		}
	case token.SequenceEntryType:
		if len(s.flows) == 0 {
			s.entry(t.Position.Column, true)
		}
	case token.MappingKeyType, token.MappingValueType, token.MergeKeyType:
		if len(s.flows) == 0 {
			if t.Type == token.MappingValueType && t.Prev != nil && t.Prev.Position != nil {
				t = t.Prev // the key, whose column is the mapping's
			}
			keys = s.entry(t.Position.Column, false)
		}
	default:
	}
	switch {
	case len(s.blocks)+len(s.flows) > maxDepth:
		return "lists and mappings nest too deep"
	case keys > maxKeys:
		return "too many keys in one mapping"
	}
	return ""
}

// entry adds an item or key at a column, and returns how many keys its mapping then has.
func (s *shape) entry(column int, list bool) int {
	n := len(s.blocks)
	for n > 0 && (s.blocks[n-1].column > column ||
		s.blocks[n-1].column == column && s.blocks[n-1].list && !list) {
		n--
	}
	s.blocks = s.blocks[:n]
	if n == 0 || s.blocks[n-1].column < column || s.blocks[n-1].list != list {
		s.blocks = append(s.blocks, block{column: column, list: list})
	}
	top := &s.blocks[len(s.blocks)-1]
	top.keys++
	if list {
		return 0
	}
	return top.keys
}
