package own

import (
	"errors"
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
)

// waitTrap measures the problem of SPARK-18886: if each local launch resets the wait, a job whose
// tasks are shorter than the wait stays on the node with its data.
func waitTrap(s *study.Study) {
	bars := s.Plot("trap").Bars("paper, 5 s", "capped, 5 s", "paper, 7 s", "capped, 7 s").Line("time of the job")
	var took [4]float64
	for i := range took {
		took[i] = trapRun(s, time.Duration(5+i/2*2)*time.Second, i%2 == 1).Seconds()
	}
	bars.Y = took[:]
	s.Row("tasks of 5 s: the rule of the paper against the capped one", study.Sure(took[0]/took[1]))
	s.Row("tasks of 5 s, rule of the paper", study.Sure(took[0]))
	s.Row("the rule of the paper, tasks of 5 s against tasks of 7 s", study.Sure(took[0]/took[2]))
	s.Row("tasks of 5 s, capped", study.Sure(took[1]))
	s.Row("tasks of 7 s, capped", study.Sure(took[3]))
}

// trapRun returns how long a job takes whose maps take the time task and have all data on one node.
func trapRun(s *study.Study, task time.Duration, capped bool) time.Duration {
	const nodes, maps = 100, 500
	p := study.Policy("fair", "fair", setup.Waits(6*time.Second, 0),
		func(p *scheduling.Policy) { p.Locality.Capped = capped })
	core := setup.NewCore(s.Check, scheduling.Config{}, p)
	for i := range nodes {
		core.Join(scheduling.Node{Name: fmt.Sprintf("node%03d", i+1), MapSlots: 1})
	}
	job := core.Submit(scheduling.JobSpec{
		Name: "trap", Maps: maps, Places: setup.Places(maps, func(int) []int { return []int{0} }),
	})
	var running [nodes]scheduling.AttemptID
	var ends [nodes]time.Duration
	for now := time.Duration(0); now < 10_000*time.Second; now += time.Second / nodes {
		s.Check(s.Context().Err())
		n := int(now / (time.Second / nodes) % nodes)
		h := scheduling.Heartbeat{Node: scheduling.NodeID(n)}
		if ends[n] > 0 && ends[n] <= now {
			h.Statuses = []scheduling.Status{
				{Attempt: running[n], State: scheduling.StateSucceeded},
			}
			ends[n] = 0
		}
		for _, order := range core.Beat(now, h) {
			running[n], ends[n] = order.Attempt, now+task
		}
		if core.View().State(job).Ended() {
			return now
		}
	}
	s.Check(errors.New("the job did not end within 10,000 s"))
	return 0
}
