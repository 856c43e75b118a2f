package zaharia10

import (
	"fmt"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// fig3 computes [Zaharia10 Fig 3]: the highest expected locality of naive fair sharing, if every
// freed slot returns to the job that held it.
func fig3(s *study.Study) {
	bound := func(jobs, rl int) float64 {
		return 100 * delaymath.StickyBound(1/float64(jobs), rl, 1)
	}
	fig := s.Plot("fig3")
	for _, rl := range []int{1, 2, 3, 6, 12, 18, 24} {
		for jobs := 1; jobs <= 50; jobs++ {
			fig.Add(fmt.Sprintf("R·L = %d", rl), float64(jobs), bound(jobs, rl))
		}
	}
	s.Row("bound at 15 jobs, R·L = 18", study.Sure(bound(15, 18)))
	s.Row("bound at 30 jobs, R·L = 18", study.Sure(bound(30, 18)))
	s.Row("bound at 15 jobs, R·L = 24", study.Sure(bound(15, 24)))
}
