package pastorelli13

import (
	"fmt"
	"math"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// fluidJob is a job of the paper's examples. It arrives at arrive seconds, can use the fraction
// width of the cluster, and takes length seconds on that fraction.
type fluidJob struct {
	arrive, length, width float64
	ps                    float64 // its end under processor sharing in seconds, computed by hand
}

// fig1 reproduces [Pastorelli13 Figs 1 and 2]: processor sharing against FSP in two examples.
func fig1(s *study.Study) {
	example(s, "Fig 1", []fluidJob{{0, 30, 1, 50}, {10, 10, 1, 37.5}, {15, 10, 1, 42.5}})
	example(s, "Fig 2", []fluidJob{{0, 30, 1, 39}, {10, 10, 0.55, 24.5}, {13, 10, 0.35, 23.5}})
}

// example simulates the jobs of one of these examples under hfsp, and adds its rows.
func example(s *study.Study, name string, jobs []fluidJob) {
	const slots = 20
	known := func(p *scheduling.Policy) { p.HFSP.NoTraining = true }
	w := workload.Workload{Name: "worked example"}
	for i, j := range jobs {
		tasks, length := int(math.Round(slots*j.width)), j.length
		if i == 0 {
			tasks, length = tasks*int(2*length), 0.5
		}
		w.Jobs = append(w.Jobs, workload.Job{
			Name: fmt.Sprintf("j%d", i+1), User: "u", Maps: tasks, NoLocation: true,
			Submit: time.Duration(j.arrive * float64(time.Second)),
			Map:    workload.Cost{Setup: -1, Time: time.Duration(length * float64(time.Second))},
		})
	}
	r := s.Run(simulator.Config{
		Cluster: simulator.Cluster{Nodes: 1, MapSlots: slots},
		Policy:  study.Policy("hfsp", "hfsp", known).Policy,
	}, &w)
	var fsp []float64 // ends in seconds
	sooner := 0.0
	for i, j := range jobs {
		fsp = append(fsp, r.Jobs[i].Ended.Seconds())
		sooner += (j.ps - fsp[i]) / float64(len(jobs))
		s.Row(fmt.Sprintf("%s, FSP: end of j%d", name, i+1), study.Sure(fsp[i]))
	}
	s.Row(name+", FSP: j2 ends before j3 by", study.Sure(fsp[2]-fsp[1]))
	s.Row(name+", FSP: j3 ends before j1 by", study.Sure(fsp[0]-fsp[2]))
	s.Row(name+": mean end under processor sharing less that under FSP", study.Sure(sooner))
}
