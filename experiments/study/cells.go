package study

import (
	"math"
	"strconv"
)

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
