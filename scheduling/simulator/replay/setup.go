package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// arrange numbers the racks by first appearance, and the nodes of a simulation by rack.
func (r *Recording) arrange() {
	racks := map[string]int{}
	for i := range r.nodes {
		n := &r.nodes[i]
		if _, ok := racks[n.rack]; !ok {
			racks[n.rack] = len(racks)
		}
		n.inRack = racks[n.rack]
		r.order = append(r.order, i)
	}
	r.racks = len(racks)
	slices.SortStableFunc(r.order, func(a, b int) int { return cmp.Compare(r.nodes[a].inRack, r.nodes[b].inRack) })
	r.to = make([]int, len(r.order))
	for i, n := range r.order {
		r.to[n] = i
	}
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
	out := simulator.RecordedTry{Near: a.near, Fails: a.out == failed}
	span := a.span()
	switch a.out {
	case succeeded, failed:
	case overtaken: // extrapolated from its progress
		if a.part > 0 {
			span = max(span, time.Duration(float64(a.partAt-a.launched-a.held)/a.part))
		} else {
			span *= 2
		}
		if k == scheduling.Reduce {
			return simulator.RecordedTry{}
		}
	default:
		return simulator.RecordedTry{}
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
		job := workload.Job{
			Name: fmt.Sprintf("%.240s", j.name), User: j.user, Pool: j.pool, Queue: queue(p, j.pool), Priority: j.priority,
			Submit: j.submitted, Maps: len(j.tasks[0]), Reduces: len(j.tasks[1]), NoLocation: j.places == nil,
			InputBytes: j.bytes, SlowStart: j.slowStart, SlotsPerTask: j.width, Class: fmt.Sprint(i),
		}
		if names[job.Name]++; names[job.Name] > 1 { // other jobs name the jobs that they follow, so names must differ
			job.Name = fmt.Sprintf("%.230s (job %d)", j.name, i+1)
		}
		if j.follows > 0 {
			job.After, job.Submit = w.Jobs[j.follows-1].Name, j.submitted-r.jobs[j.follows-1].ended
		}
		if len(j.tasks[1]) > 0 {
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
	cfg := simulator.Config{
		Policy: p, Seed: r.Began.Seed, Interval: r.Began.Heartbeat, TellProgress: !r.Began.Simulated, InTurn: !r.Began.Simulated,
		Core:   scheduling.Config{Expiry: r.Began.Expiry, MaxAttempts: 255},
		Places: r.places, SizeCells: 1_000_000_000,
	}
	half := time.Duration(0)
	switch r.Began.Drive {
	case "heartbeat":
		cfg.Drive, half = simulator.HeartbeatDrive, r.Began.Heartbeat/2
	case "out-of-band":
		cfg.Drive, cfg.OutOfBand = simulator.HeartbeatDrive, true
	}
	list := r.estimate()
	for i, j := range r.jobs {
		r.recorded(j, list[i], half)
	}
	cfg.Recorded = func(i int) *simulator.Recorded { return list[i] }
	if !r.Began.Simulated {
		cfg.Untold = true
		cfg.Ring, cfg.Jitter = r.ring, 200*time.Microsecond
	}
	for i, n := range r.order {
		m := r.nodes[n]
		cfg.Cluster.Machines = append(cfg.Cluster.Machines, simulator.Machine{
			Name: m.name, RackName: m.rack, Rack: m.inRack, MapSlots: m.slots[0], ReduceSlots: m.slots[1],
			Beat: r.beat(m),
		})
		for _, o := range m.down {
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
	maps := len(r.jobs[i].tasks[0])
	out := scheduling.Places{Offsets: make([]int32, maps+1), Nodes: make([]scheduling.NodeID, len(p.Nodes))}
	for m := range maps {
		n := int32(p.Each)
		if p.Each == 0 {
			n = p.Counts[m]
		}
		out.Offsets[m+1] = out.Offsets[m] + n
	}
	for k, n := range p.Nodes {
		out.Nodes[k] = scheduling.NodeID(r.to[n])
	}
	return out
}

// beat returns when a live node's heartbeats begin: when it joined. 0 lets the simulator draw it.
func (r *Recording) beat(n node) time.Duration {
	if r.Began.Simulated {
		return 0
	}
	return n.joined
}

// ring returns the order in which nodes are asked when job i has arrived. First are those that were
// offered tasks then, in that order, then the others; nil if none was.
func (r *Recording) ring(i int) []int32 {
	asked := r.jobs[i].asked
	if len(asked) == 0 {
		return nil
	}
	list := make([]int32, 0, len(r.nodes))
	for _, n := range asked {
		list = append(list, int32(r.to[n]))
	}
	for n := range r.nodes {
		if !slices.Contains(asked, n) {
			list = append(list, int32(r.to[n]))
		}
	}
	return list
}
