package bench

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestJudge(t *testing.T) {
	sample := walls(1)[0]
	sample.PeakRSS, sample.Private, sample.CPU = 500*mib, 200*mib, 3*time.Second
	limit := walls(0.8)
	limit[0].CPU = 2 * time.Second
	outcomes := []Outcome{{Contest: Contest{Name: "wordcount zipf", Bytes: 2e9}, Results: []Result{
		{Program: Program{Name: "tarry"}, Samples: []Sample{sample}},
		{Program: Program{Name: "limit"}, Samples: limit},
		{Program: Program{Name: "DuckDB"}, Samples: walls(2)},
		{Program: Program{Name: "broken"}, Err: errors.New("exit status 1")},
	}}}
	figures := []Figure{{Name: TinyRound, Value: 2, Unit: "ms"}}
	target := func(m Measure, against string, bound float64) Target {
		return Target{
			Contest: "wordcount zipf", Program: "tarry", Measure: m, Against: against, Bound: bound,
		}
	}
	for _, c := range []struct {
		target  Target
		verdict Verdict
		found   float64
		why     string
	}{
		{target(TimesOther, "limit", 1.35), Met, 1.25, ""},
		{target(TimesOther, "limit", 1.2), NotMet, 1.25, ""},
		{target(CPUTimesOther, "limit", 1.6), Met, 1.5, ""},
		{target(CPUTimesOther, "limit", 1.4), NotMet, 1.5, ""},
		{target(CPUTimesOther, "broken", 1), Unknown, 0, "broken failed"},
		{target(FasterThan, "DuckDB", 2), Met, 2, ""},
		{target(FasterThan, "DuckDB", 2.5), NotMet, 2, ""},
		{target(PrivatePeak, "", 300*mib), Met, 200 * mib, ""},
		{target(RSSPeak, "", 300*mib), NotMet, 500 * mib, ""},
		{target(BytesPerSec, "", 1e9), Met, 2e9, ""},
		{target(FigureMax, TinyRound, 1), NotMet, 2, ""},
		{target(FigureMax, TinyRound, 2), Met, 2, ""},
		{target(FigureMax, RankTimes, 20), Unknown, 0, "not run"},
		{target(TimesOther, "mawk", 1), Unknown, 0, "mawk is not installed"},
		{target(TimesOther, "broken", 1), Unknown, 0, "broken failed"},
		{
			Target{Contest: "wordcount zipf", Program: "limit", Measure: PrivatePeak, Bound: 1},
			Unknown, 0, "not seen",
		},
		{Target{Contest: "sort lines", Program: "tarry"}, Unknown, 0, "not run"},
	} {
		j := Judge(c.target, outcomes, figures)
		require.Equal(t, c.verdict, j.Verdict, "%+v", c.target)
		require.InDelta(t, c.found, j.Found.Median, 1e-9)
		require.Equal(t, c.why, j.Why)
	}
}

// Every target refers to a contest that exists and to programs that take part in it.
func TestTargetsReferToContests(t *testing.T) {
	setup := Setup{
		Tarry: "tarry", Limit: "limit", UserJobs: "userjobs", Cores: 2, Size: 1,
		Inputs: Inputs{Tera4: "x"},
	}
	// may be missing on this machine
	names := map[string]bool{"DuckDB": true, "chdb": true, "ripgrep": true, "GNU grep": true}
	for _, c := range Contests(setup) {
		for _, p := range c.Programs {
			names[c.Name+"/"+p.Name] = true
		}
	}
	for _, target := range Targets() {
		if target.Contest == "" {
			continue
		}
		require.True(t, names[target.Contest+"/"+target.Program], "%+v", target)
		if target.Against != "" {
			require.True(t, names[target.Against] || names[target.Contest+"/"+target.Against],
				"%+v", target)
		}
	}
}
