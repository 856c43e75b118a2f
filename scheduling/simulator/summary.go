package simulator

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// finish fills in the results at the end of a simulation: those of each job, and the report.
func (r *Result) finish(s *sim) {
	r.End = s.q.now
	r.Jobs = make([]JobResult, len(s.jobs))
	for i := range s.jobs {
		r.Jobs[i] = s.jobs[i].result(s)
	}
	slots := s.cfg.Cluster.slots()
	r.Slots = slots
	var all []*JobResult
	classes := map[string][]*JobResult{}
	var names []string
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if !j.Done {
			continue
		}
		all = append(all, j)
		if classes[j.Class] == nil {
			names = append(names, j.Class)
		}
		classes[j.Class] = append(classes[j.Class], j)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(padded(a), padded(b)) })
	r.Report.Figures = Sum(all)
	span := span(all)
	r.Report.Utilization = utilization(r.busy, slots, span)
	for _, name := range names {
		f := Sum(classes[name])
		var busy [2]time.Duration
		for _, j := range classes[name] {
			busy[0] += j.Busy[0]
			busy[1] += j.Busy[1]
		}
		f.Utilization = utilization(busy, slots, span)
		r.Report.ByClass = append(r.Report.ByClass, ClassFigures{name, f})
	}
}

// padded returns a name with leading zeros in its numbers, so that bin 9 comes before bin 10.
func padded(name string) (out string) {
	for name != "" {
		rest := strings.TrimLeft(name, "0123456789")
		if digits := name[:len(name)-len(rest)]; digits != "" {
			out, name = out+fmt.Sprintf("%020s", digits), rest
			continue
		}
		out, name = out+name[:1], name[1:]
	}
	return out
}

// result returns the results of a job.
func (j *simJob) result(s *sim) JobResult {
	r, w := j.JobResult, j.spec
	r.Name, r.Class, r.User, r.Pool, r.Tasks = w.Name, w.Class, w.User, w.Pool, [2]int{w.Maps, w.Reduces}
	r.Alone, r.Preempted.LostS, r.Copies.SpentS = s.alone(j), round(j.lost.Seconds()), round(j.spent.Seconds())
	return r
}

// span returns the time from the first arrival to the last end.
func span(jobs []*JobResult) time.Duration {
	if len(jobs) == 0 {
		return 0
	}
	first, last := jobs[0].Arrived, jobs[0].Ended
	for _, j := range jobs {
		first, last = min(first, j.Arrived), max(last, j.Ended)
	}
	return last - first
}

func utilization(busy [2]time.Duration, slots [2]int, span time.Duration) Utilization {
	of := func(k int) float64 {
		if slots[k] == 0 || span == 0 {
			return 0
		}
		return round(busy[k].Seconds() / (float64(slots[k]) * span.Seconds()))
	}
	return Utilization{of(0), of(1)}
}

// round rounds to six decimals.
func round(f float64) float64 { return math.Round(f*1e6) / 1e6 }

// Sum returns the figures of finished jobs, without Utilization.
func Sum(jobs []*JobResult) Figures {
	f := Figures{Jobs: len(jobs), MakespanS: round(span(jobs).Seconds()), FairnessJain: 1}
	if len(jobs) == 0 {
		return f
	}
	times := make([]time.Duration, len(jobs))
	var total time.Duration
	var x, xx, lost, spent float64
	for i, j := range jobs {
		times[i] = j.Sojourn()
		total += times[i]
		speed := j.Alone.Seconds() / max(times[i].Seconds(), 1e-9)
		x += speed
		xx += float64(speed * speed)
		lost += j.Preempted.LostS
		spent += j.Copies.SpentS
		f.Copies.Launched += j.Copies.Launched
		f.Copies.Won += j.Copies.Won
		f.Maps.Add(j.Maps)
		f.InMemory.Add(j.InMemory)
		f.Shuffle.Add(j.Shuffle)
		f.Preempted.Killed += j.Preempted.Killed
		f.Preempted.Suspended += j.Preempted.Suspended
	}
	slices.Sort(times)
	f.Sojourn = Sojourn{round(total.Seconds() / float64(len(jobs))), round(quantile(times, 0.5)), round(quantile(times, 0.95))}
	if xx > 0 {
		f.FairnessJain = round(x * x / (float64(len(jobs)) * xx))
	}
	f.Preempted.LostS, f.Copies.SpentS = round(lost), round(spent)
	return f
}

// quantile returns the q-quantile (0 to 1) of sorted times, interpolated, in seconds.
func quantile(times []time.Duration, q float64) float64 {
	at := q * float64(len(times)-1)
	low := int(at)
	t := times[low].Seconds()
	if low+1 < len(times) {
		t += (at - float64(low)) * (times[low+1].Seconds() - t)
	}
	return t
}

// sample appends a Sample to the results and schedules the next one.
func (s *sim) sample() {
	at := Sample{At: s.q.now}
	for i := range s.jobs[:s.arrived] {
		j := &s.jobs[i]
		job := JobSlots{Job: i, Slots: j.running}
		if s.cfg.SampleQueues {
			v, err := s.core.View().Job(j.ID)
			if j.ID == 0 || err != nil || j.ended {
				continue
			}
			job.Pool = v.Pool
			for k, kind := range v.Kinds {
				job.Waiting[k], job.Share[k] = kind.Pending, kind.Share
			}
		} else if job.Slots == [2]int{} {
			continue
		}
		at.Jobs = append(at.Jobs, job)
	}
	if s.cfg.SampleQueues && s.net != nil {
		at.Links.Nodes, at.Links.Uplinks, at.Links.Busiest = s.net.Traffic()
	}
	s.res.Samples = append(s.res.Samples, at)
	s.at(s.q.now+s.cfg.Sample, evSample, 0, 0)
}
