package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/experiments"
	"github.com/tarry-mr/tarry/internal/cli/internal/sweep"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/scheduling/simulator"
)

// sweepPage shows a sweep as a page in one file: a section for each figure that is not the same
// everywhere, with a picture and a table.
func sweepPage(t *sweep.Table, command string) func(io.Writer) error {
	p := experiments.Page{
		Title: "Sweep of " + strings.Join(t.Dimensions, ", "),
		Lead: []string{
			"Command: " + command,
			fmt.Sprintf("%s. Means with 95 %% intervals over the seeds, which are the whiskers of the pictures.", words.Count(len(t.Runs), "run")),
		},
		Contents: experiments.Grid{Head: []string{"figure", "least mean", "greatest mean"}},
	}
	list := t.Points()
	var same []string
	for i, name := range t.Figures {
		least, most := math.Inf(1), math.Inf(-1)
		grid := experiments.Grid{Head: append(slices.Clone(t.Dimensions), "mean", "95 % interval")}
		for _, at := range list {
			sample := experiments.BySeed(at.Values(i))
			least, most = min(least, sample.Mean()), max(most, sample.Mean())
			low, high := sample.Interval()
			interval := "–"
			if !math.IsNaN(low) {
				interval = figureText(low) + " to " + figureText(high)
			}
			grid.Lines = append(grid.Lines, append(slices.Clone(at.Point), figureText(sample.Mean()), interval))
		}
		if least == most {
			same = append(same, fmt.Sprintf("%s is %s everywhere.", name, figureText(least)))
			continue
		}
		p.Contents.Lines = append(p.Contents.Lines, []string{name, figureText(least), figureText(most)})
		p.Sections = append(p.Sections, experiments.Section{
			Name: strings.ReplaceAll(name, "_", "-"), Title: name, Main: grid,
			Figures: []experiments.Figure{sweepPicture(t, list, i)},
		})
	}
	p.Lead = append(p.Lead, same...)
	return p.Write
}

// figureText is a figure for people.
func figureText(x float64) string {
	return strings.TrimSuffix(estimateText(simulator.Estimate{Mean: x}, 1), ".0000")
}

// sweepPicture shows a figure over the last dimension: lines if its values are numbers, else bars; one
// for each point of the other dimensions.
func sweepPicture(t *sweep.Table, list []sweep.Point, figure int) experiments.Figure {
	last := len(t.Dimensions) - 1
	f := experiments.Figure{
		Name: t.Figures[figure], Title: t.Figures[figure], X: t.Dimensions[last], Y: t.Figures[figure],
	}
	numbers := true
	for _, at := range list {
		_, err := strconv.ParseFloat(at.Point[last], 64)
		numbers = numbers && err == nil
	}
	if !numbers {
		for _, at := range list {
			if !slices.Contains(f.Categories, at.Point[last]) {
				f.Categories = append(f.Categories, at.Point[last])
			}
		}
	}
	for _, at := range list {
		name := ""
		for i, d := range t.Dimensions[:last] {
			name = strings.TrimSpace(name + " " + d + "=" + at.Point[i])
		}
		if n := len(f.Series); n == 0 || f.Series[n-1].Name != name {
			f.Series = append(f.Series, experiments.Series{Name: name})
		}
		s := &f.Series[len(f.Series)-1]
		x, _ := strconv.ParseFloat(at.Point[last], 64) // 0 where there are categories
		s.AddSample(x, experiments.BySeed(at.Values(figure)))
	}
	return f
}
