package numbers

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// units pairs a suffix with its bytes.
var units = map[string]float64{
	"": 1, "b": 1,
	"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
	"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
	"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
	"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
}

// parseBytes reads a size in bytes.
func parseBytes(s string) (float64, error) {
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	word := strings.TrimLeft(s[len(digits):], " ")
	x, err := parseDecimal(digits)
	if err != nil || strings.HasSuffix(s, " ") {
		return 0, errors.New("no size; sizes are written like 64MiB, 100MB or 4096")
	}
	unit, ok := units[strings.ToLower(word)]
	if !ok {
		return 0, fmt.Errorf("unknown unit %s; sizes are written like 64MiB, 100MB or 4096", words.Quoted(word))
	}
	return x * unit, nil
}

// text is the size in the largest unit that divides it, one of 1024s before one of 1000s.
func (b Bytes) text() string {
	n := int64(b)
	for _, u := range []string{"TiB", "GiB", "MiB", "KiB", "TB", "GB", "MB", "KB"} {
		if f := int64(units[strings.ToLower(u)]); n >= f && n%f == 0 {
			return strconv.FormatInt(n/f, 10) + u
		}
	}
	return strconv.FormatInt(n, 10)
}

// Human is a number of bytes with three digits or so, for people.
func Human(bytes int64) string {
	if bytes < 1000 {
		return strconv.FormatInt(bytes, 10) + " B"
	}
	x, unit := float64(bytes), 0
	for x >= 999.5 && unit < 4 {
		x /= 1000
		unit++
	}
	prec := 1
	if x >= 99.95 {
		prec = 0
	}
	return strconv.FormatFloat(x, 'f', prec, 64) + " " + []string{"B", "kB", "MB", "GB", "TB"}[unit]
}
