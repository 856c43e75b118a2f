package study

import (
	"fmt"
	"math"
)

// add adds a row.
func (s *Study) add(kind Kind, quantity, unit, claim string, published float64, b Bounds, ours Sample) *Row {
	r := &Row{quantity, unit, kind, published, claim, ours, b}
	s.Rows = append(s.Rows, r)
	return r
}

// Printed adds a number that a paper prints. It panics if the tolerance includes the opposite: 1
// for a gain, 0 for any other number.
func (s *Study) Printed(quantity, unit string, number float64, t Tolerance, ours Sample) *Row {
	return s.PrintedRange(quantity, unit, number, number, t, ours)
}

// PrintedRange is like Printed where the paper gives a range.
func (s *Study) PrintedRange(quantity, unit string, low, high float64, t Tolerance, ours Sample) *Row {
	from, to := low-t(low), high+t(high)
	gain := unit == "×"
	if gain && from <= 1 && to >= 1 || !gain && low > 0 && from <= 0 {
		panic(fmt.Sprintf("%s: from %v to %v the opposite would hold", quantity, from, to))
	}
	return s.add(Printed, quantity, unit, "", low, Bounds{Low: from, High: to}, ours)
}

// Said adds a claim of a paper.
func (s *Study) Said(quantity, unit, claim string, b Bounds, ours Sample) *Row {
	return s.add(Said, quantity, unit, claim, math.NaN(), b, ours)
}

// Own adds an expectation of the author.
func (s *Study) Own(quantity, unit, claim string, b Bounds, ours Sample) *Row {
	return s.add(Own, quantity, unit, claim, math.NaN(), b, ours)
}

// Follows adds a claim that follows from a paper's formula or rule.
func (s *Study) Follows(quantity, unit, claim string, b Bounds, ours Sample) *Row {
	return s.add(Formula, quantity, unit, claim, math.NaN(), b, ours)
}

// Formula adds a number that follows from a paper's text; ours may differ from it by at most
// within.
func (s *Study) Formula(quantity, unit string, number, within float64, ours Sample) *Row {
	return s.add(Formula, quantity, unit, "", number, Bounds{Low: number - within, High: number + within}, ours)
}

// Shown adds context without a published number.
func (s *Study) Shown(quantity, unit string, ours Sample) *Row {
	return s.Known(quantity, unit, math.NaN(), ours)
}

// Known adds context with a published number, for instance one that helped to choose the set-up.
func (s *Study) Known(quantity, unit string, number float64, ours Sample) *Row {
	return s.add(Context, quantity, unit, "", number, Bounds{}, ours)
}
