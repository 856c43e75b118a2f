package limit

import "regexp/syntax"

// requiredLiteral returns the longest string that, by the expression's syntax, every match
// contains, or "" without one.
func requiredLiteral(expression string) (string, error) {
	parsed, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return "", err
	}
	return longestLiteral(parsed.Simplify()), nil
}

func longestLiteral(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re)
	case syntax.OpCapture, syntax.OpPlus:
		return longestLiteral(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return longestLiteral(re.Sub[0])
		}
	case syntax.OpConcat:
		return longestInConcat(re.Sub)
	default: // may match without any of its parts, or has none
	}
	return ""
}

// longestInConcat returns requiredLiteral of a concatenation; it joins adjacent literals.
func longestInConcat(parts []*syntax.Regexp) string {
	best, run := "", ""
	for _, part := range parts {
		if literal := literalOf(part); literal != "" {
			run += literal
		} else {
			run = ""
		}
		for _, candidate := range []string{run, longestLiteral(part)} {
			if len(candidate) > len(best) {
				best = candidate
			}
		}
	}
	return best
}

// literalOf returns the text of an unfolded literal, the only text that re matches, or "".
func literalOf(re *syntax.Regexp) string {
	if re.Op != syntax.OpLiteral || re.Flags&syntax.FoldCase != 0 {
		return ""
	}
	return string(re.Rune)
}
