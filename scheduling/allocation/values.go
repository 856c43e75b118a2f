package allocation

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tarry-mr/tarry/scheduling"
)

// Bounds of what a file may ask for.
const (
	maxWeight  = 1e9
	minWeight  = 1e-9
	maxSeconds = 1_000_000_000 // 31 years; leave a timeout out if there is to be none
)

// count reads a whole number from 0 (or least) up to below scheduling.NoLimit.
func count(f *faults, line int, what, text string, least int) (int, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil && isInteger(text):
		f.add(line, "%s: %s is too large", what, shorten(text))
	case err != nil:
		f.add(line, "%s: %q is not a whole number", what, shorten(text))
	case n < 0:
		f.add(line, "%s: %d is negative", what, n)
	case n < int64(least):
		f.add(line, "%s: must be %d or more, not %d", what, least, n)
	case n >= scheduling.NoLimit:
		f.add(line, "%s: %d is too large", what, n)
	default:
		return int(n), true
	}
	return 0, false
}

// limit reads a limit, which may be 0: nothing at all, -1 in the scheduler's terms. A wrong one is
// 0.
func limit(f *faults, line int, what, text string) int {
	n, ok := count(f, line, what, text, 0)
	if ok && n == 0 {
		n = -1
	}
	return n
}

// isInteger tells whether s has the form of an integer, of whatever size.
func isInteger(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// weight reads a weight: positive and finite. A wrong one is 0.
func weight(f *faults, line int, what, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil && !math.IsInf(x, 0):
		f.add(line, "%s: %q is not a number", what, shorten(text))
	case math.IsNaN(x):
		f.add(line, "%s: NaN is not a weight", what)
	case x < 0:
		f.add(line, "%s: %v is negative", what, x)
	case x == 0:
		f.add(line, "%s: 0 would give nothing; weights are above 0", what)
	case x < minWeight || x > maxWeight:
		f.add(line, "%s: %v is not between %v and %v", what, x, minWeight, maxWeight)
	default:
		return x
	}
	return 0
}

// seconds reads a timeout in whole seconds. No seconds become a nanosecond, since the scheduler
// takes 0 for "not given"; so is a wrong one.
func seconds(f *faults, line int, what, text string) time.Duration {
	n, ok := count(f, line, what, text, 0)
	switch {
	case !ok:
		return 0
	case n > maxSeconds:
		f.add(line, "%s: %d s are more than %d; leave it out for none", what, n, maxSeconds)
		return 0
	case n == 0:
		return time.Nanosecond
	}
	return time.Duration(n) * time.Second
}

// poolMode reads fair or fifo, in any case. A wrong one is the default.
func poolMode(f *faults, line int, what, text string) scheduling.PoolMode {
	switch strings.ToLower(text) {
	case "fair":
		return scheduling.FairMode
	case "fifo":
		return scheduling.FIFOMode
	}
	f.add(line, "%s: unknown mode %q, want fair or fifo", what, shorten(text))
	return scheduling.DefaultMode
}

// boolean reads true or false, in any case.
func boolean(f *faults, line int, what, text string) (value, ok bool) {
	switch strings.ToLower(text) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	f.add(line, "%s: %q is neither true nor false", what, shorten(text))
	return false, false
}

// nameReason says what is wrong with the name of a pool, user or queue, or is "".
func nameReason(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is empty"
	case strings.TrimSpace(name) != name:
		return "has spaces around it"
	case len(name) > 255:
		return "is longer than 255 bytes"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return "has control characters"
	}
	return ""
}
