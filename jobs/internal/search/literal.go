package search

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// literal is a text to look for. With fold set, text is in lower case and holds no letter that has
// a case outside ASCII.
type literal struct {
	text string
	fold bool
}

// literals is what is known of all matches of an expression.
type literals struct {
	any   []literal // each match holds at least one of these; empty if nothing is known
	exact bool      // and whatever holds one of them holds a match
}

// maxLiterals is how many texts are looked for at once; an expression with more alternatives counts
// as unknown, as each text costs a pass over the input.
const maxLiterals = 8

// required derives from the syntax tree texts of which every match holds at least one:
//
//	a literal             its longest part that can be searched for
//	a sequence            the best of its members' sets, as all members must match
//	alternatives          all their sets together, if each has one
//	(x), x+, x{n,}        those of x (n ≥ 1); of a literal x one after the other
//	all else              nothing is known
func required(re *syntax.Regexp) literals {
	switch re.Op {
	case syntax.OpLiteral:
		return fromLiteral(re)
	case syntax.OpCapture:
		return required(re.Sub[0])
	case syntax.OpPlus:
		return literals{any: required(re.Sub[0]).any} // x+ holds a match of x; that is exact, too, but rare
	case syntax.OpRepeat:
		if re.Min == 0 {
			return literals{}
		}
		return repeated(required(re.Sub[0]), re.Min)
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

// maxRepeated is how long a text gets by being repeated, in bytes.
const maxRepeated = 16

// repeated is what is known of min and more matches in a row.
func repeated(l literals, min int) literals {
	if l.exact && len(l.any) == 1 {
		text := l.any[0].text
		times := max(1, maxRepeated/len(text))
		if times > min {
			times = min
		}
		return literals{any: []literal{{text: strings.Repeat(text, times), fold: l.any[0].fold}}}
	}
	return literals{any: l.any}
}

// fromLiteral takes the longest part of a literal that can be searched for byte by byte.
func fromLiteral(re *syntax.Regexp) literals {
	fold := re.Flags&syntax.FoldCase != 0
	var parts []string
	part, exact := "", true
	for _, r := range re.Rune {
		switch {
		case r == '\n' || r == utf8.RuneError: // in no line; stands for any byte that is not UTF-8
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

// foldsInASCII reports whether r and everything that equals it but for case are ASCII: k is not,
// for the Kelvin sign.
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

// better reports whether l narrows the search more than m does: by longer texts, then by fewer of
// them.
func (l literals) better(m literals) bool {
	if len(l.any) == 0 || len(m.any) == 0 {
		return len(l.any) > 0
	}
	if a, b := l.shortest(), m.shortest(); a != b {
		return a > b
	}
	return len(l.any) < len(m.any)
}

// shortest is the length of the shortest text.
func (l literals) shortest() int {
	n := len(l.any[0].text)
	for _, x := range l.any {
		n = min(n, len(x.text))
	}
	return n
}
