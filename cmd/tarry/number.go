package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// span is the range of a number flag. least and most are in the flag's unit: bytes, seconds or ones.
type span struct {
	least, most float64
	cluster     bool // outside of it a cluster cannot work, which has an exit code of its own
}

// numberValue is the value of a number flag that knows its range. It reads decimal digits only: no 0x10, 1_000, Inf or NaN.
type numberValue struct {
	pflag.Value
	span
}

// valueError says what is wrong with the value of a flag.
type valueError struct {
	text string
	code int
}

func (e *valueError) Error() string { return e.text }

func badValue(format string, a ...any) error {
	return &valueError{fmt.Sprintf(format, a...), exitUsage}
}

// isNumber tells whether values of the type are numbers, which have a range.
func isNumber(v pflag.Value) bool {
	switch v.Type() {
	case "int", "int64", "uint", "uint64", "float64", "duration", "size", "part", "intSlice":
		return true
	}
	return false
}

// Set parses s and refuses what is outside of the range.
func (n *numberValue) Set(s string) error {
	list := []string{s}
	if n.Type() == "intSlice" {
		list = strings.Split(s, ",")
	}
	for _, one := range list {
		x, err := n.parse(one)
		if err == nil {
			err = n.check(x)
		}
		if err != nil {
			return err
		}
	}
	if n.Type() == "int" || n.Type() == "uint64" {
		s = plainDigits(s) // a leading zero would mean octal digits
	}
	if n.Value.Set(s) != nil { // what is so near the end of the type's range that check could not see it
		return badValue("at most %s", n.unit(n.most))
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
func (n *numberValue) parse(s string) (float64, error) {
	switch n.Type() {
	case "duration":
		return parseSeconds(s)
	case "size":
		return parseBytes(s)
	case "part":
		return parsePart(s)
	case "float64":
		return parseDecimal(s)
	default:
		if !regexp.MustCompile(`^[+-]?[0-9]+$`).MatchString(s) {
			return 0, badValue("no whole number")
		}
		return parseDecimal(s)
	}
}

// check compares x with the range.
func (n *numberValue) check(x float64) error {
	code := exitUsage
	if n.cluster {
		code = exitConfig
	}
	switch {
	case x < n.least:
		return &valueError{"at least " + n.unit(n.least), code}
	case !(x <= n.most):
		return &valueError{"at most " + n.unit(n.most), code}
	}
	return nil
}

// unit writes a bound as people write the flag's values.
func (n *numberValue) unit(x float64) string {
	switch n.Type() {
	case "duration":
		return spanTime(x)
	case "size":
		b := byteSize(x)
		return b.String()
	case "uint64":
		if x >= math.MaxUint64 { // that is the next number up
			return thousands(strconv.FormatUint(math.MaxUint64, 10))
		}
		fallthrough
	case "int", "intSlice":
		return thousands(strconv.FormatFloat(x, 'f', 0, 64))
	default:
		return thousands(strconv.FormatFloat(x, 'f', -1, 64))
	}
}

// rangeText is the range for help texts.
func (n *numberValue) rangeText() string { return n.unit(n.least) + " to " + n.unit(n.most) }

// spanTime writes seconds without the zeros that time.Duration writes.
func spanTime(seconds float64) string {
	s := time.Duration(seconds * float64(time.Second)).String()
	if whole, zero := strings.CutSuffix(s, "m0s"); zero {
		s = whole + "m"
	}
	if whole, zero := strings.CutSuffix(s, "h0m"); zero {
		s = whole + "h"
	}
	return s
}

// thousands puts commas into the digits before the point.
func thousands(digits string) string {
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
	if !regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`).MatchString(s) {
		return 0, badValue("no decimal number")
	}
	x, err := strconv.ParseFloat(s, 64)
	if math.IsInf(x, 0) {
		return x, nil // too large: check says so
	}
	return x, err //nolint:wrapcheck // nil
}

// parsePart reads a part of one, 0.95 or 95%.
func parsePart(s string) (float64, error) {
	digits, percent := strings.CutSuffix(s, "%")
	x, err := parseDecimal(digits)
	if err != nil {
		return 0, badValue("no part; parts are written like 0.95 or 95%%")
	}
	if percent {
		x /= 100
	}
	return x, nil
}

// parseSeconds reads a time with its unit, in seconds.
func parseSeconds(s string) (float64, error) {
	d, err := time.ParseDuration(s)
	if err == nil {
		return d.Seconds(), nil
	}
	if regexp.MustCompile(`^[+-]?([0-9.]+(ns|us|µs|ms|s|m|h))+$`).MatchString(s) {
		if strings.HasPrefix(s, "-") {
			return math.Inf(-1), nil
		}
		return math.Inf(1), nil
	}
	return 0, badValue("no time with its unit; times are written like 500ms, 1.5s or 2h")
}
