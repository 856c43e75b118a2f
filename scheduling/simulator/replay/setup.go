package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// numberRacks numbers the racks as they first appear.
func (r *Recording) numberRacks() {
	racks := map[string]int{}
	for i := range r.nodes {
		n := &r.nodes[i]
		if _, ok := racks[n.RackName]; !ok {
			racks[n.RackName] = len(racks)
		}
		n.Rack = racks[n.RackName]
	}
	r.racks = len(racks)
}

// tasks returns a job's recorded tasks of kind k; half, the mean wait for a report, is subtracted.
func (r *Recording) tasks(j *job, k scheduling.TaskKind, half time.Duration) []simulator.RecordedTask {
	list := make([]simulator.RecordedTask, len(j.tasks[k]))
	var done []simulator.RecordedTry
	for t := range list {
		of := &j.tasks[k][t]
		for i := range of.tries {
			list[t].Tries = append(list[t].Tries, r.try(j, k, t, &of.tries[i], half))
		}
		if a := of.won(); a != nil {
			list[t].Usual = r.try(j, k, t, a, half)
			done = append(done, list[t].Usual)
		}
	}
	usual := middle(done)
	for t := range list {
		if list[t].Usual.Time == 0 {
			list[t].Usual = usual
		}
		if !j.succeeded() {
			list[t].Tries = nil
		}
	}
	return list
}

// middle returns the attempt of median length; without attempts, one of a second.
func middle(done []simulator.RecordedTry) simulator.RecordedTry {
	if len(done) == 0 {
		return simulator.RecordedTry{Time: time.Second}
	}
	list := slices.Clone(done)
	slices.SortStableFunc(list, func(a, b simulator.RecordedTry) int { return cmp.Compare(a.Time, b.Time) })
	return list[len(list)/2]
}

// try returns a recorded attempt for the simulator. Its Time is 0 if the length is unknown.
func (r *Recording) try(j *job, k scheduling.TaskKind, t int, a *try, half time.Duration) simulator.RecordedTry {
	out := simulator.RecordedTry{Near: a.near, Fails: a.end == event.Failed}
	span := a.span()
	if lag := a.launched - j.Submit; !r.Began.Simulated && lag < burst && len(a.gaps) > 0 {
		span += lag // a simulated JobTracker launches it at once: it must not end before it is suspended
	}
	switch {
	case a.end == event.Succeeded, a.end == event.Failed:
	case !a.overtaken, k == scheduling.Reduce:
		return simulator.RecordedTry{}
	case a.part > 0: // extrapolated from its progress
		span = max(span, time.Duration(float64(a.partAt-a.launched-a.held)/a.part))
	default:
		span *= 2
	}
	if k == scheduling.Reduce {
		out.Head, span = j.aroundLastMap(a)
		out.Waits = out.Head > 0 && j.lastMap(a.ended) > j.allDone
		out.Hops = r.input(j, t, a.node).Links()
	}
	out.Time = max(span-half, time.Microsecond)
	return out
}

// workload returns the recorded jobs as a workload to simulate under p.
func (r *Recording) workload(p *scheduling.Policy) *workload.Workload {
	w := &workload.Workload{Name: "the recorded run"}
	names := map[string]int{}
	for i, j := range r.jobs {
		job := j.Job
		job.Name, job.Queue, job.Class = fmt.Sprintf("%.240s", j.Name), queue(p, j.Pool), fmt.Sprint(i)
		if names[job.Name]++; names[job.Name] > 1 { // other jobs name the jobs that they follow, so names must differ
			job.Name = fmt.Sprintf("%.230s (job %d)", j.Name, i+1)
		}
		if j.follows > 0 {
			job.After, job.Submit = w.Jobs[j.follows-1].Name, j.Submit-r.jobs[j.follows-1].result.Ended
		}
		if j.Reduces > 0 {
			for m := range j.tasks[0] {
				job.ShuffleBytes += j.tasks[0][m].size
			}
		}
		w.Jobs = append(w.Jobs, job)
	}
	return w
}

// queue returns the recorded queue if policy p has it; otherwise "", the default queue.
func queue(p *scheduling.Policy, name string) string {
	if p.Order == "capacity" && slices.ContainsFunc(p.Queues, func(q scheduling.QueueConfig) bool { return q.Name == name }) {
		return name
	}
	return ""
}

// config returns the configuration of a simulation of the recorded run under p.
func (r *Recording) config(p scheduling.Policy) simulator.Config {
	live := !r.Began.Simulated
	cfg := simulator.Config{
		Policy: p, Seed: r.Began.Seed, Interval: r.Began.Heartbeat, TellProgress: live, InTurn: live, Untold: live,
		Core:   scheduling.Config{Expiry: r.Began.Expiry, MaxAttempts: 255},
		Places: r.places, SizeCells: 1_000_000_000,
	}
	half := time.Duration(0)
	switch r.Began.Drive {
	case simulator.HeartbeatDrive.String():
		cfg.Drive, half = simulator.HeartbeatDrive, r.Began.Heartbeat/2
	case simulator.OutOfBandDrive.String():
		cfg.Drive = simulator.OutOfBandDrive
	}
	list := r.estimate()
	for i, j := range r.jobs {
		r.recorded(j, list[i], half)
	}
	cfg.Recorded = func(i int) *simulator.Recorded { return list[i] }
	if live {
		cfg.Jitter = 200 * time.Microsecond
	}
	for i := range r.nodes {
		cfg.Cluster.Machines = append(cfg.Cluster.Machines, r.nodes[i].Machine)
		for _, o := range r.nodes[i].down {
			out := simulator.Outage{Node: i, At: o.from}
			if o.to > 0 {
				out.For = max(time.Second, (o.to - o.from).Round(time.Second))
			}
			cfg.Failures.Outages = append(cfg.Failures.Outages, out)
		}
	}
	return cfg
}

// places returns the locations of job i's blocks; none if they were not recorded.
func (r *Recording) places(i int) scheduling.Places {
	p := r.jobs[i].places
	if p == nil || p.Omitted > 0 {
		return scheduling.Places{}
	}
	maps := r.jobs[i].Maps
	out := scheduling.Places{Offsets: make([]int32, maps+1), Nodes: slices.Clone(p.Nodes)}
	for m := range maps {
		n := int32(p.Each)
		if p.Each == 0 {
			n = p.Counts[m]
		}
		out.Offsets[m+1] = out.Offsets[m] + n
	}
	return out
}

// ring returns the order in which nodes are asked when a job has arrived. First are those that were
// offered tasks then, in that order, then the others; nil if none was.
func (r *Recording) ring(j *job) (list []int32) {
	if len(j.asked) == 0 {
		return nil
	}
	for _, n := range j.asked {
		list = append(list, int32(n))
	}
	for n := range r.nodes {
		if !slices.Contains(j.asked, n) {
			list = append(list, int32(n))
		}
	}
	return list
}
