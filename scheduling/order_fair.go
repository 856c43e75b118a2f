package scheduling

// newNaiveFair makes the order "fair": the job with the fewest running tasks first [Zaharia10
// Algorithm 1]. The printed algorithm has no exit after a launch; one slot launches one task.
func newNaiveFair(c *Core, _ *Policy) (order, error) {
	return &flatOrder{c: c, rankOf: func(j *job, k TaskKind) rank {
		return rank{value: float64(j.w[k].running), tie: int64(j.id)}
	}}, nil
}
