package study

import (
	"fmt"
	"strings"
)

// Counts is the number of an experiment's rows (compared quantities) by kind and verdict.
type Counts [kinds][verdicts]int

// Counts counts the rows.
func (r *Result) Counts() (c Counts) {
	for _, row := range r.Rows {
		c[row.Kind][row.Verdict()]++
	}
	return c
}

// countsOf counts the rows of all outcomes, except those with Result.Measured.
func countsOf(done []Outcome) (all Counts) {
	for _, d := range done {
		if !d.Result.Measured {
			all.Add(d.Result.Counts())
		}
	}
	return all
}

// Add adds other counts.
func (c *Counts) Add(d Counts) {
	for k := range c {
		for v := range c[k] {
			c[k][v] += d[k][v]
		}
	}
}

// Of returns the number of judged rows of a kind.
func (c Counts) Of(k Kind) int { return c[k][Holds] + c[k][Differs] + c[k][CannotTell] }

// Cell returns "holds / differs / cannot tell" of one kind, or nothing without judged rows.
func (c Counts) Cell(k Kind) string {
	if c.Of(k) == 0 {
		return ""
	}
	return fmt.Sprintf("%d / %d / %d", c[k][Holds], c[k][Differs], c[k][CannotTell])
}

// String returns a sentence with the numbers of each kind: hold, differ, cannot tell.
func (c Counts) String() string {
	names := [kinds]string{
		Printed: "printed numbers", Said: "claims", Formula: "formulas", Own: "questions of ours",
	}
	var parts []string
	for k, name := range names {
		n := c.Of(Kind(k))
		if n == 0 {
			continue
		}
		part := fmt.Sprintf("%d of %d %s hold", c[k][Holds], n, name)
		if c[k][Differs]+c[k][CannotTell] > 0 {
			part += fmt.Sprintf(" (%d differ, %d cannot tell)", c[k][Differs], c[k][CannotTell])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}
