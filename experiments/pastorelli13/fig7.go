package pastorelli13

import (
	"fmt"
	"time"

	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// fig7 reproduces [Pastorelli13 Fig 7], which compares three ways to take reduce slots back.
func fig7(s *study.Study) {
	eager, wait, kill := ways7(s, 400) // the reduces are inferred from both published means
	bars := s.Plot("fig7")
	for i, r := range []*simulator.Result{eager, wait, kill} {
		for k := range r.Jobs {
			bars.Bar([3]string{"eager", "wait", "kill"}[i], fmt.Sprintf("j%d", k+1), r.Jobs[k].Sojourn().Minutes())
		}
	}
	s.Row("kill: tasks of job 1 killed", study.Sure(float64(kill.Report.Preempted.Killed)))
	s.Row("eager: tasks of job 1 suspended", study.Sure(float64(eager.Report.Preempted.Suspended)))
	s.Row("wait: mean sojourn longer than eager by",
		study.Sure(100*(wait.Report.Sojourn.Mean/eager.Report.Sojourn.Mean-1)))
	s.Row("kill: job 1 against eager", study.Sure(kill.Jobs[0].Sojourn().Minutes()/eager.Jobs[0].Sojourn().Minutes()))
	s.Row("eager: mean sojourn", study.Sure(eager.Report.Sojourn.Mean/60))
	s.Row("wait: mean sojourn", study.Sure(wait.Report.Sojourn.Mean/60))
	t := s.Table("small-reduces")
	for _, seconds := range []int{50, 100, 200, 300, 350, 400, 450, 480} {
		eager, wait, kill := ways7(s, seconds)
		t.Add(fmt.Sprint(seconds), eager.Report.Sojourn.Mean/60, wait.Report.Sojourn.Mean/60,
			kill.Report.Sojourn.Mean/60, eager.Jobs[0].Sojourn().Minutes(),
			kill.Jobs[0].Sojourn().Minutes())
	}
}

// ways7 runs the jobs, whose small reduces take small seconds, under each of the three ways.
func ways7(s *study.Study, small int) (eager, wait, kill *simulator.Result) {
	run := func(way scheduling.Reclaim) *simulator.Result {
		w := workload.Preemption()
		for k := range w.Jobs[1:] {
			w.Jobs[k+1].Reduce.Time = time.Duration(small) * time.Second
		}
		return s.Run(onFourNodes(s.Seed, func(h *scheduling.HFSPPolicy) { h.Reclaim, h.NoTraining = way, false }), &w)
	}
	return run(scheduling.EagerSuspend), run(scheduling.WaitForSlot), run(scheduling.KillLarger)
}

// onFourNodes returns a changed hfsp, which knows job sizes, on 4 nodes with 2 reduce slots each.
func onFourNodes(seed uint64, change func(*scheduling.HFSPPolicy)) simulator.Config {
	p := study.Policy("hfsp", "hfsp", func(p *scheduling.Policy) {
		p.HFSP.NoTraining = true
		change(&p.HFSP)
	})
	return simulator.Config{
		Cluster: simulator.Cluster{Nodes: 4, MapSlots: 2, ReduceSlots: 2}, Policy: p.Policy, Seed: seed,
	}
}
