package allocation

import (
	"fmt"
	"math"
	"slices"
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

// entry is a value in a file, to be read as what it should be. What is wrong with it is noted; it is
// zero then.
type entry struct {
	*faults
	line       int
	what, text string // what names it in messages
}

// bad notes an error, whose text begins with what the entry is.
func (v entry) bad(format string, args ...any) {
	v.add(v.line, "%s: %s", v.what, fmt.Sprintf(format, args...))
}

// count reads a whole number from least up to below scheduling.NoLimit.
func (v entry) count(least int) int {
	n, _ := v.counted(least)
	return n
}

func (v entry) counted(least int) (n int, ok bool) {
	x, err := strconv.ParseInt(v.text, 10, 64)
	switch {
	case err != nil && isInteger(v.text):
		v.bad("%s is too large", shorten(v.text))
	case err != nil:
		v.bad("%q is not a whole number", shorten(v.text))
	case x < 0:
		v.bad("%d is negative", x)
	case x < int64(least):
		v.bad("must be %d or more, not %d", least, x)
	case x >= scheduling.NoLimit:
		v.bad("%d is too large", x)
	default:
		return int(x), true
	}
	return 0, false
}

// limit reads a limit, which may be 0: nothing at all, -1 in the scheduler's terms.
func (v entry) limit() int {
	n, ok := v.counted(0)
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

// weight reads a weight: positive and finite.
func (v entry) weight() float64 {
	x, err := strconv.ParseFloat(v.text, 64)
	switch {
	case err != nil && !math.IsInf(x, 0):
		v.bad("%q is not a number", shorten(v.text))
	case math.IsNaN(x):
		v.bad("NaN is not a weight")
	case x < 0:
		v.bad("%v is negative", x)
	case x == 0:
		v.bad("0 would give nothing; weights are above 0")
	case x < minWeight || x > maxWeight:
		v.bad("%v is not between %v and %v", x, minWeight, maxWeight)
	default:
		return x
	}
	return 0
}

// percentage reads a percentage above 0.
func (v entry) percentage() float64 {
	x, err := strconv.ParseFloat(v.text, 64)
	switch {
	case err != nil || x != x:
		v.bad("%q is not a number", shorten(v.text))
	case x < 0:
		v.bad("%s is negative", percent(x))
	case x == 0:
		v.bad("0 would give nothing; leave it out for an equal part of what is left, or for no maximum")
	case x > 100:
		v.bad("%s is more than 100", percent(x))
	default:
		return x
	}
	return 0
}

// part reads a number from 0 to 1.
func (v entry) part() float64 {
	x, err := strconv.ParseFloat(v.text, 64)
	if err != nil || math.IsNaN(x) || x < 0 || x > 1 {
		v.bad("%q is not a number from 0 to 1", shorten(v.text))
		return 0
	}
	return x
}

// deviations reads a number of standard deviations.
func (v entry) deviations() float64 {
	x, err := strconv.ParseFloat(v.text, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		v.bad("%q is not a number above 0", shorten(v.text))
	}
	return x
}

// seconds reads a timeout in whole seconds. No seconds become a nanosecond, since the scheduler
// takes 0 for "not given".
func (v entry) seconds() time.Duration {
	n, ok := v.counted(0)
	switch {
	case !ok:
		return 0
	case n > maxSeconds:
		v.bad("%d s are more than %d; leave it out for none", n, maxSeconds)
		return 0
	case n == 0:
		return time.Nanosecond
	}
	return time.Duration(n) * time.Second
}

// millis reads a time in milliseconds.
func (v entry) millis(least int) time.Duration {
	return time.Duration(v.count(least)) * time.Millisecond
}

// poolMode reads fair or fifo, in any case. A wrong one is the default.
func (v entry) poolMode() scheduling.PoolMode {
	switch strings.ToLower(v.text) {
	case "fair":
		return scheduling.FairMode
	case "fifo":
		return scheduling.FIFOMode
	}
	v.bad("unknown mode %q, want fair or fifo", shorten(v.text))
	return scheduling.DefaultMode
}

// is reads true or false, in any case, and reports whether it is the one wanted.
func (v entry) is(wanted bool) bool {
	text := strings.ToLower(v.text)
	if text != "true" && text != "false" {
		v.bad("%q is neither true nor false", shorten(v.text))
		return false
	}
	return text == strconv.FormatBool(wanted)
}

// class reads the name of a class, which must be one of those known, and returns it without its
// package.
func (v entry) class(known ...string) string {
	if class := v.text[strings.LastIndexByte(v.text, '.')+1:]; slices.Contains(known, class) {
		return class
	}
	last := len(known) - 1
	want := known[last]
	if last > 0 {
		want = strings.Join(known[:last], ", ") + " or " + want
	}
	v.bad("unknown class %s, want %s", shorten(v.text), want)
	return ""
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
