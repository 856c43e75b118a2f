package zaharia10

import (
	"context"
	"fmt"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// Fig3 is [Zaharia10 Fig 3]: the highest locality that naive fair sharing
// can expect when every freed slot goes back to the job that held it.
func Fig3(_ context.Context, _ study.Options) (*study.Result, error) {
	r := &study.Result{
		Setup: []string{
			"Formula of §3.3.2, 1 − (1 − f)^(RL) with f = 1/jobs; nothing is simulated.",
			"The figure's image is not reproduced in the text we have, so which (R, L) curves it " +
				"draws is unknown; we draw R·L from 1 to 24.",
		},
	}
	fig := study.Figure{
		Name: "fig3", Title: "Bound on locality with sticky slots", X: "number of concurrent jobs",
		Y: "expected locality (%)",
	}
	for _, rl := range []int{1, 2, 3, 6, 12, 18, 24} {
		s := &study.Series{Name: fmt.Sprintf("R·L = %d", rl)}
		for jobs := 1; jobs <= 50; jobs++ {
			s.X = append(s.X, float64(jobs))
			s.Y = append(s.Y, 100*delaymath.StickyBound(1/float64(jobs), rl, 1))
		}
		fig.Series = append(fig.Series, s)
	}
	r.Figures = []study.Figure{fig}
	bound := func(jobs, rl int) float64 {
		return 100 * delaymath.StickyBound(1/float64(jobs), rl, 1)
	}
	r.Rows = []study.Row{
		study.FollowsRow("bound at 15 jobs, R·L = 18", "%", "below 80 %", study.Less(80),
			study.Sure(bound(15, 18))),
		study.FollowsRow("bound at 30 jobs, R·L = 18", "%", "below 50 %", study.Less(50),
			study.Sure(bound(30, 18))),
		study.Shown("bound at 15 jobs, R·L = 24", "%",
			study.Sure(bound(15, 24))).Saying("below 80 %, \"even for large R and L\""),
	}
	r.Notes = []string{
		"The sentence of §3.3.2 (\"below 80 % at 15 jobs and below 50 % at 30\") holds for R·L " +
			"up to about 20; at R·L = 24 the formula itself gives 80.9 % and 55.7 %.",
	}
	return r, nil
}
