package zaharia10

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// formulas computes the examples of formulas in [Zaharia10 §3.2, §3.5, §3.5.1, §4.1].
func formulas(s *study.Study) {
	percent := func(p float64) study.Sample { return study.Sure(100 * p) }
	d95 := delaymath.Equation2(0.95, 20, 1000, 3) / 1000
	wait := delaymath.Wait(d95*1000, delaymath.Rate(8*1000, time.Second)).Seconds()
	w1 := delaymath.Offers(10*time.Second, 27)
	s.Row("§3.5: local within D = 10 offers, data on 10 % of nodes",
		percent(delaymath.LocalWithin(0.1, 10)))
	s.Row("§3.5: the same, D = 40", percent(delaymath.LocalWithin(0.1, 40)))
	s.Row("Eq 2: least D for λ = 0.95, N = 20, R = 3", study.Sure(d95))
	s.Row("§3.5: longest wait for it, L = 8", percent(wait))
	s.Row("§3.5.1: all replica nodes blocked, φ = 0.8, R·L = 18",
		percent(delaymath.Blocked(0.8, 3, 6)))
	racks := delaymath.Racks{Count: 31, PerBlock: 2} // of 20 nodes, the smallest of §3.6
	s.Row("§3.6: D2 over D1 for λ = 0.95, N = 20, 620 nodes in 31 racks",
		study.Sure(racks.Equation2(0.95, 20)/delaymath.Equation2(0.95, 20, 620, 3)))
	s.Row("§3.2: time to reassign 271 slots at 3,100 slots, 27.1 freed a second",
		study.Sure(delaymath.Wait(271, 27.1).Seconds()))
	s.Row("§4.1: offers in W1 = 10 s at 27 slots/s", study.Sure(w1))
	s.Row("§4.1: locality of one-map jobs at M = 620, R = 3",
		percent(delaymath.ExpectedLocality(w1, 1, 620, 3)))
	s.Row("§4.1: locality of ten-map jobs", percent(delaymath.ExpectedLocality(w1, 10, 620, 3)))
	s.Row("§4.1: ten-map jobs, the paper's own formula",
		percent(delaymath.LocalitySum(w1, 10, 620, 3)))
}
