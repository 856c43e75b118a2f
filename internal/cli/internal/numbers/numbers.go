// Package numbers reads the numbers of a command line: whole and decimal ones, sizes, times and
// parts of one, in decimal digits only (no 0x10, 1_000, Inf or NaN), and each within its range.
package numbers

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"
)

// Span is the range of a number flag. Least and Most are in the flag's unit: bytes, seconds or
// ones.
type Span struct {
	Least, Most float64
}

// Value is the value of a number flag that knows its range.
type Value struct {
	pflag.Value
	Span
}

// Bound gives a number flag its range, and a help text that tells it.
func Bound(f *pflag.Flag, in Span) {
	n := &Value{Value: f.Value, Span: in}
	f.Value = n
	if f.DefValue == "0s" || f.DefValue == "[]" {
		f.DefValue = "0" // which help texts leave out, as that of other numbers
	}
	if n.Type() == "part" || in.Most == math.MaxUint64 {
		return // said by the type; any
	}
	with := strings.Replace(f.Usage, " (default", " ("+n.RangeText()+"; default", 1)
	if with == f.Usage {
		with += " (" + n.RangeText() + ")"
	}
	f.Usage = with
}

// Error says what is wrong with the value of a flag.
type Error struct{ text string }

func (e *Error) Error() string { return e.text }

// Bad is an error about a value that cannot be read.
func Bad(format string, a ...any) *Error { return &Error{text: fmt.Sprintf(format, a...)} }

// Is tells whether values of v's type are numbers, which have a range.
func Is(v pflag.Value) bool {
	switch v.Type() {
	case "int", "uint64", "float64", "duration", "size", "part", "intSlice":
		return true
	}
	return false
}

// Set parses s and refuses what is outside of the range.
func (v *Value) Set(s string) error {
	list := []string{s}
	if v.Type() == "intSlice" {
		list = strings.Split(s, ",")
	}
	for _, one := range list {
		x, err := v.parse(one)
		if err == nil {
			err = v.check(x)
		}
		if err != nil {
			return err
		}
	}
	if v.Type() == "int" || v.Type() == "uint64" {
		s = plainDigits(s) // a leading zero would mean octal digits
	}
	if v.Value.Set(s) != nil { // so near the end of the type's range that check could not see it
		return Bad("at most %s", v.Text(v.Most))
	}
	return nil
}

// plainDigits is a whole number without plus sign and leading zeros.
func plainDigits(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign = "-"
	}
	s = strings.TrimLeft(strings.TrimLeft(s, "+-"), "0")
	if s == "" {
		return "0"
	}
	return sign + s
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
	default:
		if !wholeForm().MatchString(s) {
			return 0, Bad("no whole number")
		}
		return parseDecimal(s)
	}
}

// check compares x with the range.
func (v *Value) check(x float64) error {
	switch {
	case x < v.Least:
		return &Error{"at least " + v.Text(v.Least)}
	case !(x <= v.Most):
		return &Error{"at most " + v.Text(v.Most)}
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

// The forms of numbers, made when the first is read: a server reads some with every job.
var (
	wholeForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[+-]?[0-9]+$`) })

	decimalForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	})
)

// parseDecimal reads a decimal number with or without point and exponent.
func parseDecimal(s string) (float64, error) {
	if !decimalForm().MatchString(s) {
		return 0, Bad("no decimal number")
	}
	x, _ := strconv.ParseFloat(s, 64) // infinite if it is too large: check says so
	return x, nil
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
	return 0, Bad("no time with its unit; times are written like 500ms, 1.5s or 2h")
}

// Part is a part of one as a flag: 0.95 or 95%.
type Part float64

// Set parses s.
func (p *Part) Set(s string) error {
	x, err := parsePart(s)
	if err == nil {
		*p = Part(x)
	}
	return err
}

// parsePart reads a part of one.
func parsePart(s string) (float64, error) {
	digits, percent := strings.CutSuffix(s, "%")
	x, err := parseDecimal(digits)
	if err != nil {
		return 0, Bad("no part; parts are written like 0.95 or 95%%")
	}
	if percent {
		x /= 100
	}
	return x, nil
}

// String is the value as a part of one.
func (p *Part) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }

// Type names the value in help texts.
func (p *Part) Type() string { return "part" }
