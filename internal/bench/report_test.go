package bench

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func someReport() *Report {
	tarry := walls(1.5, 2)
	tarry[0].Private, tarry[0].PeakRSS, tarry[0].CPU = 200*mib, 1300*mib, 3
	limit := walls(1, 1)
	limit[0].CPU = 2
	r := &Report{Machine: "a machine", Size: 1 << 30, Outcomes: []Outcome{
		{Contest: Contest{Name: "terasort", Bytes: 1 << 30}, Rounds: 2, Results: []Result{
			{Program: Program{Name: "tarry"}, Samples: tarry},
			{Program: Program{Name: "limit"}, Samples: limit},
			{Program: Program{Name: "GNU sort"}, Failure: "exit status 2"},
		}},
		{Contest: Contest{Name: TinyRounds}, Rounds: 1, Results: []Result{{Program: Program{Name: "tarry"}, Samples: walls(30)}}},
	}}
	for _, t := range []Target{
		{"terasort", "terasort", "tarry", TimesOther, "limit", 1.6},
		{"terasort", "terasort", "tarry", FasterThan, "GNU sort", 4},
		{"terasort", "terasort", "tarry", PrivatePeak, "", 300 * mib},
		{"tiny rounds", TinyRounds, "tarry", Seconds, "", 20},
		{"sort", "sort lines", "tarry", FasterThan, "GNU sort", 3},
	} {
		r.Judgments = append(r.Judgments, Judge(t, r.Outcomes))
	}
	return r
}

func TestReportText(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, someReport().Write(&out))
	require.Equal(t, `a machine, inputs of 1.0 GiB

terasort (1.0 GiB, 2 rounds)
  program   wall s  min–max      MB/s  CPU s  RSS peak  private  times limit  min–max  CPU/limit's
  tarry     1.750   1.500–2.000  614   1.50   1.3 GiB   200 MiB  1.75         1.5–2    1.5
  limit     1.000   1.000–1.000  1074  1.00   0 B       0 B      1            1–1      1
  GNU sort  failed: exit status 2

1000 tiny rounds (1 rounds)
  program  wall s  min–max  MB/s  CPU s  RSS peak  private  times limit  min–max  CPU/limit's
  tarry    30.000           0     0.00   0 B       0 B      –                     –

How good
  row          contest           bound                            found    min–max  verdict
  terasort     terasort          tarry ≤ 1.6 × limit              1.75     1.5–2    NOT MET
  terasort     terasort          tarry ≥ 4 × as fast as GNU sort  –                 GNU sort failed
  terasort     terasort          tarry: private ≤ 300 MiB         200 MiB           met
  tiny rounds  1000 tiny rounds  tarry ≤ 20 s                     30                NOT MET
  1 more are those of contests that were not run
`, out.String())
}

func TestReportJSON(t *testing.T) {
	b, err := json.Marshal(someReport())
	require.NoError(t, err)
	var back Report
	require.NoError(t, json.Unmarshal(b, &back))
	require.Equal(t, someReport().Outcomes, back.Outcomes)
	j := back.Judgments[0]
	require.Equal(t, "tarry ≤ 1.6 × limit", j.Limit)
	require.Equal(t, Summary{Median: 1.75, Min: 1.5, Max: 2, N: 2}, j.Found)
	require.Equal(t, notMet, j.Verdict)
	require.Equal(t, "GNU sort failed", back.Judgments[1].Verdict)
}
