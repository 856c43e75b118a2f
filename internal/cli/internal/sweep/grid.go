// Package sweep is a grid of settings, what came of a run at each of its points, and the files that
// keep it.
package sweep

import (
	"fmt"
	"slices"
	"strings"
)

// Dimension is a setting that varies, with its values.
type Dimension struct {
	Name   string
	Values []string
}

// Parse reads NAME=VALUE,VALUE and so on.
func Parse(text string) (Dimension, error) {
	name, values, found := strings.Cut(text, "=")
	d := Dimension{Name: name, Values: strings.Split(values, ",")}
	switch {
	case !found || name == "":
		return d, fmt.Errorf("want NAME=VALUE,VALUE,…")
	case slices.Contains(d.Values, ""):
		return d, fmt.Errorf("an empty value")
	}
	for i, v := range d.Values {
		if slices.Contains(d.Values[:i], v) {
			return d, fmt.Errorf("value %.40s twice", v)
		}
	}
	return d, nil
}

// Points lists the points of the grid: a value of each dimension, the last dimension running
// fastest.
func Points(list []Dimension) [][]string {
	points := [][]string{nil}
	for _, d := range list {
		var longer [][]string
		for _, p := range points {
			for _, v := range d.Values {
				longer = append(longer, append(slices.Clone(p), v))
			}
		}
		points = longer
	}
	return points
}

// Size is how many points a grid has; at most limit, and one more if there are more.
func Size(list []Dimension, limit int) int {
	n := 1
	for _, d := range list {
		if n *= len(d.Values); n > limit {
			return limit + 1
		}
	}
	return n
}

// Run is a simulation at a point of the grid.
type Run struct {
	Point   []string  // the value of each dimension
	Seed    uint64    // that was used
	Figures []float64 // in the order of Table.Figures
}

// Table is all that came of a sweep.
type Table struct {
	Dimensions []string
	Figures    []string // their names
	Runs       []Run    // those of a point stand together
}

// points calls do for the runs of each point.
func (t *Table) points(do func(point []string, runs []Run)) {
	for i := 0; i < len(t.Runs); {
		end := i
		for end < len(t.Runs) && slices.Equal(t.Runs[end].Point, t.Runs[i].Point) {
			end++
		}
		do(t.Runs[i].Point, t.Runs[i:end])
		i = end
	}
}

// Point is a point of the grid with its runs.
type Point struct {
	Point []string
	runs  []Run
}

// Values gives a figure of the runs at the point.
func (p Point) Values(figure int) []float64 { return values(p.runs, figure) }

// Points lists the points in the order of their runs.
func (t *Table) Points() (list []Point) {
	t.points(func(point []string, runs []Run) { list = append(list, Point{point, runs}) })
	return list
}

// values are a figure of some runs.
func values(runs []Run, figure int) []float64 {
	var list []float64
	for _, r := range runs {
		list = append(list, r.Figures[figure])
	}
	return list
}
