// Package numbers parses the numbers of a command line: integers, decimals, sizes, times and
// fractions. It accepts only decimal digits (no 0x10, 1_000, Inf or NaN), and checks the range of
// each flag.
package numbers

import (
	"errors"
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

// Rate is a number of bytes per second, written as Bytes.
type Rate float64

// Part is a fraction: 0.95 or 95%.
type Part float64

// Span is the range of a number flag, in its unit: bytes, seconds or ones.
type Span struct {
	Least, Most float64
}

// Value is a flag with a number and its range.
type Value struct {
	Span

	kind  string // int, uint64, float64, size, duration or part
	get   func() float64
	put   func(x float64, s string) error // the number, as it was given
	Reset func()
}

// Add adds a flag for a number within a range; its help text contains the range. to points to an
// int, uint64, float64, time.Duration, Bytes, Rate or Part. Its value is the default, which may be
// outside the range.
func Add[T any](f *pflag.FlagSet, to *T, in Span, name, short, usage string) {
	first := *to
	v := &Value{Span: in, Reset: func() { *to = first }}
	switch to := any(to).(type) {
	case *int:
		bind(v, "int", to)
	case *uint64:
		bind(v, "uint64", to)
		v.put = func(_ float64, s string) (err error) {
			n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 64)
			if err != nil { // so near the end of the type's range that check could not see it
				return v.check(math.Inf(1))
			}
			*to = n
			return nil
		}
	case *float64:
		bind(v, "float64", to)
	case *Part:
		bind(v, "part", to)
	case *Bytes:
		bind(v, "size", to)
	case *Rate:
		bind(v, "size", to)
	case *time.Duration:
		v.kind = "duration"
		v.get = func() float64 { return to.Seconds() }
		v.put = func(_ float64, s string) (err error) { *to, err = time.ParseDuration(s); return err }
	}
	flag := f.VarPF(v, name, short, usage)
	if flag.DefValue == "0s" {
		flag.DefValue = "0" // which help texts leave out, as that of other numbers
	}
	if v.kind == "part" || in.Most == math.MaxUint64 {
		return // said by the type; any
	}
	if flag.Usage = strings.Replace(usage, " (default", " ("+v.RangeText()+"; default", 1); flag.Usage == usage {
		flag.Usage += " (" + v.RangeText() + ")"
	}
}

func bind[N ~int | ~int64 | ~uint64 | ~float64](v *Value, kind string, to *N) {
	v.kind = kind
	v.get = func() float64 { return float64(*to) }
	v.put = func(x float64, _ string) error { *to = N(x); return nil }
}

// Type returns the name of the type in help texts.
func (v *Value) Type() string { return v.kind }

// String returns the value in the form in which it can be given.
func (v *Value) String() string {
	if v.get == nil { // pflag asks an empty one
		return ""
	}
	if v.kind == "duration" {
		return secondsText(v.get())
	}
	return strings.ReplaceAll(v.Text(v.get()), ",", "")
}

// Set parses s and rejects values outside the range.
func (v *Value) Set(s string) error {
	x, err := v.parse(s)
	if err == nil {
		err = v.check(x)
	}
	if err != nil {
		return err
	}
	return v.put(x, s)
}

// parse parses a number of the flag's type; a number too large for it becomes infinite.
func (v *Value) parse(s string) (float64, error) {
	switch v.kind {
	case "duration":
		return parseSeconds(s)
	case "size":
		return parseBytes(s)
	case "part":
		digits, percent := strings.CutSuffix(s, "%")
		x, err := parseDecimal(digits)
		if err != nil {
			return 0, errors.New("no part; parts are written like 0.95 or 95%")
		}
		if percent {
			x /= 100
		}
		return x, nil
	case "float64":
		return parseDecimal(s)
	}
	if x, err := parseDecimal(s); err == nil && strings.Trim(s, "0123456789+-") == "" {
		return x, nil
	}
	return 0, errors.New("no whole number")
}

// check returns an error if x is outside the range.
func (v *Value) check(x float64) error {
	switch {
	case x < v.Least:
		return errors.New("at least " + v.Text(v.Least))
	case !(x <= v.Most):
		return errors.New("at most " + v.Text(v.Most))
	}
	return nil
}

// Text formats a number in the flag's unit.
func (v *Value) Text(x float64) string {
	switch v.kind {
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

// RangeText returns the range for help texts.
func (v *Value) RangeText() string { return v.Text(v.Least) + " to " + v.Text(v.Most) }

// secondsText formats seconds without the trailing zeros of time.Duration.
func secondsText(seconds float64) string {
	s := time.Duration(math.Round(seconds * float64(time.Second))).String()
	if whole, zero := strings.CutSuffix(s, "m0s"); zero {
		s = whole + "m"
	}
	if whole, zero := strings.CutSuffix(s, "h0m"); zero {
		s = whole + "h"
	}
	return s
}

// Thousands inserts commas into the digits before the point.
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

// parseDecimal parses a decimal number with an optional point and exponent.
func parseDecimal(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, errors.New("no decimal number")
	}
	return x, nil // infinite if it is too large
}

// parseSeconds parses a time with its unit, in seconds.
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

// units maps a suffix to its number of bytes.
var units = map[string]float64{
	"": 1, "b": 1,
	"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
	"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
	"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
	"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
}

// parseBytes parses a size in bytes.
func parseBytes(s string) (float64, error) {
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	x, err := parseDecimal(digits)
	unit, known := units[strings.ToLower(strings.TrimLeft(s[len(digits):], " "))]
	if err != nil || !known || strings.HasSuffix(s, " ") {
		return 0, errors.New("no size; sizes are written like 64MiB, 100MB or 4096")
	}
	return x * unit, nil
}

// text returns the size in the largest unit that divides it; powers of 1024 come first.
func (b Bytes) text() string {
	for _, u := range []string{"TiB", "GiB", "MiB", "KiB", "TB", "GB", "MB", "KB"} {
		if f := int64(units[strings.ToLower(u)]); int64(b) >= f && int64(b)%f == 0 {
			return strconv.FormatInt(int64(b)/f, 10) + u
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// Human formats a number of bytes with about three digits.
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
