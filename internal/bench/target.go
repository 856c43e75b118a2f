package bench

import (
	"fmt"

	"github.com/dustin/go-humanize"
)

// Target is one of the project's goals: a bound on a program's result in a contest.
type Target struct {
	Row     string  `json:"row"`     // name of the goal; several targets may share it
	Contest string  `json:"contest"` // name of the contest
	Program string  `json:"program"` // name of the program whose result is bounded
	Measure Measure `json:"-"`
	Against string  `json:"-"` // the other program of a ratio
	Bound   float64 `json:"-"`
}

// Measure is a kind of quantity that a target bounds.
type Measure struct {
	text    string // of the bound; %[1]s is the program, %[2]s the bound, %[3]s the other program
	atLeast bool   // the bound is a minimum, otherwise a maximum
	found   func(own, other []Sample, bytes int64) Summary
	show    func(float64) string
}

// The measures. A ratio compares times within each round; a memory is the peak over the rounds.
var (
	TimesOther = Measure{"%[1]s ≤ %[2]s × %[3]s", false, func(own, other []Sample, _ int64) Summary {
		return ratios(own, other, wall)
	}, number}
	CPUTimesOther = Measure{"%[1]s: CPU ≤ %[2]s × %[3]s", false, func(own, other []Sample, _ int64) Summary {
		return ratios(own, other, cpu)
	}, number}
	FasterThan = Measure{"%[1]s ≥ %[2]s × as fast as %[3]s", true, func(own, other []Sample, _ int64) Summary {
		return ratios(other, own, wall)
	}, number}
	PrivatePeak = Measure{"%[1]s: private ≤ %[2]s", false, peak(private), size}
	RSSPeak     = Measure{"%[1]s: RSS ≤ %[2]s", false, peak(rss), size}
	MegaPerSec  = Measure{"%[1]s ≥ %[2]s MB/s", true, func(own, _ []Sample, bytes int64) Summary {
		return of(own, func(s Sample) float64 { return float64(bytes) / 1e6 / s.Wall })
	}, number}
	Seconds = Measure{"%[1]s ≤ %[2]s s", false, func(own, _ []Sample, _ int64) Summary { return of(own, wall) }, number}
)

// peak returns a measure's function for the maximum of f; it finds nothing if f was never seen.
func peak(f func(Sample) float64) func(own, _ []Sample, _ int64) Summary {
	return func(own, _ []Sample, _ int64) Summary {
		most := of(own, f).Max
		if most == 0 {
			return Summary{}
		}
		return Summary{Median: most, Min: most, Max: most, N: 1}
	}
}

func number(x float64) string { return fmt.Sprintf("%.3g", x) }

// size returns a number of bytes with a unit, such as 1.0 GiB or 159 MiB.
func size(bytes float64) string { return humanize.IBytes(uint64(bytes)) }

// Judgment says whether a target is met, with the values on which that rests.
type Judgment struct {
	Target
	Limit   string  `json:"bound"`   // the bound as text
	Found   Summary `json:"found"`   // of the rounds
	Verdict string  `json:"verdict"` // met, notMet, notRun or why it is unknown
}

const (
	met    = "met"
	notMet = "NOT MET"
	notRun = "not run" // the contest was not selected
)

// Judge compares a target with the outcomes of contests.
func Judge(t Target, outcomes []Outcome) Judgment {
	j := Judgment{Target: t, Verdict: notRun}
	j.Limit = fmt.Sprintf(t.Measure.text, t.Program, t.Measure.show(t.Bound), t.Against)
	for i := range outcomes {
		if outcomes[i].Contest.Name == t.Contest {
			j.Found, j.Verdict = t.judge(&outcomes[i])
		}
	}
	return j
}

// judge returns what is found in the outcome of the target's contest, and the verdict.
func (t Target) judge(o *Outcome) (found Summary, verdict string) {
	var samples [2][]Sample
	for i, name := range []string{t.Program, t.Against} {
		if name == "" {
			continue
		}
		switch r := o.Result(name); {
		case r == nil:
			return found, name + " is not installed"
		case r.Failure != "":
			return found, name + " failed"
		case len(r.Samples) == 0:
			return found, name + " was not run"
		default:
			samples[i] = r.Samples
		}
	}
	found = t.Measure.found(samples[0], samples[1], o.Contest.Bytes)
	switch {
	case found.N == 0:
		return found, "not seen"
	case t.Measure.atLeast && found.Median < t.Bound, !t.Measure.atLeast && found.Median > t.Bound:
		return found, notMet
	}
	return found, met
}
