package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseSize reads a size such as 1GiB, 512MiB, 64KiB or 1000 (bytes), at least 1.
func ParseSize(text string) (int64, error) {
	digits, shift := text, 0
	for _, unit := range []struct {
		name  string
		shift int
	}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}} {
		if n, ok := strings.CutSuffix(text, unit.name); ok {
			digits, shift = n, unit.shift
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || n > 1<<62>>shift {
		return 0,
			fmt.Errorf("bench: size %q: want a number with KiB, MiB, GiB or nothing behind it",
				text)
	}
	return n << shift, nil
}

// FormatSize returns a size with a unit, such as 1.0 GiB or 159 MiB.
func FormatSize(bytes int64) string {
	switch {
	case bytes >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	case bytes >= 1<<20:
		return fmt.Sprintf("%d MiB", bytes>>20)
	default:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
}
