package search

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// literal is a text to search for. With fold set, text is in lower case and contains no letter with
// a case variant outside ASCII.
type literal struct {
	text string
	fold bool
}

// literals are texts of which each match of an expression contains at least one.
type literals struct {
	any   []literal // each match contains at least one of these; empty if nothing is known
	exact bool      // every text that contains one of them contains a match
}

// maxLiterals is the maximum number of literals searched for; each costs a pass over the input.
const maxLiterals = 8

// required derives literals of which every match contains at least one from the syntax tree:
//
//	a literal             its longest part that can be searched for
//	a sequence            the best of its members' sets, as all members must match
//	alternatives          all their sets together, if each has one
//	(x), x+, x{n,}        those of x (n ≥ 1)
//	all else              nothing is known
func required(re *syntax.Regexp) literals {
	switch re.Op {
	case syntax.OpLiteral:
		return fromLiteral(re)
	case syntax.OpCapture:
		return required(re.Sub[0])
	case syntax.OpPlus, syntax.OpRepeat:
		if re.Op == syntax.OpRepeat && re.Min == 0 {
			return literals{}
		}
		return literals{any: required(re.Sub[0]).any} // x+ contains a match of x; it could also be exact, but that is rare
	case syntax.OpConcat:
		var best literals
		for _, sub := range re.Sub {
			if l := required(sub); l.better(best) {
				best = l
			}
		}
		best.exact = false
		return best
	case syntax.OpAlternate:
		union := literals{exact: true}
		for _, sub := range re.Sub {
			l := required(sub)
			if len(l.any) == 0 {
				return literals{}
			}
			union.any, union.exact = append(union.any, l.any...), union.exact && l.exact
		}
		if len(union.any) > maxLiterals {
			return literals{}
		}
		return union
	default:
		return literals{}
	}
}

// fromLiteral returns the longest part of a literal whose bytes can be searched for one by one.
func fromLiteral(re *syntax.Regexp) literals {
	fold := re.Flags&syntax.FoldCase != 0
	var parts []string
	part, exact := "", true
	for _, r := range re.Rune {
		switch {
		case r == '\n' || r == utf8.RuneError: // no line contains it, or it stands for any invalid byte
			exact = false
			parts, part = append(parts, part), ""
		case fold && !foldsInASCII(r):
			exact = false
			parts, part = append(parts, part), ""
		case fold:
			part += string(unicode.ToLower(r))
		default:
			part += string(r)
		}
	}
	parts = append(parts, part)
	longest := slices.MaxFunc(parts, func(a, b string) int { return len(a) - len(b) })
	if longest == "" {
		return literals{}
	}
	return literals{any: []literal{{text: longest, fold: fold}}, exact: exact}
}

// foldsInASCII reports whether r and all its case variants are ASCII. It is false for k, whose
// variants include the Kelvin sign.
func foldsInASCII(r rune) bool {
	for f := r; ; {
		if f > unicode.MaxASCII {
			return false
		}
		if f = unicode.SimpleFold(f); f == r {
			return true
		}
	}
}

// better reports whether l has longer literals than m, by the shortest, or fewer of that length.
func (l literals) better(m literals) bool {
	if len(l.any) == 0 || len(m.any) == 0 {
		return len(l.any) > 0
	}
	if a, b := l.shortest(), m.shortest(); a != b {
		return a > b
	}
	return len(l.any) < len(m.any)
}

// shortest returns the length of the shortest literal.
func (l literals) shortest() int {
	n := len(l.any[0].text)
	for _, x := range l.any {
		n = min(n, len(x.text))
	}
	return n
}
