package study

import (
	"fmt"
	"slices"
)

// Pick returns quick in a quick run and full in a full one.
func Pick[T any](s *Study, quick, full T) T {
	if s.Quick {
		return quick
	}
	return full
}

// Grid returns every combination of a value from each axis; the last axis changes fastest.
func Grid(axes ...[]float64) [][]float64 {
	points := [][]float64{nil}
	for _, axis := range axes {
		var next [][]float64
		for _, p := range points {
			for _, v := range axis {
				next = append(next, append(slices.Clip(p), v))
			}
		}
		points = next
	}
	return points
}

// Choice is a named change of the settings T of an experiment; a nil Change keeps the settings.
type Choice[T any] struct {
	Name   string
	Change func(*T)
}

// Of returns base with the change.
func (c Choice[T]) Of(base T) T {
	if c.Change != nil {
		c.Change(&base)
	}
	return base
}

// With returns the Choice of this name and change.
func With[T any](name string, change func(*T)) Choice[T] { return Choice[T]{name, change} }

// Sweep returns a Choice for each value, for Vary: its change calls set; format gives its name.
func Sweep[T, V any](format string, values []V, set func(*T, V)) (list []Choice[T]) {
	for _, v := range values {
		list = append(list, With(fmt.Sprintf(format, v), func(x *T) { set(x, v) }))
	}
	return list
}

// Vary adds a line to t for each choice: the values of base with only this change applied. A quick
// run takes the first `quick` choices. If t is nil (see Study.Extra), Vary does nothing.
func Vary[T any](s *Study, t *Table, quick int, base T, list []Choice[T], values func(T) []float64) {
	if t == nil {
		return
	}
	for _, c := range list[:Pick(s, quick, len(list))] {
		t.Add(c.Name, values(c.Of(base))...)
	}
}

// Table is a table of numbers that decide no row. Most show how a result depends on a choice that
// the paper does not give.
type Table struct {
	Name    string // file name without extension
	Title   string
	Columns []string // the first heads the labels
	Lines   []Line
}

// Line is a line of a Table.
type Line struct {
	Label  string
	Values []float64 // one for each column but the first; NaN is shown as a dash
}

// Add appends a line and returns the table. It ignores a nil table.
func (t *Table) Add(label string, values ...float64) *Table {
	if t != nil {
		t.Lines = append(t.Lines, Line{label, values})
	}
	return t
}

// cells returns the lines of the table as text, without the head; show formats a number.
func (t *Table) cells(show func(float64) string) (all [][]string) {
	for _, l := range t.Lines {
		line := []string{l.Label}
		for _, v := range l.Values {
			line = append(line, show(v))
		}
		all = append(all, line)
	}
	return all
}

// csv returns the table as lines, heads first.
func (t *Table) csv() [][]string { return append([][]string{t.Columns}, t.cells(Number)...) }
