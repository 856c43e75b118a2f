//go:build !race

package replay

import "testing"

func unraced(*testing.T) {}
