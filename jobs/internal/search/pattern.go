package search

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Options change what a pattern matches.
type Options struct {
	// Fixed takes the pattern as the text itself, not as a regular expression.
	Fixed bool
	// IgnoreCase lets letters match in either case (Unicode simple folding).
	IgnoreCase bool
}

// Pattern is a compiled pattern. It may be used by several goroutines at once.
type Pattern struct {
	re      *regexp.Regexp
	needles []needle // every match holds one of these; empty if nothing is known of the matches
	exact   bool     // a line that holds a needle matches: re need not be asked
	all     bool     // every line matches
	reach   int      // a match has at most so many bytes; 0 if that is not known
}

// Compile makes a Pattern. A pattern of several lines matches what any of its lines matches, as in
// grep. The error names the pattern and what is wrong with it.
func Compile(pattern string, o Options) (*Pattern, error) {
	parts := strings.Split(pattern, "\n")
	for i, p := range parts {
		if o.Fixed {
			parts[i] = regexp.QuoteMeta(p)
		} else if _, err := syntax.Parse(p, syntax.Perl); err != nil {
			return nil, &fault{p, err}
		}
	}
	expr := parts[0]
	if len(parts) > 1 {
		expr = "(?:" + strings.Join(parts, ")|(?:") + ")"
	}
	if o.IgnoreCase {
		expr = "(?i:" + expr + ")"
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, &fault{pattern, err}
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, &fault{pattern, err}
	}
	p := &Pattern{re: re, all: tree.Op == syntax.OpEmptyMatch, reach: reachOf(tree)}
	found := required(tree)
	p.exact = found.exact
	for _, l := range found.any {
		p.needles = append(p.needles, newNeedle(l))
	}
	return p, nil
}

// Matches calls visit with every match in a line, given without its line feed, from left to right
// and not overlapping; empty matches are left out.
func (p *Pattern) Matches(line []byte, visit func(match []byte)) {
	for _, at := range p.re.FindAllIndex(line, -1) {
		if at[0] < at[1] {
			visit(line[at[0]:at[1]])
		}
	}
}
