package allocation

import (
	"errors"
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
	minWeight  = 1e-9
	maxWeight  = 1e9
	minPercent = 1e-9          // and the tolerance of sums of percentages
	maxSeconds = 1_000_000_000 // 31 years; leave a timeout out if there is to be none
)

// entry is a value in a file. Its methods read it as what it should be; if it is wrong, they add a
// problem and return zero.
type entry struct {
	*faults
	place
	what, text string // its name in messages; the value without spaces around it
	raw        string
}

func newEntry(f *faults, at place, what, raw string) entry {
	return entry{f, at, what, strings.TrimSpace(raw), raw}
}

// bad adds a problem, whose text begins with what the entry is.
func (v entry) bad(format string, args ...any) {
	v.add(v.place, "%s: %s", v.what, fmt.Sprintf(format, args...))
}

// useless warns of a setting that has no effect.
func (v entry) useless(why string) { v.warn(v.place, "%s has no effect%s", v.what, why) }

// integer reads a whole number from least to most; zero if it is wrong.
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

// count reads a number of things.
func (v entry) count(least int64) int {
	n, _ := v.integer(least, scheduling.NoLimit-1)
	return int(n)
}

// limit reads a limit, which may be 0: nothing at all, -1 in the scheduler's terms.
func (v entry) limit() int {
	n, ok := v.integer(0, scheduling.NoLimit-1)
	if ok && n == 0 {
		return -1
	}
	return int(n)
}

// seconds reads a timeout in whole seconds. No seconds become a nanosecond, since the scheduler
// takes 0 for "not given".
func (v entry) seconds() time.Duration {
	n, ok := v.integer(0, maxSeconds)
	if ok && n == 0 {
		return time.Nanosecond
	}
	return time.Duration(n) * time.Second
}

// millis reads a time in milliseconds.
func (v entry) millis(least int64) time.Duration {
	return time.Duration(v.count(least)) * time.Millisecond
}

// number reads a number from least, which is above 0, to most. kinds names such numbers.
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

// weight reads a weight.
func (v entry) weight() float64 { return v.number("weights", minWeight, maxWeight) }

// percentage reads a percentage above 0.
func (v entry) percentage() float64 { return v.number("percentages", minPercent, 100) }

// deviations reads a number of standard deviations.
func (v entry) deviations() float64 {
	return v.number("deviations", math.SmallestNonzeroFloat64, math.MaxFloat64)
}

// part reads a number from 0 to 1.
func (v entry) part() float64 {
	x, err := strconv.ParseFloat(v.text, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		v.bad("%q is not a number from 0 to 1", shorten(v.text))
		return 0
	}
	return x
}

// list reads an access list.
func (v entry) list() List {
	l, err := ParseList(v.raw)
	if err != nil {
		v.bad("%v", err)
	}
	return l
}

// either reads one of two words, in any case, and reports whether it is the first.
func (v entry) either(one, other string) bool {
	text := strings.ToLower(v.text)
	if text != one && text != other {
		v.bad("%q is neither %s nor %s", shorten(v.text), one, other)
	}
	return text == one
}

// yes reads true or false.
func (v entry) yes() bool { return v.either("true", "false") }

// poolMode reads fair or fifo.
func (v entry) poolMode() scheduling.PoolMode {
	if v.either("fair", "fifo") {
		return scheduling.FairMode
	}
	return scheduling.FIFOMode
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
