package play

import (
	"cmp"
	"fmt"

	"github.com/tarry-mr/tarry/scheduling/delaymath"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// Curve is the fraction of node-local maps as a function of D, the number of skips that a job
// accepts. Delay scheduling's formula predicts Line; simulations measure Dots.
type Curve struct {
	Line []Point `json:"line"` // delaymath.Algorithm2Locality at each D from 0 to the last of Dots
	Dots []Point `json:"dots"` // one simulation each
}

// Point is the fraction of node-local maps at one D.
type Point struct {
	D     int     `json:"d"`
	Local float64 `json:"local"` // 0 to 1
}

// replicas is the number of replicas of each block, in the formula as in simulations.
const replicas = 3

// curve simulates a set-up for each D in skips, and computes the formula up to the largest D.
func curve(s *Setup, skips []int) (*Curve, error) {
	if len(skips) == 0 || len(skips) > 20 {
		return nil, fmt.Errorf("curve: %d values of D, want 1 to 20", len(skips))
	}
	w, err := s.workload()
	if err != nil {
		return nil, err
	}
	var c Curve
	most := 0
	for _, d := range skips {
		if d < 0 || d > 1000 {
			return nil, fmt.Errorf("curve: D is %d, want 0 to 1000", d)
		}
		one := *s
		one.Set = append(append([]string{}, s.Set...), fmt.Sprintf("locality.skips=%d", d))
		res, err := one.run(nil, nil)
		if err != nil {
			return nil, err
		}
		maps := &res.Report.Maps
		c.Dots = append(c.Dots, Point{d, float64(maps.NodeLocal) / float64(max(1, maps.All()))})
		most = max(most, d)
	}
	nodes := cmp.Or(s.Nodes, 10)
	for d := range most + 1 {
		c.Line = append(c.Line, Point{d, expected(d, w.Jobs, nodes)})
	}
	return &c, nil
}

// expected returns the fraction of node-local maps that the formula predicts for D = d.
func expected(d int, jobs []workload.Job, nodes int) float64 {
	sum, maps := 0.0, 0
	for i := range jobs {
		n := jobs[i].Maps
		if n > 0 {
			sum += float64(n) * delaymath.Algorithm2Locality(d, n, nodes, min(replicas, nodes))
			maps += n
		}
	}
	return sum / float64(max(1, maps))
}
