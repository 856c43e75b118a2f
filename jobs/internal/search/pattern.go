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
	// Fixed takes the pattern as the text itself, not as a regular expression.
	Fixed bool
	// IgnoreCase lets letters match in either case (Unicode simple folding).
	IgnoreCase bool
	// Word takes a match only where no word goes on before it or behind it: no letter or digit of
	// ASCII and no underscore is its neighbor.
	Word bool
}

// Pattern is a compiled pattern. It may be used by several goroutines at once.
type Pattern struct {
	re      *regexp.Regexp
	needles []needle // every match holds one of these; empty if nothing is known of the matches
	exact   bool     // a line that holds a needle matches: re need not be asked
	all     bool     // every line matches

	// With Options.Word re and later hold the match as their first group, with a neighbor on each
	// side; later is for matches that have one before them.
	later *regexp.Regexp

	lines   *dfa.Program // tells which lines match; nil if needles do, or if it would be too large
	least   int          // a match has at least so many bytes
	selects bool         // it is best to look only at lines that hold a needle or, without, have so many bytes

	mu      sync.Mutex
	memory  int64     // bytes of states that each finder may hold; 0 is no bound
	finders []*finder // that no chunk uses now: as many as there were goroutines at once
}

// The neighbors of a word.
const (
	noWord = `[^0-9A-Za-z_]`
	before = `(?:^|` + noWord + `)`
	behind = `(?:$|` + noWord + `)`
)

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
	var later *regexp.Regexp
	if o.Word {
		var err error
		if later, err = regexp.Compile(noWord + `(` + expr + `)` + behind); err != nil {
			return nil, &fault{pattern, err}
		}
		expr = before + `(` + expr + `)` + behind
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, &fault{pattern, err}
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, &fault{pattern, err}
	}
	p := &Pattern{re: re, later: later, all: tree.Op == syntax.OpEmptyMatch, least: least(tree)}
	p.choose(tree)
	return p, nil
}

// shortNeedle is how long a needle is, in bytes, that is found so often that the beginning of a match
// is the better sign of one.
const shortNeedle = 3

// choose decides how lines that match are found: by one good needle, or by package dfa, with several
// or bad ones if it cannot skip.
func (p *Pattern) choose(tree *syntax.Regexp) {
	found := required(tree)
	p.exact = found.exact
	for _, l := range found.any {
		p.needles = append(p.needles, newNeedle(l))
	}
	good := len(p.needles) == 1 && (p.exact || len(p.needles[0].text) > shortNeedle)
	if !p.all && !(good && p.exact) {
		if lines, err := dfa.Compile(tree); err == nil {
			p.lines, p.all = lines, lines.All
		}
	}
	p.selects = good || p.least >= longLeast ||
		!p.lines.Skips() && (len(p.needles) > 0 || p.least >= shortLeast)
}

// Within bounds what the pattern holds, beyond itself, for each goroutine that uses it at once: about
// so many bytes, at least 128 KiB; 0 is no bound of the caller's. It counts from the next chunk on, and
// may be called at any time.
func (p *Pattern) Within(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.memory = bytes
}

// Matches calls visit with the place of every match in a line, given without its line feed, from
// left to right and not overlapping: line[from:to]. Empty matches are left out.
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

// words is Matches with Options.Word. A match takes its neighbors with it; the next one is looked for
// from the byte before its end, which may be the neighbor before that.
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
			to++ // past an empty one
		}
		if to > len(line) {
			return
		}
		re, cut = p.later, to-1
	}
}
