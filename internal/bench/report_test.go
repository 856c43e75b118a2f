package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func someReport() *Report {
	tarry := walls(1.5, 2)
	tarry[0].Private, tarry[0].PeakRSS, tarry[0].CPU = 200*mib, 1300*mib, tarry[0].Wall*2
	limit := walls(1, 1)
	limit[0].CPU = 2 * time.Second
	o := Outcome{Contest: Contest{Name: "terasort", Bytes: 1 << 30}, Rounds: 2, Results: []Result{
		{Program: Program{Name: "tarry"}, Samples: tarry},
		{Program: Program{Name: "limit"}, Samples: limit},
		{Program: Program{Name: "GNU sort"}, Err: errors.New("exit status 2")},
	}}
	r := &Report{
		Machine: "a machine", Size: 1 << 30, Outcomes: []Outcome{o},
		Figures: []Figure{{TinyRound, 30, "ms"}},
	}
	for _, t := range []Target{
		{"terasort", "terasort", "tarry", TimesOther, "limit", 1.6},
		{"terasort", "terasort", "tarry", FasterThan, "GNU sort", 4},
		{"terasort", "terasort", "tarry", PrivatePeak, "", 300 * mib},
		{"tiny rounds", "", "", FigureMax, TinyRound, 20},
		{"sort", "sort lines", "tarry", FasterThan, "GNU sort", 3},
	} {
		r.Judgments = append(r.Judgments, Judge(t, r.Outcomes, r.Figures))
	}
	return r
}

func TestReportText(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, someReport().Write(&out))
	require.Equal(t, `a machine, inputs of 1.0 GiB

terasort (1.0 GiB, 2 rounds)
  program   wall s  min–max      MB/s  CPU s  RSS peak  private  times limit  min–max    CPU/limit's
  tarry     1.750   1.500–2.000  614   1.50   1.3 GiB   200 MiB  1.75         1.50–2.00  1.50
  limit     1.000   1.000–1.000  1074  1.00   0 B       0 B      1.00         1.00–1.00  1.00
  GNU sort  failed: exit status 2

Rounds over datasets in memory
  tiny round  30 ms

How good
  row          contest   bound                            found    min–max  verdict
  terasort     terasort  tarry ≤ 1.6 × limit              1.75     1.5–2    NOT MET
  terasort     terasort  tarry ≥ 4 × as fast as GNU sort  –                 GNU sort failed
  terasort     terasort  tarry: private ≤ 300 MiB         200 MiB           met
  tiny rounds            tiny round ≤ 20                  30                NOT MET
  1 more are those of contests that were not run
`, out.String())
}

func TestReportJSON(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, someReport().WriteJSON(&out))
	var back jsonReport
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	require.Equal(t, []jsonSample{{1.5, 3, 1300 * mib, 200 * mib}, {Wall: 2}},
		back.Contests[0].Programs[0].Samples)
	require.Equal(t, "exit status 2", back.Contests[0].Programs[2].Error)
	require.Equal(t, jsonTarget{
		Row: "terasort", Contest: "terasort", Bound: "tarry ≤ 1.6 × limit", Verdict: "NOT MET",
		Found: 1.75, Min: 1.5, Max: 2,
	}, back.Targets[0])
	require.Equal(t, "GNU sort failed", back.Targets[1].Verdict)
}
