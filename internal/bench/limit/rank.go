package limit

// Graph is a directed graph in rows: node i links to To[First[i]:First[i+1]].
type Graph struct {
	First []int32 // one more than there are nodes
	To    []int32
}

// PageRank runs iterations of PageRank, as a programmer would write it: each goroutine visits a
// share of the nodes and adds their ranks to its own sums, which are then merged. All nodes share
// the rank of nodes without links. It returns the ranks, whose sum is 1.
func PageRank(g Graph, damping float64, rounds, goroutines int) []float64 {
	n := len(g.First) - 1 // nodes
	ranks, sums, lost := make([]float64, n), make([][]float64, goroutines), make([]float64, goroutines)
	for i := range ranks {
		ranks[i] = 1 / float64(n)
	}
	for i := range sums {
		sums[i] = make([]float64, n)
	}
	for range rounds {
		parallel(goroutines, func(at int) {
			from, to := n*at/goroutines, n*(at+1)/goroutines
			lost[at] = g.handOn(ranks, sums[at], from, to)
		})
		besides := 0.
		for _, l := range lost {
			besides += l
		}
		besides = (damping*besides + 1 - damping) / float64(n)
		parallel(goroutines, func(at int) {
			for i := n * at / goroutines; i < n*(at+1)/goroutines; i++ {
				sum := 0.
				for _, s := range sums {
					sum += s[i]
				}
				ranks[i] = besides + damping*sum
			}
		})
	}
	return ranks
}

// handOn sets sums to what nodes [from, to) pass over links; lost is the rank of nodes without.
func (g Graph) handOn(ranks, sums []float64, from, to int) (lost float64) {
	clear(sums)
	for i := from; i < to; i++ {
		links := g.To[g.First[i]:g.First[i+1]]
		if len(links) == 0 {
			lost += ranks[i]
			continue
		}
		part := ranks[i] / float64(len(links))
		for _, to := range links {
			sums[to] += part
		}
	}
	return lost
}
