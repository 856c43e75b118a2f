package allocation

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// Limits of the values that a file may contain.
const (
	minWeight  = 1e-9
	maxWeight  = 1e9
	minPercent = 1e-9          // also the tolerance of sums of percentages
	maxSeconds = 1_000_000_000 // 31 years; to have no timeout, omit it
)

// entry is a value in a file. Its methods parse it as a type; if it is invalid, they add a problem
// and return zero.
type entry struct {
	*reader
	*element
	what string // its name in messages
	text string // trimmed
}

// bad adds a problem whose text begins with the entry's name.
func (v entry) bad(format string, args ...any) {
	v.add(v.place, "%s: %s", v.what, fmt.Sprintf(format, args...))
}

// useless warns about a setting that has no effect.
func (v entry) useless(why string) { v.warn(v.place, "%s has no effect%s", v.what, why) }

// integer parses an integer from least to most; zero if it is invalid.
func (v entry) integer(least, most int64) (n int64, ok bool) {
	x, err := strconv.ParseInt(v.text, 10, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		v.bad("%q is not a whole number", shorten(v.text))
	case x < 0:
		v.bad("%s is negative", shorten(v.text))
	case x < least:
		v.bad("must be %d or more, not %d", least, x)
	case x > most:
		v.bad("%s is too large: more than %d", shorten(v.text), most)
	default:
		return x, true
	}
	return 0, false
}

// count parses a whole number of things, such as slots or jobs, of at least least.
func (v entry) count(least int64) int {
	n, _ := v.integer(least, scheduling.NoLimit-1)
	return int(n)
}

// limit parses a limit; 0 means nothing at all, which is -1 in a policy.
func (v entry) limit() int {
	n, ok := v.integer(0, scheduling.NoLimit-1)
	if ok && n == 0 {
		return -1
	}
	return int(n)
}

// seconds parses a timeout in whole seconds. Zero seconds become a nanosecond, since 0 means "not
// given" in a policy.
func (v entry) seconds() time.Duration {
	n, ok := v.integer(0, maxSeconds)
	if ok && n == 0 {
		return time.Nanosecond
	}
	return time.Duration(n) * time.Second
}

// millis parses a time in milliseconds.
func (v entry) millis(least int64) time.Duration {
	return time.Duration(v.count(least)) * time.Millisecond
}

// number parses a number from least, which is above 0, to most. kinds names such numbers in
// messages.
func (v entry) number(kinds string, least, most float64) float64 {
	x, err := strconv.ParseFloat(v.text, 64)
	switch {
	case math.IsNaN(x) || err != nil && !errors.Is(err, strconv.ErrRange):
		v.bad("%q is not a number", shorten(v.text))
	case x < 0:
		v.bad("%v is negative", x)
	case x == 0:
		v.bad("0 would give nothing; %s are above 0", kinds)
	case x < least:
		v.bad("%v is less than %v", x, least)
	case x > most:
		v.bad("%v is more than %v", x, most)
	default:
		return x
	}
	return 0
}

// weight parses a weight or factor above 0.
func (v entry) weight() float64 { return v.number("weights", minWeight, maxWeight) }

// percentage parses a percentage above 0.
func (v entry) percentage() float64 { return v.number("percentages", minPercent, 100) }

// deviations parses a number of standard deviations.
func (v entry) deviations() float64 {
	return v.number("deviations", math.SmallestNonzeroFloat64, math.MaxFloat64)
}

// part parses a number from 0 to 1.
func (v entry) part() float64 {
	x, err := strconv.ParseFloat(v.text, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		v.bad("%q is not a number from 0 to 1", shorten(v.text))
		return 0
	}
	return x
}

// list parses an access list.
func (v entry) list() access.List {
	l, err := access.ParseList(string(v.element.text))
	if err != nil {
		v.bad("%v", err)
	}
	return l
}

// either parses one of two words, ignoring case, and reports whether it is the first.
func (v entry) either(one, other string) bool {
	text := strings.ToLower(v.text)
	if text != one && text != other {
		v.bad("%q is neither %s nor %s", shorten(v.text), one, other)
	}
	return text == one
}

// yes parses true or false.
func (v entry) yes() bool { return v.either("true", "false") }

// poolMode parses fair or fifo.
func (v entry) poolMode() scheduling.PoolMode {
	if v.either("fair", "fifo") {
		return scheduling.FairMode
	}
	return scheduling.FIFOMode
}

// class parses the name of a class, which must be one of those known, and returns it without its
// package.
func (v entry) class(known ...string) string {
	if class := v.text[strings.LastIndexByte(v.text, '.')+1:]; slices.Contains(known, class) {
		return class
	}
	v.bad("unknown class %s, want %s", shorten(v.text), alternatives(known, ", ", " or "))
	return ""
}
