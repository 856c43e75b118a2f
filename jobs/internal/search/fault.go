package search

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// mostShown is how much of a pattern an error shows, in bytes.
const mostShown = 60

// fault says what is wrong with a pattern, without all of it if it is long. It wraps the
// *syntax.Error.
type fault struct {
	pattern string
	err     error
}

func (f *fault) Error() string {
	if bad, ok := errors.AsType[*syntax.Error](f.err); ok {
		return fmt.Sprintf("pattern %s: %s: %s", brief(f.pattern), bad.Code, brief(bad.Expr))
	}
	return fmt.Sprintf("pattern %s: %v", brief(f.pattern), f.err)
}

func (f *fault) Unwrap() error { return f.err }

// brief is a text in quotes: the beginning and the length of a long one.
func brief(s string) string {
	if len(s) <= mostShown {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q… (%d bytes)", strings.ToValidUTF8(s[:mostShown], ""), len(s))
}
