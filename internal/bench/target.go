package bench

import (
	"fmt"
)

// Measure is what a target bounds.
type Measure int

// The measures. A ratio compares times within each round.
const (
	TimesOther    Measure = iota // own wall time / the other's: at most Bound
	FasterThan                   // the other's wall time / own: at least Bound
	PrivatePeak                  // private memory in bytes: at most Bound
	RSSPeak                      // resident memory in bytes: at most Bound
	BytesPerSec                  // input bytes a second: at least Bound
	WallMax                      // wall time in seconds: at most Bound
	FigureMax                    // a figure that the live program printed: at most Bound
	FigureMin                    // the same: at least Bound
	CPUTimesOther                // own CPU time / the other's: at most Bound
)

// Target is one bound of the "How good" table.
type Target struct {
	Row     string // the table's row it belongs to
	Contest string // of which contest
	Program string // whose result
	Measure Measure
	// the other program of TimesOther, FasterThan and CPUTimesOther; the figure's name of FigureMax and FigureMin
	Against string
	Bound   float64
}

// Verdict is what became of a target.
type Verdict int

// The verdicts.
const (
	Unknown Verdict = iota // what it needs is not on this machine, was not run, or failed
	Met
	NotMet
)

// String returns the verdict as the table shows it.
func (v Verdict) String() string { return [...]string{"–", "met", "NOT MET"}[v] }

// Judgment is a verdict with its grounds.
type Judgment struct {
	Target  Target
	Verdict Verdict
	Found   Summary // of the rounds; a memory's Median is its peak over the rounds
	Why     string  // of an Unknown verdict
}

// notRun is why there is no verdict on a contest that nobody asked for.
const notRun = "not run"

// Judge compares a target with the outcomes of contests and with the figures of the live program,
// by name.
func Judge(t Target, outcomes []Outcome, figures []Figure) Judgment {
	j := Judgment{Target: t}
	if t.Measure == FigureMax || t.Measure == FigureMin {
		for _, f := range figures {
			if f.Name == t.Against {
				return j.decide(Summary{Median: f.Value, Min: f.Value, Max: f.Value, N: 1})
			}
		}
		return j.unknown(notRun)
	}
	for i := range outcomes {
		if outcomes[i].Contest.Name == t.Contest {
			return j.of(&outcomes[i])
		}
	}
	return j.unknown(notRun)
}

// of judges by the outcome of the target's contest.
func (j Judgment) of(o *Outcome) Judgment {
	own := o.Result(j.Target.Program)
	if reason := absent(own, j.Target.Program); reason != "" {
		return j.unknown(reason)
	}
	switch j.Target.Measure {
	case PrivatePeak:
		return j.peak(own, func(s Sample) int64 { return s.Private })
	case RSSPeak:
		return j.peak(own, func(s Sample) int64 { return s.PeakRSS })
	case BytesPerSec:
		return j.decide(Summarize(each(own.Samples,
			func(s Sample) float64 { return float64(o.Contest.Bytes) / s.Wall.Seconds() })))
	case WallMax:
		return j.decide(Walls(own.Samples))
	case TimesOther, FasterThan, CPUTimesOther:
		other := o.Result(j.Target.Against)
		if reason := absent(other, j.Target.Against); reason != "" {
			return j.unknown(reason)
		}
		switch j.Target.Measure {
		case FasterThan:
			return j.decide(Ratios(other.Samples, own.Samples))
		case CPUTimesOther:
			return j.decide(CPURatios(own.Samples, other.Samples))
		default:
			return j.decide(Ratios(own.Samples, other.Samples))
		}
	default:
		return j.unknown(fmt.Sprintf("measure %d is not of a contest", j.Target.Measure))
	}
}

func (j Judgment) peak(own *Result, of func(Sample) int64) Judgment {
	peak := float64(most(own.Samples, of))
	if peak == 0 {
		return j.unknown("not seen")
	}
	return j.decide(Summary{Median: peak, Min: peak, Max: peak, N: len(own.Samples)})
}

// decide sets the verdict by the median found.
func (j Judgment) decide(found Summary) Judgment {
	j.Found = found
	met := found.Median <= j.Target.Bound
	if j.Target.Measure.atLeast() {
		met = found.Median >= j.Target.Bound
	}
	j.Verdict = NotMet
	if met {
		j.Verdict = Met
	}
	return j
}

func (j Judgment) unknown(why string) Judgment {
	j.Why = why
	return j
}

// atLeast says whether more is better.
func (m Measure) atLeast() bool { return m == FasterThan || m == BytesPerSec || m == FigureMin }

// absent tells why a program has no samples, or "".
func absent(r *Result, name string) string {
	switch {
	case r == nil:
		return name + " is not installed"
	case r.Err != nil:
		return name + " failed"
	case len(r.Samples) == 0:
		return name + " was not run"
	}
	return ""
}
