//go:build race

package replay

import "testing"

// unraced skips what runs in one goroutine, for a minute and a half under the race detector: `make
// test` runs it without.
func unraced(t *testing.T) { t.Skip("in one goroutine: make test runs it without the race detector") }
