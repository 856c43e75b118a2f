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

// maxLiterals is the maximum number of literals searched for.
const maxLiterals = 8

// required derives literals of which every match contains at least one from the syntax tree. exact
// says that every text with the literal matches.
//
//	a literal             its longest part that can be searched for
//	a sequence            the best of its members' sets, as all members must match
//	alternatives          all their sets together, if each has one
//	(x), x+, x{n,}        those of x (n ≥ 1)
//	all else              nothing is known
func required(re *syntax.Regexp) (any []literal, exact bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return fromLiteral(re)
	case syntax.OpCapture:
		return required(re.Sub[0])
	case syntax.OpPlus, syntax.OpRepeat:
		if re.Op == syntax.OpPlus || re.Min > 0 {
			any, _ = required(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			l, _ := required(sub)
			if a, b := shortest(l), shortest(any); a > b || a == b && len(l) < len(any) {
				any = l
			}
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			l, _ := required(sub)
			if len(l) == 0 || len(any)+len(l) > maxLiterals {
				return nil, false
			}
			any = append(any, l...)
		}
	default:
	}
	return any, false
}

// shortest returns the length of the shortest literal; 0 for an empty list.
func shortest(list []literal) (n int) {
	for i, l := range list {
		if i == 0 || len(l.text) < n {
			n = len(l.text)
		}
	}
	return n
}

// fromLiteral returns the longest part of a literal whose bytes can be searched for one by one.
func fromLiteral(re *syntax.Regexp) (any []literal, exact bool) {
	fold := re.Flags&syntax.FoldCase != 0
	parts := []string{""}
	for _, r := range re.Rune {
		// No line contains a line feed, and U+FFFD stands for any invalid byte.
		if r == '\n' || r == utf8.RuneError || fold && !foldsInASCII(r) {
			parts = append(parts, "")
			continue
		}
		if fold {
			r = unicode.ToLower(r)
		}
		parts[len(parts)-1] += string(r)
	}
	longest := slices.MaxFunc(parts, func(a, b string) int { return len(a) - len(b) })
	if longest == "" {
		return nil, false
	}
	return []literal{{text: longest, fold: fold}}, len(parts) == 1
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

// begins reports whether s begins with the literal.
func (l *literal) begins(s []byte) bool {
	if len(s) < len(l.text) || !l.fold {
		return len(s) >= len(l.text) && string(s[:len(l.text)]) == l.text
	}
	for i, c := range s[:len(l.text)] {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != l.text[i] {
			return false
		}
	}
	return true
}
