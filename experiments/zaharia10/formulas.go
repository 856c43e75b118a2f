package zaharia10

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling/delaymath"
)

// formulas is the worked numbers of [Zaharia10 §3.2, §3.5, §3.5.1, §4.1].
func formulas(s *study.Study) {
	percent := func(p float64) study.Sample { return study.Sure(100 * p) }
	d95 := delaymath.Equation2(0.95, 20, 1000, 3) / 1000
	wait := delaymath.Wait(d95*1000, delaymath.Rate(8*1000, time.Second)).Seconds()
	w1 := delaymath.Offers(10*time.Second, 27)
	s.Formula("§3.5: local within D = 10 offers, data on 10 % of nodes", "%", 65, 0.5,
		percent(delaymath.LocalWithin(0.1, 10)))
	s.Formula("§3.5: the same, D = 40", "%", 99, 0.5, percent(delaymath.LocalWithin(0.1, 40)))
	s.Formula("Eq 2: least D for λ = 0.95, N = 20, R = 3", "M", 0.23, 0.005, study.Sure(d95))
	s.Formula("§3.5: longest wait for it, L = 8", "% of T", 2.8, 0.1, percent(wait))
	s.Follows("§3.5.1: all replica nodes blocked, φ = 0.8, R·L = 18", "%", "less than 2 %",
		study.Less(2), percent(delaymath.Blocked(0.8, 3, 6)))
	racks := delaymath.Racks{Count: 31, PerBlock: 2} // of 20 nodes, the smallest of §3.6
	s.Follows("§3.6: D2 over D1 for λ = 0.95, N = 20, 620 nodes in 31 racks", "×",
		"can be much smaller; less than half is our reading", study.Less(0.5),
		study.Sure(racks.Equation2(0.95, 20)/delaymath.Equation2(0.95, 20, 620, 3)))
	s.Formula("§3.2: time to reassign 271 slots at 3,100 slots, 27.1 freed a second", "s", 10, 0.01,
		study.Sure(delaymath.Wait(271, 27.1).Seconds()))
	s.Formula("§4.1: offers in W1 = 10 s at 27 slots/s", "", 270, 0.5, study.Sure(w1))
	s.Formula("§4.1: locality of one-map jobs at M = 620, R = 3", "%", 73, 0.5,
		percent(delaymath.ExpectedLocality(w1, 1, 620, 3)))
	s.Follows("§4.1: locality of ten-map jobs", "%", "90 %", study.AtLeast(90),
		percent(delaymath.ExpectedLocality(w1, 10, 620, 3)))
	s.Shown("§4.1: ten-map jobs, the paper's own formula", "%",
		percent(delaymath.LocalitySum(w1, 10, 620, 3)))
}
