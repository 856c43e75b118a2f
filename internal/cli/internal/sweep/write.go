package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"

	"github.com/tarry-mr/tarry/internal/statistics"
)

// WriteRuns writes a line for each run as CSV: its value of each dimension, its seed, its figures.
func (t *Table) WriteRuns(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write(append(append(append([]string{}, t.Dimensions...), "seed"), t.Figures...))
	for _, r := range t.Runs {
		row := append(append([]string{}, r.Point...), strconv.FormatUint(r.Seed, 10))
		for _, x := range r.Figures {
			row = append(row, number(x))
		}
		_ = c.Write(row)
	}
	c.Flush()
	return c.Error()
}

// WriteSummary writes a line for each figure at each point as CSV: the mean over the runs and its
// 95 % interval, empty for a single run.
func (t *Table) WriteSummary(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write(append(append([]string{}, t.Dimensions...), "figure", "runs", "mean", "low95", "high95"))
	t.points(func(point []string, runs []Run) {
		for i, name := range t.Figures {
			list := values(runs, i)
			mean, half := statistics.Mean(list), statistics.Half(list)
			row := append(append([]string{}, point...), name, strconv.Itoa(len(runs)), number(mean))
			_ = c.Write(append(row, number(mean-half), number(mean+half)))
		}
	})
	c.Flush()
	return c.Error()
}

// number writes a figure with at most ten digits; what is none is empty.
func number(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 10, 64)
}

// Print writes some of the figures for people, a line for each point.
func (t *Table) Print(w io.Writer, shown []string, text func(mean, half float64) string) error {
	b := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, name := range append(append([]string{}, t.Dimensions...), shown...) {
		fmt.Fprint(b, name, "\t")
	}
	fmt.Fprintln(b)
	t.points(func(point []string, runs []Run) {
		for _, v := range point {
			fmt.Fprint(b, v, "\t")
		}
		for _, name := range shown {
			list := values(runs, t.figure(name))
			fmt.Fprint(b, text(statistics.Mean(list), statistics.Half(list)), "\t")
		}
		fmt.Fprintln(b)
	})
	return b.Flush()
}

// figure is the place of a figure that there is.
func (t *Table) figure(name string) int {
	for i, f := range t.Figures {
		if f == name {
			return i
		}
	}
	panic("sweep: no figure " + name)
}

// Summary is the figures of a point.
type Summary struct {
	Settings map[string]string   `json:"settings"`
	Runs     int                 `json:"runs"`
	Figures  map[string]Estimate `json:"figures"`
}

// Estimate is the mean of a figure with its 95 % interval, which one run has not.
type Estimate struct {
	Mean float64  `json:"mean"`
	Half *float64 `json:"ci95"`
}

// Summaries gives the figures of each point.
func (t *Table) Summaries() (list []Summary) {
	t.points(func(point []string, runs []Run) {
		s := Summary{Settings: map[string]string{}, Runs: len(runs), Figures: map[string]Estimate{}}
		for i, d := range t.Dimensions {
			s.Settings[d] = point[i]
		}
		for i, name := range t.Figures {
			all := values(runs, i)
			e := Estimate{Mean: statistics.Mean(all)}
			if half := statistics.Half(all); !math.IsNaN(half) {
				e.Half = &half
			}
			s.Figures[name] = e
		}
		list = append(list, s)
	})
	return list
}
