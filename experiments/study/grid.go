package study

import (
	"fmt"
	"slices"
)

// Pick is the choice of a quick run or of a full one.
func Pick[T any](s *Study, quick, full T) T {
	if s.Quick {
		return quick
	}
	return full
}

// Grid returns every point of a grid; the last axis changes fastest.
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

// Choice is a named change of a set-up. The change nil keeps the set-up.
type Choice[T any] struct {
	Name   string
	Change func(*T)
}

// With returns a choice.
func With[T any](name string, change func(*T)) Choice[T] { return Choice[T]{name, change} }

// Sweep returns a choice for each value; format makes the names.
func Sweep[T, V any](format string, values []V, set func(*T, V)) (list []Choice[T]) {
	for _, v := range values {
		list = append(list, With(fmt.Sprintf(format, v), func(x *T) { set(x, v) }))
	}
	return list
}

// Vary adds a line to a table for each choice: the values of a set-up with that one choice changed.
// A quick run has the first `quick` choices. If the table is nil (Study.Extra), Vary does nothing.
func Vary[T any](s *Study, t *Table, quick int, base T, list []Choice[T], values func(T) []float64) {
	if t == nil {
		return
	}
	for _, c := range list[:Pick(s, quick, len(list))] {
		with := base
		if c.Change != nil {
			c.Change(&with)
		}
		t.Add(c.Name, values(with)...)
	}
}
