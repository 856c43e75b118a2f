// Package numbers parses the numbers of a command line: integers, decimals, sizes, times and
// fractions. It accepts only decimal digits (no 0x10, 1_000, Inf or NaN), and checks the range of
// each flag.
package numbers

import (
	"errors"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"
)

// Bytes is a number of bytes: 1048576, 64MiB, 1GiB, 100MB, 1.5k. KiB, MiB, GiB, TiB and the bare
// letters K, M, G, T are powers of 1024, as in sort -S; KB, MB, GB, TB are powers of 1000. Case
// does not matter.
type Bytes int64

// Rate is a number of bytes per second, written as Bytes.
type Rate float64

// Part is a fraction: 0.95 or 95%.
type Part float64

// Span is the range of a number flag, both ends included: bytes, nanoseconds or plain numbers.
type Span struct {
	Least, Most float64
}

// Value is the value of a number flag, with the range that Set checks.
type Value struct {
	Span
	unit

	to reflect.Value
}

// unit parses and formats the numbers of a Go type.
type unit struct {
	name  string // the type's name in help texts
	parse func(s string) (float64, error)
	Text  func(x float64) string
}

// unitOf returns the unit of n's type.
func unitOf(n any) unit {
	switch n.(type) {
	case time.Duration:
		return unit{"duration", parseTime, timeText}
	case Bytes, Rate:
		return unit{"size", parseBytes, bytesText}
	case Part:
		return unit{"part", parsePart, humanize.Commaf}
	case float64:
		return unit{"float64", parseDecimal, humanize.Commaf}
	}
	return unit{reflect.TypeOf(n).String(), parseWhole, humanize.Commaf}
}

// Add adds a flag for a number in the range in, which its help text shows. to points to an int,
// uint64, float64, time.Duration, Bytes, Rate or Part. Its value is the default, which may be
// outside the range.
func Add[T any](f *pflag.FlagSet, to *T, in Span, name, short, usage string) {
	v := &Value{in, unitOf(*to), reflect.ValueOf(to).Elem()}
	flag := f.VarPF(v, name, short, usage)
	if flag.DefValue == "0s" {
		flag.DefValue = "0" // which help texts omit, as they do for other numbers
	}
	if v.name == "part" || in.Most == math.MaxUint64 {
		return // the type in the help text says enough
	}
	if flag.Usage = strings.Replace(usage, " (default", " ("+v.RangeText()+"; default", 1); flag.Usage == usage {
		flag.Usage += " (" + v.RangeText() + ")"
	}
}

// Type returns the name of the type in help texts.
func (v *Value) Type() string { return v.name }

// String returns the value in a form that Set accepts.
func (v *Value) String() string {
	switch {
	case !v.to.IsValid(): // pflag calls it on a zero Value
		return ""
	case v.to.CanUint():
		return strconv.FormatUint(v.to.Uint(), 10)
	}
	return strings.ReplaceAll(v.Text(v.to.Convert(reflect.TypeFor[float64]()).Float()), ",", "")
}

// Set parses s and rejects values outside the range.
func (v *Value) Set(s string) error {
	x, err := v.parse(s)
	switch {
	case err != nil:
		return err
	case x < v.Least:
		return errors.New("at least " + v.Text(v.Least))
	case !(x <= v.Most):
		return errors.New("at most " + v.Text(v.Most))
	case !v.to.CanUint():
		v.to.Set(reflect.ValueOf(x).Convert(v.to.Type()))
		return nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(s, "+"), 10, 64) // because x is rounded
	if err != nil {
		return errors.New("at most 18,446,744,073,709,551,615")
	}
	v.to.SetUint(n)
	return nil
}

// RangeText returns the range for help texts.
func (v *Value) RangeText() string { return v.Text(v.Least) + " to " + v.Text(v.Most) }

// parseDecimal parses a decimal number with an optional point and exponent. Like the other parsers
// here, it returns an infinity for a number that is too large.
func parseDecimal(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, errors.New("no decimal number")
	}
	return x, nil
}

func parseWhole(s string) (float64, error) {
	x, err := parseDecimal(s)
	if err != nil || strings.Trim(s, "0123456789+-") != "" {
		return 0, errors.New("no whole number")
	}
	return x, nil
}

func parsePart(s string) (float64, error) {
	digits, percent := strings.CutSuffix(s, "%")
	x, err := parseDecimal(digits)
	switch {
	case err != nil:
		return 0, errors.New("no part; parts are written like 0.95 or 95%")
	case percent:
		return x / 100, nil
	}
	return x, nil
}

// parseTime parses a time with its unit, in nanoseconds.
func parseTime(s string) (float64, error) {
	if d, err := time.ParseDuration(s); err == nil {
		return float64(d), nil
	}
	if !regexp.MustCompile(`^[+-]?([0-9.]+(ns|us|µs|ms|s|m|h))+$`).MatchString(s) {
		return 0, errors.New("no time with its unit; times are written like 500ms, 1.5s or 2h")
	}
	return math.Inf(-strings.Count(s, "-")), nil
}

// timeText formats nanoseconds without the trailing zeros of time.Duration.
func timeText(x float64) string {
	s := time.Duration(x).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if whole, found := strings.CutSuffix(s, zero); found {
			s = whole + zero[:1]
		}
	}
	return s
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

// bytesText formats a size in the largest unit that divides it; powers of 1024 are tried first.
func bytesText(x float64) string {
	for _, u := range []string{"TiB", "GiB", "MiB", "KiB", "TB", "GB", "MB", "KB"} {
		if n := x / units[strings.ToLower(u)]; n >= 1 && n == math.Trunc(n) {
			return strconv.FormatFloat(n, 'f', -1, 64) + u
		}
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
