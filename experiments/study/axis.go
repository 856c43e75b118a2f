package study

import (
	"fmt"
	"math"
	"strings"
)

// axis maps a range of values to a range of the canvas.
type axis struct {
	min, max float64
	from, to float64 // in points
}

// at returns the place of a value on the canvas, in points.
func (a *axis) at(v float64) float64 { return a.from + (v-a.min)/(a.max-a.min)*(a.to-a.from) }

// ticks returns about five round numbers within the range.
func (a *axis) ticks() []float64 {
	step := math.Pow(10, math.Floor(math.Log10((a.max-a.min)/5)))
	for _, more := range []float64{2, 2.5, 2} { // 1, 2, 5, 10
		if (a.max-a.min)/step > 6 {
			step *= more
		}
	}
	const near = 1e-9 // of a step: what rounding loses
	var list []float64
	for i := math.Ceil(a.min/step - near); i*step <= a.max+near*step; i++ {
		list = append(list, i*step+0) // never -0
	}
	return list
}

// reach is the range from the smallest to the largest of some values; none if min is above max.
type reach struct{ min, max float64 }

// add extends the range to a value, which must be finite.
func (r *reach) add(v float64) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("%v has no place on an axis", v)
	}
	r.min, r.max = min(r.min, v), max(r.max, v)
	return nil
}

// axis returns an axis for the range. A single value gets room on both sides; an empty range gives
// an axis from 0 to 1.
func (r reach) axis() axis {
	switch {
	case r.min > r.max:
		return axis{min: 0, max: 1}
	case r.min == r.max:
		return axis{min: r.min - 1, max: r.max + 1}
	}
	return axis{min: r.min, max: r.max}
}

// axes returns the axes of the figure. A Y axis of fractions or percentages ends at most at 1 or
// 100. Without negative values, a Y axis begins at 0.
func (f *Figure) axes() (x, y axis, err error) {
	across, up := reach{math.Inf(1), math.Inf(-1)}, reach{math.Inf(1), math.Inf(-1)}
	for i := range f.Series {
		if err := f.reach(i, &across, &up); err != nil {
			return x, y, fmt.Errorf("figure %s, series %s: %w", f.Name, f.Series[i].Name, err)
		}
	}
	if up.min >= 0 && up.max > 0 {
		up.min = 0
	}
	x, y = across.axis(), up.axis()
	most := 0.0
	switch {
	case strings.Contains(f.Y, "%"):
		most = 100
	case strings.HasPrefix(f.Y, "part of"):
		most = 1
	}
	if most > 0 && y.max <= most*1.05 && y.max > most/2 {
		y.max = most
	}
	if len(f.Categories) > 0 { // room for the outer bars
		x.min, x.max = -0.6, float64(len(f.Categories))-0.4
	}
	return x, y, nil
}

// reach extends the ranges of X (across) and Y (up) by the points of a series and their intervals.
func (f *Figure) reach(series int, across, up *reach) error {
	s := f.Series[series]
	xs := f.places(s, 0)
	if len(s.Y) == 0 || len(xs) != len(s.Y) {
		return fmt.Errorf("%d points on the X axis, %d on the Y axis", len(xs), len(s.Y))
	}
	for i, v := range s.Y {
		if f.Stacked { // on those before it
			for k := range series {
				if len(f.Series[k].Y) != len(s.Y) {
					return fmt.Errorf("%d points, the first series has %d", len(s.Y), len(f.Series[0].Y))
				}
				v += f.Series[k].Y[i]
			}
		}
		if err := across.add(xs[i]); err != nil {
			return err
		}
		if err := up.add(v); err != nil {
			return err
		}
		if low, high, ok := s.interval(i); ok {
			up.min, up.max = min(up.min, low), max(up.max, high)
		}
	}
	if len(f.Categories) > 0 || f.Stacked {
		up.min = min(up.min, 0) // where bars and areas begin
	}
	return nil
}

// places returns the X values of a series' points; in a bar chart, those of the categories + shift.
func (f *Figure) places(s *Series, shift float64) []float64 {
	if len(f.Categories) == 0 {
		return s.X
	}
	var x []float64
	for c := range s.Y {
		x = append(x, float64(c)+shift)
	}
	return x
}
