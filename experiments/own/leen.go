package own

import (
	"time"

	"github.com/tarry-mr/tarry/experiments/internal/setup"
	"github.com/tarry-mr/tarry/experiments/study"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// The numbers of nodes of the cluster and of maps of a job.
const leenNodes, leenMaps = 20, 80

// leen compares LEEN, which assigns keys to reduces by locality and fairness, with hash partitions
// under any-node placement, CoGRS and LARTS.
func leen(s *study.Study) {
	s.Fill("nodes", leenNodes, "maps", leenMaps)
	leenKeys(s, "uniform keys", workload.Keys{Count: 400, Spread: 1})
	leenKeys(s, "Zipf 0.8", workload.Keys{Count: 400, Zipf: 0.8, Spread: 1})
}

// leenKeys adds rows that compare the placements for jobs with keys, which name describes.
func leenKeys(s *study.Study, name string, keys workload.Keys) {
	list := append(setup.Placements(1), study.Policy("LEEN", "fair",
		setup.Waits(3*time.Second, 3*time.Second), func(p *scheduling.Policy) {
			p.Reduce.Part, p.SlowStart = simulator.LEEN, 1
		}))
	jobs := setup.ShuffleJobs(setup.Shuffles{
		Jobs: study.Pick(s, 1, 4), Maps: leenMaps, Reduces: leenNodes, Ratio: 1,
	})
	all := s.Compare(simulator.Config{
		Cluster:    simulator.Cluster{Nodes: leenNodes, Racks: 4},
		Network:    simulator.Network{Flows: true, Oversubscription: 3},
		Submission: simulator.Submission{Rule: simulator.Serial},
	}, list, s.Repeats(1, 10), study.Changed(jobs, func(j *workload.Job) { j.Keys = keys }))
	for _, r := range all {
		s.Row(name+", "+r.Name+": bytes moved", r.By(leenMoved))
		s.Row(name+", "+r.Name+": largest reduce over the mean", r.By(leenLargest))
		s.Row(name+", "+r.Name+": time of a job", r.By(study.MeanSojourn))
	}
	const cogrs, leen = 1, 3
	s.Row(name+": bytes moved, CoGRS less LEEN", all.Less(cogrs, leen, leenMoved))
	s.Row(name+": largest reduce, CoGRS over LEEN", all.Over(cogrs, leen, leenLargest))
	s.Row(name+": time of a job, CoGRS over LEEN", all.Over(cogrs, leen, study.MeanSojourn))
}

// leenMoved returns the percentage of the shuffled bytes that left their node.
func leenMoved(r *simulator.Result) float64 {
	s := r.Report.Shuffle
	return 100 * float64(s.RackLocal+s.OffRack) / float64(s.All())
}

// leenLargest returns how many times as much input the largest reduce of a job has as the mean one,
// as the mean of the jobs.
func leenLargest(r *simulator.Result) float64 {
	var all []float64
	for _, j := range r.Jobs {
		all = append(all, float64(j.Largest)*leenNodes/(leenMaps*workload.DefaultBlock))
	}
	return study.Average(all)
}
