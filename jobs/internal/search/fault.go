package search

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// maxShown is how many bytes of a pattern an error shows.
const maxShown = 60

// fault is an error in a pattern. It wraps the *syntax.Error and shortens long patterns.
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

// brief returns a text in quotes; of a long one, the beginning and the length.
func brief(s string) string {
	if len(s) <= maxShown {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q… (%d bytes)", strings.ToValidUTF8(s[:maxShown], ""), len(s))
}
