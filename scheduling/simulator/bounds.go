package simulator

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// ErrTooLong means that a simulation exceeded the events or simulated years that Config allows.
var ErrTooLong = errors.New("simulator: too long")

// The limits that Config.Validate checks. Times are limited so that sums of several of them do not
// overflow a time.Duration.
const (
	maxNodes     = 1_000_000
	maxNodeSlots = 10_000
	maxFactor    = 1e6
	minRate      = 1.0  // bytes a second
	maxRate      = 1e15 // bytes a second
	minStep      = time.Millisecond
	minOutage    = time.Second // the simulation's outages last whole seconds
	maxCopies    = 10_000
	maxCells     = 1_000_000_000
	maxOutages   = 1_000_000
	maxSamples   = 10_000_000

	// maxYears limits the simulated time. A time.Duration reaches 292 years, so that the times of
	// tasks can still be added.
	maxYears = 100 * 365 * 24 * time.Hour
	// defaultEvents is the default of Config.MaxEvents; handling them takes some minutes.
	defaultEvents = 200_000_000
)

// checker collects the mistakes in a configuration.
type checker struct{ workload.Faults }

// within checks a number that must be 0, for the default, or within limits.
func (c *checker) within(what string, n, low, high float64) {
	c.Check(n == 0 || n >= low && n <= high, "%s %v is not between %v and %v", what, n, low, high)
}

// span checks a time that may be 0, for the default.
func (c *checker) span(what string, d, least time.Duration) {
	c.Check(d == 0 || d >= least && d <= workload.MaxTime, "%s %v is not between %v and %v", what, d, least, workload.MaxTime)
}

// Validate returns every mistake, joined, up to twenty; each wraps ErrConfig. Every number has
// limits; NaN is outside of them.
func (c *Config) Validate() error {
	f := checker{workload.Faults{Of: ErrConfig}}
	c.Cluster.validate(&f)
	c.Network.validate(&f)
	c.Cluster.validateMachines(&f, &c.Network)
	c.Failures.validate(&f, c.Cluster.size())
	f.span("heartbeat interval", c.Interval, minStep)
	f.span("update interval", c.Update, minStep)
	f.span("sample interval", c.Sample, minStep)
	f.Check(c.Jitter >= 0 && c.Jitter <= workload.MaxTime, "jitter %v is not between 0 and %v", c.Jitter, workload.MaxTime)
	f.span("job set-up", c.JobSetup, 0)
	f.span("job clean-up", c.JobCleanup, 0)
	f.Check(c.Until >= 0 && c.Until <= maxYears, "end %v is not between 0 and %v", c.Until, maxYears)
	f.Check(c.Submission.Rule != Closed || c.Submission.Active >= 1, "closed submission of %d jobs at a time", c.Submission.Active)
	f.Check(c.SizeError >= 0 && c.SizeError <= 1, "size error %v is not between 0 and 1", c.SizeError)
	f.Check(c.SizeCells >= 0 && c.SizeCells <= maxCells, "%d cells of sizes, want 0 to %d", c.SizeCells, maxCells)
	return f.Err()
}

func (cl *Cluster) validate(f *checker) {
	f.Check(cl.size() >= 1 && cl.size() <= maxNodes, "%d nodes, want 1 to %d", cl.size(), maxNodes)
	f.Check(cl.Racks >= 0 && cl.Racks <= max(cl.size(), 1), "%d racks for %d nodes", cl.Racks, cl.size())
	f.Check(cl.MapSlots >= 0 && cl.MapSlots <= maxNodeSlots, "%d map slots a node, want 0 to %d", cl.MapSlots, maxNodeSlots)
	f.Check(cl.ReduceSlots >= -1 && cl.ReduceSlots <= maxNodeSlots, "%d reduce slots a node, want -1 to %d", cl.ReduceSlots, maxNodeSlots)
	f.Check(cl.Replicas >= 0 && cl.Replicas <= workload.MaxReplicas, "%d replicas, want 0 to %d", cl.Replicas, workload.MaxReplicas)
	f.Check(cl.Setup <= workload.MaxTime, "set-up %v is more than %v", cl.Setup, workload.MaxTime)
	f.within("reading rate", cl.ReadRate, minRate, maxRate)
	f.within("computing rate", cl.CPURate, minRate, maxRate)
	f.Check(cl.MergeRate <= 0 || cl.MergeRate >= minRate && cl.MergeRate <= maxRate, "merging rate %v is not between %v and %v", cl.MergeRate, minRate, maxRate)
	f.Check(cl.Cache >= 0 && cl.Cache <= workload.MaxBytes, "cache of %d bytes a node, want 0 to %d", cl.Cache, workload.MaxBytes)
	f.within("rate of the cache", cl.CacheRate, minRate, maxRate)
	f.Check(cl.SlowNodes >= 0 && cl.SlowNodes <= 1, "part of slow nodes %v is not between 0 and 1", cl.SlowNodes)
	f.Check(cl.Stragglers >= 0 && cl.Stragglers <= 1, "part of stragglers %v is not between 0 and 1", cl.Stragglers)
	f.within("factor of slow nodes", cl.SlowFactor, 1/maxFactor, maxFactor)
	times := cl.StragglerTimes
	f.Check(times == (workload.Dist{}) || times.A > 0 && times.A <= maxFactor && times.B >= 0 && times.B <= maxFactor,
		"factors of stragglers %+v are not above 0 and up to %g", times, maxFactor)
}

func (nw *Network) validate(f *checker) {
	for _, factor := range nw.ReadFactor {
		f.within("reading factor", factor, 1/maxFactor, maxFactor)
	}
	f.within("shuffle rate", nw.ShuffleRate, minRate, maxRate)
	for _, up := range nw.Uplinks {
		f.within("uplink", up, minRate, maxRate)
	}
	f.within("disk", nw.Disk, minRate, maxRate)
	f.Check(nw.Disk == 0 || nw.Flows, "disks are shared only where transfers are flows")
	f.within("node link", nw.NodeLink, minRate, maxRate)
	f.within("over-subscription", nw.Oversubscription, 1, maxFactor)
	f.Check(nw.Copies >= 0 && nw.Copies <= maxCopies, "%d copies at once, want 0 to %d", nw.Copies, maxCopies)
	f.Check(nw.Grain <= time.Hour, "grain %v is more than an hour", nw.Grain)
}

func (f *Failures) validate(c *checker, nodes int) {
	c.span("mean time between failures", f.MTBF, minOutage)
	c.span("repair", f.Repair, minOutage)
	c.Check(f.TaskFails >= 0 && f.TaskFails <= 1, "part of failing attempts %v is not between 0 and 1", f.TaskFails)
	c.Check(len(f.Outages) <= maxOutages, "%d outages, at most %d", len(f.Outages), maxOutages)
	for _, o := range f.Outages[:min(len(f.Outages), maxOutages)] {
		c.Check(o.Node >= 0 && o.Node < nodes && o.At >= 0 && o.At <= maxYears && (o.For == 0 || o.For >= minOutage && o.For <= workload.MaxTime),
			"outage of node %d of %d at %v for %v", o.Node, nodes, o.At, o.For)
	}
}

// feasible rejects a simulation before it starts if it would exceed the limits on years, samples or
// events. It computes the minimum simulated time from the mean times of the tasks.
func (s *sim) feasible() error {
	var work [2]float64 // in slot seconds
	longest := 0.0
	for i := range s.load.Jobs {
		j := &s.load.Jobs[i]
		for k, tasks := range [2]int{j.Maps, j.Reduces} {
			t := s.expected(&simJob{spec: j}, scheduling.TaskKind(k))
			far := max(t, s.fetching(j, scheduling.TaskKind(k)))
			if far > workload.MaxTime {
				return fmt.Errorf("%w: a %v of job %.40q takes %v, more than %v: raise the rate at which it reads, or let it read less",
					ErrConfig, scheduling.TaskKind(k), j.Name, far.Round(time.Hour), workload.MaxTime)
			}
			longest = max(longest, far.Seconds())
			work[k] += t.Seconds() * float64(tasks) * float64(max(1, j.SlotsPerTask))
		}
	}
	busy := longest
	for k, slots := range s.cfg.Cluster.slots() {
		if slots > 0 {
			busy = max(busy, work[k]/float64(slots))
		}
	}
	if until := s.cfg.Until.Seconds(); until > 0 {
		busy = min(busy, until)
	}
	if busy > maxYears.Seconds() {
		return fmt.Errorf("%w: the tasks keep all slots busy for %.0f years; want faster tasks, fewer, or more nodes", ErrConfig, busy/365/24/3600)
	}
	if s.cfg.Sample > 0 && busy/s.cfg.Sample.Seconds() > maxSamples {
		return fmt.Errorf("%w: %.3g samples, at most %d: sample less often than each %v", ErrConfig, busy/s.cfg.Sample.Seconds(), maxSamples, s.cfg.Sample)
	}
	beats := busy / s.cfg.Interval.Seconds() * float64(s.cfg.Cluster.Nodes)
	updates := busy / s.cfg.Update.Seconds()
	failures := 0.0
	if s.cfg.Failures.MTBF > 0 {
		failures = 2 * busy / s.cfg.Failures.MTBF.Seconds() * float64(s.cfg.Cluster.Nodes)
	}
	if all := beats + updates + failures; all > float64(s.cfg.MaxEvents) {
		return fmt.Errorf("%w: %v of simulated time at least, with heartbeats of %d nodes each %v, is %.2g events, more than %.2g: "+
			"raise the heartbeat interval or the reading rate, or take fewer nodes or jobs",
			ErrConfig, time.Duration(min(busy, math.MaxInt32)*float64(time.Second)).Round(time.Second), s.cfg.Cluster.Nodes, s.cfg.Interval, all, float64(s.cfg.MaxEvents))
	}
	return nil
}

// fetching returns how long the link of a node takes to receive a task's input from other nodes;
// 0 without flows.
func (s *sim) fetching(w *workload.Job, k scheduling.TaskKind) time.Duration {
	tasks, bytes := w.Maps, w.InputBytes
	if k == scheduling.Reduce {
		tasks, bytes = w.Reduces, w.ShuffleBytes
	}
	if !s.cfg.Network.Flows || tasks == 0 || s.cfg.Cluster.Nodes == 1 {
		return 0
	}
	return seconds(float64(bytes) / float64(tasks) / s.cfg.Network.NodeLink)
}

// goesOn counts an event; beyond Config.MaxEvents or maxYears it returns an error with ErrTooLong.
func (s *sim) goesOn() error {
	s.res.Stats.Events++
	if s.res.Stats.Events > s.cfg.MaxEvents || s.q.now > maxYears {
		return fmt.Errorf("%w: %d events (at most %d), %d of %d jobs are done; raise the heartbeat interval, or end earlier",
			ErrTooLong, s.res.Stats.Events, s.cfg.MaxEvents, s.cleanedJobs, len(s.jobs))
	}
	return nil
}
