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

// csv returns the rows as lines of CSV, a head first. low and high are the interval of our value,
// from and to are the bounds. seeds is 0 for a quantity without randomness.
func (r *Result) csv() [][]string {
	rows := [][]string{{
		"quantity", "unit", "kind", "published", "claim", "ours", "low", "high", "seeds", "from",
		"to", "verdict",
	}}
	for _, x := range r.Rows {
		low, high := x.Ours.Interval()
		seeds := len(x.Ours.Values)
		if x.Ours.Sure {
			seeds = 0
		}
		rows = append(rows, []string{
			x.Quantity, x.Unit, x.Kind.String(), Number(x.Published), x.Claim,
			Number(x.Ours.Mean()), Number(low), Number(high), strconv.Itoa(seeds),
			Number(x.Bounds.Low), Number(x.Bounds.High), x.Verdict().String(),
		})
	}
	return rows
}

func (r Row) published() string {
	switch {
	case math.IsNaN(r.Published):
		return r.Claim
	case r.Claim == "":
		return r.show(r.Published)
	}
	return r.show(r.Published) + " (" + r.Claim + ")"
}

func (r Row) show(v float64) string {
	s := Number(math.Round(v*1e4) / 1e4)
	if r.Unit != "" {
		s += " " + r.Unit
	}
	return s
}

// interval returns the 95 % interval of our value as text, or a dash without one.
func (r Row) interval() string {
	low, high := r.Ours.Interval()
	switch {
	case r.Ours.Sure:
		return ""
	case math.IsNaN(low):
		return "–"
	}
	return r.show(low) + " to " + r.show(high)
}

// seeds returns the number of seeds as text, or a dash for a quantity without randomness.
func (r Row) seeds() string {
	if r.Ours.Sure {
		return "–"
	}
	return strconv.Itoa(len(r.Ours.Values))
}

// verdict returns the verdict as text, with the bounds that decided it.
func (r Row) verdict() string {
	low, high, from, to := r.Bounds.Low, r.Bounds.High, "≥ ", "≤ "
	if r.Bounds.Strict {
		from, to = "> ", "< "
	}
	switch v := r.Verdict().String(); {
	case r.Kind == Context:
		return ""
	case math.IsInf(low, -1):
		return v + " (" + to + Number(high) + ")"
	case math.IsInf(high, 1):
		return v + " (" + from + Number(low) + ")"
	default:
		return v + " (" + Number(low) + " to " + Number(high) + ")"
	}
}

// rowHead has the titles of the columns of Result.cells.
var rowHead = []string{"quantity", "kind", "published", "ours", "95 % interval", "seeds", "verdict"}

// cells returns the rows as text, with the columns of rowHead.
func (r *Result) cells() (all [][]string) {
	for _, x := range r.Rows {
		all = append(all, []string{
			x.Quantity, x.Kind.String(), x.published(), x.show(x.Ours.Mean()), x.interval(), x.seeds(),
			x.verdict(),
		})
	}
	return all
}
