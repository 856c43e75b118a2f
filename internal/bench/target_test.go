package bench

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJudge(t *testing.T) {
	own, limit := Sample{Wall: 1, CPU: 3, PeakRSS: 500 * mib, Private: 200 * mib}, Sample{Wall: 0.8, CPU: 2}
	outcomes := []Outcome{{Contest: Contest{Name: "wordcount zipf", Bytes: 2e9}, Results: []Result{
		{Program: Program{Name: "tarry"}, Samples: []Sample{own}},
		{Program: Program{Name: "limit"}, Samples: []Sample{limit}},
		{Program: Program{Name: "DuckDB"}, Samples: walls(2)},
		{Program: Program{Name: "broken"}, Failure: "exit status 1"},
	}}}
	for _, c := range []struct {
		program string
		measure Measure
		against string
		bound   float64
		verdict string
		found   float64
	}{
		{"tarry", TimesOther, "limit", 1.35, met, 1.25},
		{"tarry", TimesOther, "limit", 1.2, notMet, 1.25},
		{"tarry", CPUTimesOther, "limit", 1.6, met, 1.5},
		{"tarry", CPUTimesOther, "limit", 1.4, notMet, 1.5},
		{"tarry", CPUTimesOther, "broken", 1, "broken failed", 0},
		{"tarry", FasterThan, "DuckDB", 2, met, 2},
		{"tarry", FasterThan, "DuckDB", 2.5, notMet, 2},
		{"tarry", PrivatePeak, "", 300 * mib, met, 200 * mib},
		{"tarry", RSSPeak, "", 300 * mib, notMet, 500 * mib},
		{"tarry", MegaPerSec, "", 1000, met, 2000},
		{"tarry", MegaPerSec, "", 3000, notMet, 2000},
		{"tarry", Seconds, "", 1, met, 1},
		{"tarry", Seconds, "", 0.9, notMet, 1},
		{"tarry", TimesOther, "mawk", 1, "mawk is not installed", 0},
		{"tarry", TimesOther, "broken", 1, "broken failed", 0},
		{"limit", PrivatePeak, "", 1, "not seen", 0},
	} {
		target := Target{Contest: "wordcount zipf", Program: c.program, Measure: c.measure, Against: c.against, Bound: c.bound}
		j := Judge(target, outcomes)
		require.Equal(t, c.verdict, j.Verdict, j.Limit)
		require.InDelta(t, c.found, j.Found.Median, 1e-9, j.Limit)
		target.Contest = "sort lines"
		require.Equal(t, notRun, Judge(target, outcomes).Verdict)
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
	for _, rounds := range []string{RankRounds, MeansRounds, TinyRounds} {
		names[rounds+"/tarry"], names[rounds+"/limit"] = true, true
	}
	for _, c := range Contests(setup) {
		for _, p := range c.Programs {
			names[c.Name+"/"+p.Name] = true
		}
	}
	for _, target := range Targets() {
		require.True(t, names[target.Contest+"/"+target.Program], "%+v", target)
		if target.Against != "" {
			require.True(t, names[target.Against] || names[target.Contest+"/"+target.Against],
				"%+v", target)
		}
	}
}
