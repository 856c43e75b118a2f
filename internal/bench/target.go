package bench

import (
	"fmt"
)

// Measure is the kind of quantity that a target bounds.
type Measure int

// The measures. A ratio compares times within each round.
const (
	TimesOther    Measure = iota // own wall time / the other's: at most Bound
	FasterThan                   // the other's wall time / own: at least Bound
	PrivatePeak                  // private memory in bytes: at most Bound
	RSSPeak                      // resident memory in bytes: at most Bound
	BytesPerSec                  // input bytes a second: at least Bound
	FigureMax                    // a figure: at most Bound
	CPUTimesOther                // own CPU time / the other's: at most Bound
)

// Target is one of the project's goals: a bound on a program's result in a contest, or on a figure.
type Target struct {
	Row     string // name of the goal; several targets may share it
	Contest string // name of the contest
	Program string // name of the program whose result is bounded
	Measure Measure
	// Against is the other program (of TimesOther, FasterThan, CPUTimesOther) or the figure's name.
	Against string
	Bound   float64
}

// Verdict says whether a target is met.
type Verdict int

// The verdicts.
const (
	Unknown Verdict = iota // a program that it needs is not installed, was not run, or failed
	Met
	NotMet
)

// String returns the verdict as the table shows it.
func (v Verdict) String() string { return [...]string{"–", "met", "NOT MET"}[v] }

// Judgment is the verdict on a target, with the values on which it rests.
type Judgment struct {
	Target  Target
	Verdict Verdict
	Found   Summary // of the rounds; a memory's Median is its peak over the rounds
	Why     string  // of an Unknown verdict
}

// notRun is the reason for an Unknown verdict on a contest or figure that was not selected.
const notRun = "not run"

// Judge compares a target with the outcomes of contests and with the figures, by name.
func Judge(t Target, outcomes []Outcome, figures []Figure) Judgment {
	j := Judgment{Target: t}
	if t.Measure == FigureMax {
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

// of returns the judgment on the target, from the outcome of its contest.
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

// decide returns the judgment with a verdict: whether the median found is within the bound.
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

// atLeast reports whether the bound is a minimum.
func (m Measure) atLeast() bool { return m == FasterThan || m == BytesPerSec }

// absent returns why a program has no samples, or "" if it has some.
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
