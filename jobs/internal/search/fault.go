package search

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// maxShown is how many bytes of a pattern an error shows.
const maxShown = 60

// fault returns the error for a pattern that does not compile. It shortens long patterns.
func fault(pattern string, err error) error {
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Errorf("pattern %s: %s: %s", brief(pattern), bad.Code, brief(bad.Expr))
	}
	return fmt.Errorf("pattern %s: %w", brief(pattern), err)
}

// brief returns a text in quotes; of a long one, the beginning and the length.
func brief(s string) string {
	if len(s) <= maxShown {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q… (%d bytes)", strings.ToValidUTF8(s[:maxShown], ""), len(s))
}
