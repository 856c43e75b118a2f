package scheduling

import "github.com/tarry-mr/tarry/scheduling/internal/index"

// newNaiveFair makes the order "fair": the job with the fewest running tasks first [Zaharia10
// Algorithm 1]. The printed algorithm has no exit after a launch; one slot launches one task.
func newNaiveFair(c *Core, _ *Policy) (order, error) {
	return &flatOrder{simple: simple{c}, rankOf: func(j *job, k TaskKind) index.Rank {
		return index.Rank{Value: float64(j.w[k].running), Tie: int64(j.id)}
	}}, nil
}
