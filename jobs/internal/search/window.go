package search

import (
	"regexp/syntax"
	"unicode/utf8"
)

// maxReach is the most bytes of a match that window makes use of.
const maxReach = 1 << 10

// reachOf is how many bytes a match has at most, or 0 if that may be more than maxReach.
func reachOf(re *syntax.Regexp) int {
	n := longest(re)
	if n > maxReach {
		return 0
	}
	return n
}

// longest is how many bytes a match has at most; more than maxReach stands for any larger number,
// too.
func longest(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpLiteral:
		n = utf8.UTFMax * len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = utf8.UTFMax
	case syntax.OpCapture, syntax.OpQuest:
		n = longest(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			n += longest(sub)
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			n = max(n, longest(sub))
		}
	case syntax.OpRepeat:
		if n = longest(re.Sub[0]); re.Max >= 0 {
			n *= re.Max
		} else if n > 0 {
			n = maxReach + 1
		}
	case syntax.OpStar, syntax.OpPlus:
		if longest(re.Sub[0]) > 0 {
			n = maxReach + 1
		}
	default: // places, and what never matches
	}
	return min(n, maxReach+1)
}

// matches reports whether the line chunk[start:end], whose first needle lies at hit, matches.
//
// Of a long line the expression sees only what is near the needles, if its matches are known to be
// short. A match holds a needle, so that it lies within reach of one: if the text around a needle,
// with a character more at each side for the sake of \b, does not match, then no match holds that
// needle. If it does match, clear of the ends where the line was cut, the line does as well. Only a
// match at such an end is in doubt, for there ^ or $ may have held; then the line is looked at as a
// whole, as it is when the pieces around many needles would come to more than that. Lines of half a
// megabyte, such as those of compressed scripts, took a quarter of the time of searching source
// code for `[Cc]omput(er|ing)s?\b`.
func (s *scanner) matches(start, end, hit int) bool {
	line, margin := s.chunk[start:end], s.p.reach+utf8.UTFMax
	if s.p.reach == 0 || len(s.p.needles) == 0 {
		return s.p.re.Match(line)
	}
	for rest := len(line); hit < end; hit = s.candidate(hit + 1) {
		from, to := max(hit-margin, start), min(hit+margin, end)
		window := s.chunk[from:to]
		if rest -= len(window); rest <= 0 {
			return s.p.re.Match(line)
		}
		if !s.p.re.Match(window) {
			continue
		}
		at := s.p.re.FindIndex(window)
		sure := (from == start || at[0] >= utf8.UTFMax) && (to == end || at[1] <= len(window)-utf8.UTFMax)
		return sure || s.p.re.Match(line)
	}
	return false
}
