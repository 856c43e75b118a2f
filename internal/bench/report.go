package bench

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Report is everything one run of the benchmark found.
type Report struct {
	Machine   string     `json:"machine"` // what it ran on
	Size      int64      `json:"size"`    // bytes of each input
	Outcomes  []Outcome  `json:"contests"`
	Judgments []Judgment `json:"targets"`
}

// Write prints the report as text: a table for each contest, then the targets.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, inputs of %s\n", r.Machine, size(float64(r.Size)))
	for i := range r.Outcomes {
		writeOutcome(&b, &r.Outcomes[i])
	}
	b.WriteString("\nHow good")
	if r.Size < gib {
		b.WriteString(" (the bounds are meant for 1 GiB: smaller inputs measure start-up)")
	}
	b.WriteString("\n")
	left := 0
	table(&b, func(t io.Writer) {
		fmt.Fprintln(t, "  row\tcontest\tbound\tfound\tmin–max\tverdict")
		for _, j := range r.Judgments {
			if j.Verdict == notRun {
				left++
				continue
			}
			show := j.Target.Measure.show
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", j.Row, j.Contest, j.Limit, j.Found.median(show), j.Found.spread(show), j.Verdict)
		}
	})
	if left > 0 {
		fmt.Fprintf(&b, "  %d more are those of contests that were not run\n", left)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// table aligns the tab-separated columns that rows writes.
func table(w io.Writer, rows func(t io.Writer)) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rows(t)
	// Writes to a strings.Builder do not fail.
	_ = t.Flush()
}

// writeOutcome prints a contest's table. Times are medians, and the last columns medians of
// the rounds' ratios.
func writeOutcome(w io.Writer, o *Outcome) {
	fmt.Fprintf(w, "\n%s (", o.Contest.Name)
	if o.Contest.Bytes > 0 {
		fmt.Fprintf(w, "%s, ", size(float64(o.Contest.Bytes)))
	}
	fmt.Fprintf(w, "%d rounds)\n", o.Rounds)
	var limit []Sample
	if r := o.Result("limit"); r != nil && r.Failure == "" {
		limit = r.Samples
	}
	fixed := func(x float64) string { return fmt.Sprintf("%.3f", x) }
	table(w, func(t io.Writer) {
		fmt.Fprintln(t, "  program\twall s\tmin–max\tMB/s\tCPU s\tRSS peak\tprivate\ttimes limit\tmin–max\tCPU/limit's")
		for _, r := range o.Results {
			if r.Failure != "" {
				fmt.Fprintf(t, "  %s\tfailed: %s\n", r.Program.Name, r.Failure)
				continue
			}
			if len(r.Samples) == 0 {
				fmt.Fprintf(t, "  %s\tnot run\n", r.Program.Name)
				continue
			}
			took, times := of(r.Samples, wall), ratios(r.Samples, limit, wall)
			fmt.Fprintf(t, "  %s\t%.3f\t%s\t%.0f\t%.2f\t%s\t%s\t%s\t%s\t%s\n", r.Program.Name,
				took.Median, took.spread(fixed), float64(o.Contest.Bytes)/1e6/took.Median, of(r.Samples, cpu).Median,
				size(of(r.Samples, rss).Max), size(of(r.Samples, private).Max),
				times.median(number), times.spread(number), ratios(r.Samples, limit, cpu).median(number))
		}
	})
}

// median returns the median as text, or a dash if nothing is known.
func (s Summary) median(show func(float64) string) string {
	if s.N == 0 {
		return "–"
	}
	return show(s.Median)
}

// spread returns the lowest and the highest value as text, or "" for fewer than two values.
func (s Summary) spread(show func(float64) string) string {
	if s.N < 2 {
		return ""
	}
	return show(s.Min) + "–" + show(s.Max)
}
