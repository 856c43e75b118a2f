package bench

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
)

// Report is everything one run of the benchmark found.
type Report struct {
	Machine   string // what it ran on
	Size      int64  // bytes of each input
	Outcomes  []Outcome
	Figures   []Figure
	Judgments []Judgment
}

// Write prints the report as text: a table for each contest, the figures, then the targets.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, inputs of %s\n", r.Machine, size(r.Size))
	for i := range r.Outcomes {
		writeOutcome(&b, &r.Outcomes[i])
	}
	if len(r.Figures) > 0 {
		b.WriteString("\nRounds over datasets in memory\n")
		table(&b, func(t io.Writer) {
			for _, f := range r.Figures {
				fmt.Fprintf(t, "  %s\t%.4g %s\n", f.Name, f.Value, f.Unit)
			}
		})
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
			if j.Why == notRun {
				left++
				continue
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\n", j.Target.Row, j.Target.Contest,
				j.Target.bound(), j.found(), j.verdict())
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
	fmt.Fprintf(w, "\n%s (%s, %d rounds)\n", o.Contest.Name, size(o.Contest.Bytes), o.Rounds)
	limit := o.Result("limit")
	table(w, func(t io.Writer) {
		fmt.Fprintln(t,
			"  program\twall s\tmin–max\tMB/s\tCPU s\tRSS peak\tprivate\ttimes "+
				"limit\tmin–max\tCPU/limit's")
		for _, r := range o.Results {
			if r.Err != nil {
				fmt.Fprintf(t, "  %s\tfailed: %v\n", r.Program.Name, r.Err)
				continue
			}
			if len(r.Samples) == 0 {
				fmt.Fprintf(t, "  %s\tnot run\n", r.Program.Name)
				continue
			}
			wall, ratio, cpu := Walls(r.Samples), Summary{}, Summary{}
			if limit != nil && limit.Err == nil {
				ratio, cpu = Ratios(r.Samples, limit.Samples), CPURatios(r.Samples, limit.Samples)
			}
			fmt.Fprintf(t, "  %s\t%.3f\t%s\t%.0f\t%.2f\t%s\t%s\t%s\t%s\t%s\n", r.Program.Name,
				wall.Median, spread(wall, "%.3f"),
				float64(o.Contest.Bytes)/1e6/wall.Median, CPUs(r.Samples).Median,
				size(most(r.Samples, func(s Sample) int64 { return s.PeakRSS })),
				size(most(r.Samples, func(s Sample) int64 { return s.Private })),
				median(ratio), spread(ratio, "%.2f"), median(cpu))
		}
	})
}

// size returns a number of bytes with a unit, such as 1.0 GiB or 159 MiB.
func size(bytes int64) string { return humanize.IBytes(uint64(bytes)) }

func median(s Summary) string {
	if s.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", s.Median)
}

// spread returns the lowest and the highest value as text, or "" for fewer than two values.
func spread(s Summary, format string) string {
	if s.N < 2 {
		return ""
	}
	return fmt.Sprintf(format+"–"+format, s.Min, s.Max)
}

// bound returns the target's bound as text, such as "tarry ≤ 1.35 × limit".
func (t Target) bound() string {
	switch t.Measure {
	case TimesOther:
		return fmt.Sprintf("%s ≤ %.3g × %s", t.Program, t.Bound, t.Against)
	case CPUTimesOther:
		return fmt.Sprintf("%s: CPU ≤ %.3g × %s", t.Program, t.Bound, t.Against)
	case FasterThan:
		return fmt.Sprintf("%s ≥ %.3g × as fast as %s", t.Program, t.Bound, t.Against)
	case PrivatePeak:
		return fmt.Sprintf("%s: private ≤ %s", t.Program, size(int64(t.Bound)))
	case RSSPeak:
		return fmt.Sprintf("%s: RSS ≤ %s", t.Program, size(int64(t.Bound)))
	case BytesPerSec:
		return fmt.Sprintf("%s ≥ %.0f MB/s", t.Program, t.Bound/1e6)
	default:
		return fmt.Sprintf("%s ≤ %g", t.Against, t.Bound)
	}
}

// found returns two cells: the median found, in the unit of the bound, and the rounds' range.
func (j Judgment) found() string {
	if j.Verdict == Unknown {
		return "–\t"
	}
	switch j.Target.Measure {
	case PrivatePeak, RSSPeak:
		return size(int64(j.Found.Median)) + "\t"
	case BytesPerSec:
		mega := Summary{
			Median: j.Found.Median / 1e6, Min: j.Found.Min / 1e6, Max: j.Found.Max / 1e6,
			N: j.Found.N,
		}
		return fmt.Sprintf("%.0f\t%s", mega.Median, spread(mega, "%.0f"))
	case FigureMax:
		return fmt.Sprintf("%.4g\t", j.Found.Median)
	default:
		return fmt.Sprintf("%.3g\t%s", j.Found.Median, spread(j.Found, "%.3g"))
	}
}

func (j Judgment) verdict() string {
	if j.Verdict == Unknown {
		return j.Why
	}
	return j.Verdict.String()
}
