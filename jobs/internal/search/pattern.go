package search

import (
	"bytes"
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
	re       *regexp.Regexp
	all      bool         // every line matches
	exact    bool         // a line that contains the needle matches: re is not needed
	lines    *dfa.Program // decides which lines match; nil if the above do, or if it would be too large
	minMatch int          // minimum length of a match in bytes
	needles  *needles     // every match contains one of these texts; nil if there are none

	// candidate returns the start of the first line of a chunk that can match, from a start of a line
	// on, or the chunk's length. It is nil if all lines can match.
	candidate func(chunk []byte, from int) int

	// With Options.Word, the first group of re and later is the match, between its neighbors. later
	// finds the matches after the first.
	later *regexp.Regexp

	mu   sync.Mutex
	idle []*dfa.Searcher // at most one per concurrent goroutine
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

// choose decides how to find candidates, and whether package dfa examines only these. It does so
// for one good needle or very long matches; otherwise only if it cannot skip.
func (p *Pattern) choose(tree *syntax.Regexp) {
	any, exact := required(tree)
	switch {
	case len(any) > 0:
		p.needles, p.candidate, p.exact = newNeedles(any), p.lineWithNeedle, exact
	case p.minMatch >= shortLeast:
		p.candidate = p.longLine
	}
	if p.all || p.exact {
		return
	}
	lines, err := dfa.Compile(tree)
	if err != nil {
		return
	}
	p.lines, p.all = lines, lines.All
	good := len(any) == 1 && len(any[0].text) > shortNeedle
	if p.candidate != nil && (good || p.minMatch >= longLeast || !lines.Skips()) {
		lines.SkipLines(p.candidate)
	}
}

// lineWithNeedle is candidate for a pattern with needles.
func (p *Pattern) lineWithNeedle(chunk []byte, from int) int {
	return lineOf(chunk, from, p.needles.index(chunk, from))
}

// lineOf returns the start of the line of chunk[at], and not before from; len(chunk) for itself.
func lineOf(chunk []byte, from, at int) int {
	if at == len(chunk) {
		return at
	}
	return from + bytes.LastIndexByte(chunk[from:at], '\n') + 1
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
