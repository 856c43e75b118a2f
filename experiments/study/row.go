package study

import (
	"math"
	"strconv"
	"strings"
)

// Kind is the kind of a row. Counts keeps kinds apart; only Printed and Said are published.
type Kind uint8

// The kinds.
const (
	Context Kind = iota // shown, neither judged nor counted
	Printed             // a number that a paper prints of what it measured
	Said                // a claim that a paper makes in words
	Formula             // a consequence of a paper's formula, rule or worked example
	Own                 // a question of ours
	kinds
)

// kindNames name the kinds in texts and reports.
var kindNames = [kinds]string{"context", "printed", "said", "formula", "own"}

// String names the kind as reports do.
func (k Kind) String() string { return kindNames[k] }

// Row compares a published or expected quantity with ours.
type Row struct {
	Quantity string
	Unit     string // empty for a pure number
	Kind     Kind
	// Published is the number of the paper or its formula, or NaN.
	Published float64
	// Claim is the claim in words.
	Claim  string
	Ours   Sample
	Bounds Bounds
}

// Bounds are the limits of a row: it holds if the whole interval of ours is between them. Strict
// bounds exclude the limits.
type Bounds struct {
	Low, High float64
	Strict    bool
}

// tolerance returns by how much our value may differ from a number that a paper prints, because
// papers do not give their whole set-up. It depends on the unit and is 0 for counts.
func tolerance(unit string, number float64) float64 {
	switch unit {
	case "":
		return 0 // of a count
	case "%":
		return Share(number)
	case "×":
		return max(rounding(number), min(number/10, math.Abs(number-1)/2))
	}
	return max(rounding(number), number/10)
}

// Share is the tolerance of percentages: the standard deviation of a count among a hundred, 5
// points at 50 % and 1 point at 99 %, since an error at the ends is worse than one in the middle,
// plus half of the number's last digit: a printed 99 % may be 99.49 %.
func Share(number float64) float64 {
	return rounding(number) + math.Sqrt(max(0, float64(number*(100-number))))/10
}

// rounding returns half of the last digit of a number.
func rounding(number float64) float64 {
	_, digits, _ := strings.Cut(strconv.FormatFloat(number, 'f', -1, 64), ".")
	return 0.5 * math.Pow10(-len(digits))
}

// Verdict is the outcome of a row.
type Verdict uint8

// The verdicts.
const (
	NotJudged  Verdict = iota
	Holds              // the whole interval is within the bounds
	Differs            // no part of it is
	CannotTell         // a part of it is, or our value has no interval
	verdicts
)

// String names the verdict as reports do.
func (v Verdict) String() string {
	return [verdicts]string{"", "holds", "differs", "cannot tell"}[v]
}

// Verdict judges the row by the interval of ours. A quantity that could not be measured (NaN)
// differs.
func (r Row) Verdict() Verdict {
	if r.Kind == Context {
		return NotJudged
	}
	if math.IsNaN(r.Ours.Mean()) {
		return Differs
	}
	low, high := r.Ours.Interval()
	b := r.Bounds
	switch {
	case math.IsNaN(low):
		return CannotTell
	case low > b.Low && high < b.High, !b.Strict && low >= b.Low && high <= b.High:
		return Holds
	case high < b.Low, low > b.High, b.Strict && (high == b.Low || low == b.High):
		return Differs
	}
	return CannotTell
}
