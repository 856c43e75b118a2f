package study

import (
	"fmt"
	"strings"
)

// Counts is how many rows there are by kind and verdict.
type Counts [kinds][verdicts]int

// Counts counts the rows.
func (r *Result) Counts() (c Counts) {
	for _, row := range r.Rows {
		c[row.Kind][row.Verdict()]++
	}
	return c
}

// countsOf counts the rows of all outcomes but the measured ones.
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

// Of gives how many rows of a kind are judged.
func (c Counts) Of(k Kind) int { return c[k][Holds] + c[k][Differs] + c[k][CannotTell] }

// Cell is one kind in a table: how many rows hold, differ, and cannot be told.
func (c Counts) Cell(k Kind) string {
	if c.Of(k) == 0 {
		return ""
	}
	return fmt.Sprintf("%d / %d / %d", c[k][Holds], c[k][Differs], c[k][CannotTell])
}

// String is a sentence: of each kind how many hold, differ, and cannot be told.
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
