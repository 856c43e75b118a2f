package search

import (
	"iter"
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
	re *regexp.Regexp

	// candidate returns the start of the first line of a chunk that can match, from a start of a
	// line on, and a position in it. Both are the chunk's length if there is none. It is nil if all
	// lines can match.
	candidate func(chunk []byte, from int) (start, at int)
	sure      bool         // every candidate matches: lines and re are not needed
	lines     *dfa.Program // decides which lines match; nil if sure, or if it would be too large
	through   bool         // lines examines all text, and not only candidates

	// With Options.Word, the first group of re and later is the match, between its neighbors. later
	// finds the matches after the first.
	later *regexp.Regexp

	searchers sync.Pool // of *dfa.Searcher, for lines
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
	p := &Pattern{re: re, later: later}
	p.choose(tree)
	return p, nil
}

// shortNeedle is the maximum length, in bytes, of a needle so frequent that searching for the
// beginnings of matches is faster.
const shortNeedle = 3

// choose decides how to find candidates, and whether package dfa examines only these. It does so
// for one good needle or very long matches; otherwise only if it cannot skip.
func (p *Pattern) choose(tree *syntax.Regexp) {
	texts, exact := required(tree)
	shortest := least(tree)
	switch {
	case len(texts) > 0:
		p.candidate = newNeedles(texts).line
	case shortest >= shortLeast:
		p.candidate = func(chunk []byte, from int) (start, at int) { return longLine(chunk, from, shortest) }
	}
	if p.sure = exact || tree.Op == syntax.OpEmptyMatch; p.sure {
		return
	}
	good := len(texts) == 1 && len(texts[0].text) > shortNeedle || shortest >= longLeast
	lines, err := dfa.Compile(tree, !good)
	if err != nil {
		return
	}
	p.lines, p.sure = lines, lines.All
	p.searchers.New = func() any { return lines.NewSearcher() }
	p.through = !p.sure && (p.candidate == nil || lines.Skips())
}

// Matches yields the position line[from:to] of every match in a line without its line feed, from
// left to right, non-overlapping and non-empty.
func (p *Pattern) Matches(line []byte) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		if p.later != nil {
			p.words(line, yield)
			return
		}
		for _, at := range p.re.FindAllIndex(line, -1) {
			if at[0] < at[1] && !yield(at[0], at[1]) {
				return
			}
		}
	}
}

// words is Matches with Options.Word. A match of re includes its neighbors. The search for the next
// match starts at the last byte of this one, since that may be the neighbor before the next.
func (p *Pattern) words(line []byte, yield func(from, to int) bool) {
	re, cut := p.re, 0
	for {
		at := re.FindSubmatchIndex(line[cut:])
		if at == nil {
			return
		}
		from, to := cut+at[2], cut+at[3]
		if from == to {
			to++ // skip an empty match
		} else if !yield(from, to) {
			return
		}
		re, cut = p.later, to-1
	}
}
