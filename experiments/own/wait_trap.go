package own

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// waitTrap measures the problem of SPARK-18886: if each local launch resets the wait, a job whose
// tasks are shorter than the wait stays on the node with its data.
func waitTrap(s *study.Study) {
	const nodes, maps = 100, 500
	cfg := simulator.Config{
		Cluster: simulator.Cluster{Setup: -1, ReadRate: 1e15}, Interval: time.Second,
		Drive: simulator.HeartbeatDrive,
		// All data is on one node.
		Places: func(int) scheduling.Places { return setup.Places(maps, func(int) []int { return []int{0} }) },
	}
	for i := range nodes { // they beat in turn
		cfg.Cluster.Machines = append(cfg.Cluster.Machines, simulator.Machine{
			MapSlots: 1, Beat: time.Duration(i)*time.Second/nodes + 1,
		})
	}
	bars := s.Plot("trap")
	var took [4]float64
	for i, name := range []string{"paper, 5 s", "capped, 5 s", "paper, 7 s", "capped, 7 s"} {
		cfg.Policy = study.Policy("fair", "fair", setup.Waits(6*time.Second, 0),
			func(p *scheduling.Policy) { p.Locality.Capped = i%2 == 1 }).Policy
		r := s.Run(cfg, &workload.Workload{Jobs: []workload.Job{{
			Name: "trap", User: "u", Maps: maps,
			Map: workload.Cost{CPU: -1, Time: time.Duration(5+i/2*2) * time.Second},
		}}})
		took[i] = r.Jobs[0].Sojourn().Seconds()
		bars.Bar("time of the job", name, took[i])
	}
	s.Row("tasks of 5 s: the rule of the paper against the capped one", study.Sure(took[0]/took[1]))
	s.Row("tasks of 5 s, rule of the paper", study.Sure(took[0]))
	s.Row("the rule of the paper, tasks of 5 s against tasks of 7 s", study.Sure(took[0]/took[2]))
	s.Row("tasks of 5 s, capped", study.Sure(took[1]))
	s.Row("tasks of 7 s, capped", study.Sure(took[3]))
}
