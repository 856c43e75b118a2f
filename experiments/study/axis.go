package study

import (
	"fmt"
	"math"
	"strings"
)

// axis maps a range of values to a range of the picture, in points. Without a value, min is above
// max.
type axis struct{ min, max, from, to float64 }

// at returns the place of a value on the picture.
func (a *axis) at(v float64) float64 { return a.from + (v-a.min)/(a.max-a.min)*(a.to-a.from) }

// add extends the range to values, which must be finite.
func (a *axis) add(values ...float64) error {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%v has no place on an axis", v)
		}
		a.min, a.max = min(a.min, v), max(a.max, v)
	}
	return nil
}

// widen gives a single value room on both sides. An empty range becomes that from 0 to 1.
func (a *axis) widen() {
	switch {
	case a.min > a.max:
		a.min, a.max = 0, 1
	case a.min == a.max:
		a.min, a.max = a.min-1, a.max+1
	}
}

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

// axes returns the axes of the figure. A Y axis of fractions or percentages ends at most at 1 or
// 100. Without negative values, a Y axis begins at 0.
func (f *Figure) axes() (x, y axis, err error) {
	x, y = axis{min: math.Inf(1), max: math.Inf(-1)}, axis{min: math.Inf(1), max: math.Inf(-1)}
	for i := range f.Series {
		if err := f.extend(i, &x, &y); err != nil {
			return x, y, fmt.Errorf("figure %s, series %s: %w", f.Name, f.Series[i].Name, err)
		}
	}
	if y.min >= 0 && y.max > 0 {
		y.min = 0
	}
	x.widen()
	y.widen()
	most := 0.0
	switch {
	case strings.Contains(f.Y, "%"):
		most = 100
	case strings.HasPrefix(f.Y, "part of"):
		most = 1
	}
	if y.max <= most*1.05 && y.max > most/2 {
		y.max = most
	}
	if f.bars() { // room for the outer bars
		x.min, x.max = -0.6, float64(len(f.Categories))-0.4
	}
	return x, y, nil
}

// extend extends the axes to the points of a series and their intervals.
func (f *Figure) extend(i int, x, y *axis) error {
	s := f.Series[i]
	if len(s.Y) == 0 || !f.bars() && len(s.X) != len(s.Y) {
		return fmt.Errorf("%d points on the X axis, %d on the Y axis", len(s.X), len(s.Y))
	}
	if first := f.Series[0]; f.Stacked && len(first.Y) != len(s.Y) {
		return fmt.Errorf("%d points, the first series has %d", len(s.Y), len(first.Y))
	}
	xs, from, ys := f.places(i)
	if err := x.add(xs...); err != nil {
		return err
	}
	if f.bars() || f.Stacked {
		ys = append(ys, from...)
	}
	for k := range s.Low {
		if low, high, ok := s.interval(k); ok {
			ys = append(ys, low, high)
		}
	}
	return y.add(ys...)
}

// places returns the X and Y values at which a series is drawn, and the Y values at which its bars
// or areas begin.
func (f *Figure) places(i int) (x, from, y []float64) {
	s := f.Series[i]
	from, y = make([]float64, len(s.Y)), make([]float64, len(s.Y))
	_, shift := f.bar(i)
	for k, v := range s.Y {
		if f.Stacked {
			for _, below := range f.Series[:i] {
				from[k] += below.Y[k]
			}
		}
		y[k] = from[k] + v
		if f.bars() {
			x = append(x, float64(k)+shift)
		} else {
			x = append(x, s.X[k])
		}
	}
	return x, from, y
}

func (f *Figure) bars() bool { return len(f.Categories) > 0 }

// bar returns the width of bars, and how far those of series i are from the middle of their
// category. Published values are over the bars of the series before them.
func (f *Figure) bar(i int) (width, shift float64) {
	groups, at := 0, -1
	for k, s := range f.Series {
		if !s.Published {
			groups++
			if k <= i {
				at++
			}
		}
	}
	width = 0.8 / float64(max(1, groups)) // of the room of a category
	return width, (float64(at) - float64(groups-1)/2) * width
}
