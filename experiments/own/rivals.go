package own

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// rivalWait is the wait of delay scheduling for a node, and Quincy's cost of a non-local read.
const rivalWait = 5 * time.Second

// rivalPolicies returns the compared schedulers: fifo, fair, delay, hfs and three of Quincy.
func rivalPolicies() study.Contenders {
	quincy := func(name string, rule scheduling.QuincyRule, floor float64) simulator.Contender {
		return study.Policy(name, "quincy", func(p *scheduling.Policy) {
			p.Quincy = scheduling.QuincyPolicy{Rule: rule, Rack: rivalWait, Far: rivalWait, Floor: floor}
		})
	}
	return study.Contenders{
		study.Policy("fifo", "fifo"), study.Policy("fair", "fair"), study.Policy("delay", "delay"),
		study.Policy("hfs", "hfs", setup.Waits(rivalWait, 0), setup.Packed),
		quincy("quincy QF", scheduling.QF, 0), quincy("quincy QF, no floor", scheduling.QF, -1),
		quincy("quincy QFP", scheduling.QFP, 0),
	}
}

// rivals compares delay scheduling with Quincy, for maps of a few seconds and for long maps. Quincy
// assigns all maps to all slots at once, and may kill maps.
func rivals(s *study.Study) {
	s.Fill("wait", rivalWait)
	local := s.Plot("locality")
	cluster := setup.MacroCluster(setup.MacroBlock, setup.Contended(setup.RemoteLink))
	if !s.Quick {
		rivalry(s, local, "IO-heavy", cluster, workload.FacebookIO, setup.MacroMap-setup.MacroBlock)
	}
	cluster.Cluster.MapSlots = 1
	w := workload.Scans(10, 50, 0) // if the maps compute for a minute, they fill 90 of 100 slots
	for i := range w.Jobs {
		w.Jobs[i].Submit = time.Duration(i) * 40 * time.Second
	}
	rivalry(s, local, "long maps, one slot", cluster, study.Always(w), 60*time.Second)
}

// rivalry runs a load whose maps compute for longer by more. It adds rows for each policy, and rows
// for what [Zaharia10] says about Quincy.
func rivalry(
	s *study.Study, local *study.Figure, name string, cfg simulator.Config, load study.Load,
	more time.Duration,
) {
	load = setup.Capped(s, 20, study.Changed(load, func(j *workload.Job) {
		j.Map.Time += more
		j.Map.Spread = 0.4
	}))
	all := s.Compare(cfg, rivalPolicies(), s.Repeats(1, 10), load)
	for _, r := range all {
		here := r.By(study.NodeLocal)
		local.Bar(name, r.Name, here.Mean())
		s.Row(name+", "+r.Name+": node-local", here)
		s.Row(name+", "+r.Name+": mean sojourn", r.By(study.MeanSojourn))
		s.Row(name+", "+r.Name+": 95th percentile of the sojourn",
			r.By(func(r *simulator.Result) float64 { return r.Report.Sojourn.P95 }))
	}
	const hfs, qf, patient, qfp = 3, 4, 5, 6
	s.Row(name+": node-local maps, hfs less quincy QF", all.Less(hfs, qf, study.NodeLocal))
	s.Row(name+": mean sojourn, quincy QFP over hfs", all.Over(qfp, hfs, study.MeanSojourn))
	s.Row(name+": work that quincy QFP loses by kills", all[qfp].By(func(r *simulator.Result) float64 {
		held := r.Report.Utilization.Map * r.Report.MakespanS * float64(cfg.Cluster.Nodes*cfg.Cluster.MapSlots)
		return 100 * r.Report.Preempted.LostS / held // of the seconds for which attempts held map slots
	}))
	s.Row(name+": mean sojourn, quincy QF with a floor over none",
		all.Over(qf, patient, study.MeanSojourn))
}
