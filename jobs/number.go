package jobs

import (
	"bytes"
	"fmt"
	"math/bits"
	"strconv"

	"github.com/tarry-mr/tarry/mapreduce"
)

// longestNumber limits the bytes that are parsed as a number. Numbers have up to 20 digits, but may
// have leading zeros.
const longestNumber = 1 << 10

// number parses a decimal integer in a record. On failure it returns an error of
// mapreduce.BadRecord, with the name and text shortened, since a record may have gigabytes.
func number(name, text []byte) (int64, error) {
	if len(text) <= longestNumber {
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err == nil {
			return n, nil
		}
	}
	return 0, mapreduce.BadRecord(fmt.Errorf("key %s: %s is no integer of 64 bits", cut(name), cut(text)))
}

// Decimal numbers are stored in units of 10 to the -18th.
const (
	numberDecimals = 18
	numberUnits    = 1_000_000_000_000_000_000
)

// tenTo has the powers of ten up to numberUnits.
var tenTo = func() (powers [numberDecimals + 1]uint64) {
	powers[0] = 1
	for i := range numberDecimals {
		powers[i+1] = 10 * powers[i]
	}
	return powers
}()

// decimal parses a decimal number in a record and returns it as a Sum. On failure it returns an
// error like number's.
func decimal(name, text []byte) (Sum, error) {
	if n, good := parseDecimal(text); good {
		return n, nil
	}
	return Sum{}, mapreduce.BadRecord(fmt.Errorf(
		"key %s: %s is no decimal number of at most 64 bits before the point and %d decimals",
		cut(name), cut(text), numberDecimals))
}

// decimalParts splits a decimal number of at most longestNumber bytes: an optional sign, digits,
// and an optional point with digits.
func decimalParts(text []byte) (negative bool, whole, part []byte, good bool) {
	if len(text) > longestNumber {
		return false, nil, nil, false
	}
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative, text = text[0] == '-', text[1:]
	}
	whole, rest := digits(text)
	if len(rest) > 0 && rest[0] == '.' {
		part, rest = digits(rest[1:])
	}
	return negative, whole, part, len(whole)+len(part) > 0 && len(rest) == 0
}

// parseDecimal parses a decimal number of at most 64 bits before the point and 18 decimals.
func parseDecimal(text []byte) (n Sum, good bool) {
	negative, whole, part, good := decimalParts(text)
	if !good {
		return n, false
	}
	whole, part = bytes.TrimLeft(whole, "0"), bytes.TrimRight(part, "0")
	if len(whole) > 19 || len(part) > numberDecimals {
		return n, false
	}
	before, fraction := integer(whole), integer(part)*tenTo[numberDecimals-len(part)]
	high, low := bits.Mul64(before, numberUnits)
	low, carry := bits.Add64(low, fraction, 0)
	n = Sum{Mid: high + carry, Low: low, Count: 1}
	if negative && (before < 1<<63 || before == 1<<63 && fraction == 0) {
		return n.negative(), true
	}
	return n, before < 1<<63
}

// integer returns the number that at most 19 digits stand for.
func integer(digits []byte) (n uint64) {
	for _, d := range digits {
		n = 10*n + uint64(d-'0')
	}
	return n
}

// cut returns a text in quotes; of a long one, the beginning and the length.
func cut(text []byte) string {
	const most = 60
	if len(text) <= most {
		return strconv.Quote(string(text))
	}
	return fmt.Sprintf("%s… (%d bytes)", strconv.Quote(string(text[:most])), len(text))
}
