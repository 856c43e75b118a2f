// Package numbers reads the numbers of a command line: whole and decimal ones, sizes, times and
// parts of one, in decimal digits only (no 0x10, 1_000, Inf or NaN), and each within its range.
package numbers

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Bytes is a number of bytes: 1048576, 64MiB, 1GiB, 100MB, 1.5k. KiB, MiB, GiB, TiB and the bare
// letters K, M, G, T are powers of 1024, as in sort -S; KB, MB, GB, TB are powers of 1000. Case does
// not matter.
type Bytes int64

// Part is a part of one: 0.95 or 95%.
type Part float64

// Rate is bytes a second, written as Bytes.
type Rate float64

// Span is the range of a number flag. Least and Most are in the flag's unit: bytes, seconds or
// ones.
type Span struct {
	Least, Most float64
}

// Value is a number as a flag, which knows its range.
type Value struct {
	Span

	to    any // a pointer, whose type says what is read
	Reset func()
}

// Add adds a flag for a number that lies in a range, which its help text tells. to points to an int, a
// uint64, a float64, a time.Duration, Bytes, a Rate or a Part. Without the flag its value stays, whatever
// the range.
func Add[T any](f *pflag.FlagSet, to *T, in Span, name, short, usage string) {
	first := *to
	n := &Value{Span: in, to: to, Reset: func() { *to = first }}
	flag := f.VarPF(n, name, short, usage)
	if flag.DefValue == "0s" {
		flag.DefValue = "0" // which help texts leave out, as that of other numbers
	}
	if n.Type() == "part" || in.Most == math.MaxUint64 {
		return // said by the type; any
	}
	if flag.Usage = strings.Replace(usage, " (default", " ("+n.RangeText()+"; default", 1); flag.Usage == usage {
		flag.Usage += " (" + n.RangeText() + ")"
	}
}

// Type names the value in help texts.
func (v *Value) Type() string {
	switch v.to.(type) {
	case *time.Duration:
		return "duration"
	case *Bytes, *Rate:
		return "size"
	case *Part:
		return "part"
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", v.to), "*")
}

// String is the value as it may be given.
func (v *Value) String() string {
	switch to := v.to.(type) {
	case *int:
		return strconv.Itoa(*to)
	case *uint64:
		return strconv.FormatUint(*to, 10)
	case *float64:
		return strconv.FormatFloat(*to, 'g', -1, 64)
	case *Part:
		return strconv.FormatFloat(float64(*to), 'g', -1, 64)
	case *time.Duration:
		return to.String()
	case *Bytes:
		return to.text()
	case *Rate:
		return Bytes(*to).text()
	}
	return ""
}

// Set parses s and refuses what is outside of the range.
func (v *Value) Set(s string) error {
	x, err := v.parse(s)
	if err == nil {
		err = v.check(x)
	}
	if err != nil {
		return err
	}
	switch to := v.to.(type) {
	case *int:
		*to = int(x)
	case *uint64:
		n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 64)
		if err != nil { // so near the end of the type's range that check could not see it
			return v.check(math.Inf(1))
		}
		*to = n
	case *float64:
		*to = x
	case *Part:
		*to = Part(x)
	case *Bytes:
		*to = Bytes(x)
	case *time.Duration:
		*to, _ = time.ParseDuration(s) // as parse has done
	case *Rate:
		*to = Rate(x)
	}
	return nil
}

// parse reads one number of the flag's type. What is too large to be held is infinite.
func (v *Value) parse(s string) (float64, error) {
	switch v.Type() {
	case "duration":
		return parseSeconds(s)
	case "size":
		return parseBytes(s)
	case "part":
		return parsePart(s)
	case "float64":
		return parseDecimal(s)
	}
	if x, err := parseDecimal(s); err == nil && strings.Trim(s, "0123456789+-") == "" {
		return x, nil
	}
	return 0, errors.New("no whole number")
}

// check compares x with the range.
func (v *Value) check(x float64) error {
	switch {
	case x < v.Least:
		return errors.New("at least " + v.Text(v.Least))
	case !(x <= v.Most):
		return errors.New("at most " + v.Text(v.Most))
	}
	return nil
}

// Text writes a number as people write the flag's values.
func (v *Value) Text(x float64) string {
	switch v.Type() {
	case "duration":
		return secondsText(x)
	case "size":
		return Bytes(x).text()
	case "uint64":
		if x >= math.MaxUint64 { // that is the next number up
			return Thousands(strconv.FormatUint(math.MaxUint64, 10))
		}
	}
	return Thousands(strconv.FormatFloat(x, 'f', -1, 64))
}

// RangeText is the range for help texts.
func (v *Value) RangeText() string { return v.Text(v.Least) + " to " + v.Text(v.Most) }

// secondsText writes seconds without the zeros that time.Duration writes.
func secondsText(seconds float64) string {
	s := time.Duration(seconds * float64(time.Second)).String()
	if whole, zero := strings.CutSuffix(s, "m0s"); zero {
		s = whole + "m"
	}
	if whole, zero := strings.CutSuffix(s, "h0m"); zero {
		s = whole + "h"
	}
	return s
}

// Thousands puts commas into the digits before the point.
func Thousands(digits string) string {
	whole, rest, point := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		return whole + "." + rest
	}
	return whole
}

// parseDecimal reads a decimal number with or without point and exponent.
func parseDecimal(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, errors.New("no decimal number")
	}
	return x, nil // infinite if it is too large
}

// parseSeconds reads a time with its unit, in seconds.
func parseSeconds(s string) (float64, error) {
	if d, err := time.ParseDuration(s); err == nil {
		return d.Seconds(), nil
	}
	if regexp.MustCompile(`^[+-]?([0-9.]+(ns|us|µs|ms|s|m|h))+$`).MatchString(s) { // too large
		if strings.HasPrefix(s, "-") {
			return math.Inf(-1), nil
		}
		return math.Inf(1), nil
	}
	return 0, errors.New("no time with its unit; times are written like 500ms, 1.5s or 2h")
}

// parsePart reads a part of one.
func parsePart(s string) (float64, error) {
	digits, percent := strings.CutSuffix(s, "%")
	x, err := parseDecimal(digits)
	if err != nil {
		return 0, errors.New("no part; parts are written like 0.95 or 95%")
	}
	if percent {
		x /= 100
	}
	return x, nil
}
