package search

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/tarry-mr/tarry/jobs/internal/dfa"
)

// Options change what a pattern matches.
type Options struct {
	// Fixed treats the pattern as literal text instead of a regular expression.
	Fixed bool
	// IgnoreCase ignores the case of letters (Unicode simple folding).
	IgnoreCase bool
	// Word accepts a match only if the characters before and after it are not ASCII letters, digits
	// or underscores.
	Word bool
}

// Pattern is a compiled pattern. It is safe for concurrent use.
type Pattern struct {
	re      *regexp.Regexp
	needles needles // every match contains one of these; none if nothing is known
	exact   bool    // a line that contains a needle matches: re is not needed
	all     bool    // every line matches

	// With Options.Word, the first group of re and later is the match, between its neighbors. later
	// finds the matches after the first.
	later *regexp.Regexp

	lines    *dfa.Program // decides which lines match; nil if needles do, or if it would be too large
	minMatch int          // minimum length of a match in bytes
	selects  bool         // examine only lines that contain a needle or, without needles, are long enough

	mu      sync.Mutex
	memory  int64     // maximum bytes of states per finder; 0: default
	finders []*finder // idle finders, at most one per concurrent goroutine
}

// The expressions that Options.Word puts around a pattern.
const (
	noWord = `[^0-9A-Za-z_]`
	before = `(?:^|` + noWord + `)`
	behind = `(?:$|` + noWord + `)`
)

// Compile compiles a pattern. A pattern of several lines matches whatever one of its lines matches,
// as in grep. The error names the pattern and its mistake.
func Compile(pattern string, o Options) (*Pattern, error) {
	parts := strings.Split(pattern, "\n")
	for i, p := range parts {
		if o.Fixed {
			parts[i] = regexp.QuoteMeta(p)
		} else if _, err := syntax.Parse(p, syntax.Perl); err != nil {
			return nil, fault(p, err)
		}
	}
	expr := parts[0]
	if len(parts) > 1 {
		expr = "(?:" + strings.Join(parts, ")|(?:") + ")"
	}
	if o.IgnoreCase {
		expr = "(?i:" + expr + ")"
	}
	var later *regexp.Regexp
	if o.Word {
		var err error
		if later, err = regexp.Compile(noWord + `(` + expr + `)` + behind); err != nil {
			return nil, fault(pattern, err)
		}
		expr = before + `(` + expr + `)` + behind
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, fault(pattern, err)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, fault(pattern, err)
	}
	p := &Pattern{re: re, later: later, all: tree.Op == syntax.OpEmptyMatch, minMatch: least(tree)}
	p.choose(tree)
	return p, nil
}

// shortNeedle is the maximum length, in bytes, of a needle so frequent that searching for the
// beginnings of matches is faster.
const shortNeedle = 3

// choose decides whether to examine only lines with a needle, or long enough for a match. It does
// so for one good needle or very long matches; otherwise only if package dfa cannot skip.
func (p *Pattern) choose(tree *syntax.Regexp) {
	found := required(tree)
	p.exact = found.exact
	if len(found.any) > 0 {
		p.needles = newNeedles(found.any)
	}
	good := len(found.any) == 1 && (p.exact || len(found.any[0].text) > shortNeedle)
	if !p.all && !(good && p.exact) {
		if lines, err := dfa.Compile(tree); err == nil {
			p.lines, p.all = lines, lines.All
		}
	}
	p.selects = good || p.minMatch >= longLeast ||
		!p.lines.Skips() && (len(found.any) > 0 || p.minMatch >= shortLeast)
}

// Within limits the memory in which each concurrent goroutine caches states to about this many
// bytes, at least 128 KiB; 0 means the default. It may be called at any time, and applies from the
// next chunk on.
func (p *Pattern) Within(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.memory = bytes
}

// Matches calls visit with the position line[from:to] of every match in a line without its line
// feed, from left to right, non-overlapping and non-empty.
func (p *Pattern) Matches(line []byte, visit func(from, to int)) {
	if p.later != nil {
		p.words(line, visit)
		return
	}
	for _, at := range p.re.FindAllIndex(line, -1) {
		if at[0] < at[1] {
			visit(at[0], at[1])
		}
	}
}

// words is Matches with Options.Word. A match of re includes its neighbors. The search for the next
// match starts at the last byte of this one, since that may be the neighbor before the next.
func (p *Pattern) words(line []byte, visit func(from, to int)) {
	re, cut := p.re, 0
	for {
		at := re.FindSubmatchIndex(line[cut:])
		if at == nil {
			return
		}
		from, to := cut+at[2], cut+at[3]
		if from < to {
			visit(from, to)
		} else {
			to++ // skip an empty match
		}
		if to > len(line) {
			return
		}
		re, cut = p.later, to-1
	}
}
