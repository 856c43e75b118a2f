package study

import (
	"math"
	"strconv"
	"strings"
)

// Kind is what a row is of. Kinds are counted apart; only Printed and Said are published.
type Kind uint8

// The kinds.
const (
	Context Kind = iota // shown, neither judged nor counted
	Printed             // a number that a paper prints of what it measured
	Said                // a claim that a paper makes in words
	Formula             // what follows from a paper's formula, rule or worked example
	Own                 // a question of ours
	kinds
)

// String names the kind as reports do.
func (k Kind) String() string {
	return [kinds]string{"context", "printed", "said", "formula", "own"}[k]
}

// Row is one quantity, what is published or expected of it beside ours.
type Row struct {
	Quantity string
	Unit     string // empty for a pure number
	Kind     Kind
	// Published is the paper's number, or that of its formula; NaN if there is none.
	Published float64
	// Claim is what is said in words, shown beside the number.
	Claim  string
	Ours   Sample
	Bounds Bounds
}

// Saying adds what is said in words.
func (r *Row) Saying(claim string) { r.Claim = claim }

// Bounds say when a row holds: the whole interval of ours lies between them. Those of a tolerance
// and of "at most" are within, those of a strict claim are not.
type Bounds struct {
	Low, High float64
	Strict    bool
}

// More is the claim of more than low.
func More(low float64) Bounds { return Bounds{low, math.Inf(1), true} }

// Less is the claim of less than high.
func Less(high float64) Bounds { return Bounds{math.Inf(-1), high, true} }

// Between is the claim of more than low and less than high.
func Between(low, high float64) Bounds { return Bounds{low, high, true} }

// AtLeast is the claim of low or more.
func AtLeast(low float64) Bounds { return Bounds{low, math.Inf(1), false} }

// AtMost is the claim of high or less.
func AtMost(high float64) Bounds { return Bounds{math.Inf(-1), high, false} }

// Alike is the claim that two policies are equal, or the difference negligible: their ratio is less
// than a tenth from 1.
func Alike() Bounds { return Between(0.9, 1.1) }

// Significant is the claim of a significant gain: more than Alike allows.
func Significant() Bounds { return More(1.1) }

// Harmless is the claim that something does not hurt: a fiftieth is not worth its name.
func Harmless() Bounds { return More(0.98) }

// Near is about an estimate: within a quarter of it.
func Near(estimate float64) Bounds { return Between(0.75*estimate, 1.25*estimate) }

// Tolerance is how far from a printed number ours may be, for what the paper leaves open of its
// set-up; it is never less than half of the number's last digit.
type Tolerance func(number float64) float64

// Share is the tolerance of any per cent: the standard deviation of a part counted among a hundred,
// 5 points at 50 % and 1 point at 99 %, since a miss at the ends is worse than one in the middle,
// and half of the number's last digit besides: a printed 99 % may be 99.49 %.
func Share(number float64) float64 {
	return rounding(number) + math.Sqrt(max(0, float64(number*(100-number))))/10
}

// Size is the tolerance of times, rates and the like: a tenth.
func Size(number float64) float64 { return max(rounding(number), number/10) }

// Gain is the tolerance of a ratio of two policies: a tenth, and no more than half of what it is
// from 1.
func Gain(number float64) float64 {
	return max(rounding(number), min(number/10, math.Abs(number-1)/2))
}

// Count is the tolerance of what is counted one by one: none.
func Count(float64) float64 { return 0 }

// rounding is half of the last digit that a number is printed with.
func rounding(number float64) float64 {
	_, digits, _ := strings.Cut(strconv.FormatFloat(number, 'f', -1, 64), ".")
	return 0.5 * math.Pow10(-len(digits))
}

// Verdict is the outcome of a row.
type Verdict uint8

// The verdicts.
const (
	NotJudged  Verdict = iota
	Holds              // all of the interval lies where it should
	Differs            // none of it does
	CannotTell         // some of it does, or there is no interval
	verdicts
)

// String names the verdict as reports do.
func (v Verdict) String() string {
	return [verdicts]string{"", "holds", "differs", "cannot tell"}[v]
}

// Verdict judges the row by the interval of ours. What could not be measured (NaN) differs.
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
