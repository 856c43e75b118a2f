package simulator

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// simJob is a job of the workload in the simulation, with its result so far.
type simJob struct {
	JobResult
	spec         *workload.Job
	index        int32
	after        int32 // job that must end first, -1 if none
	followers    []int32
	isHeld       bool // due by the submission rule, but waits for the job that it comes after
	ended        bool // the Core has ended it
	reportsSizes bool
	places       scheduling.Places
	reported     [2]int        // tasks that the JobTracker knows to be done
	running      [2]int        // attempts that hold slots
	lost, spent  time.Duration // by preempted and by overtaken attempts
	out          *outputs      // map outputs, of jobs with reduces
	reducing     []*attempt    // attempts of its reduces
	seed         uint64        // of the sizes of its map outputs
	recorded     *Recorded     // its recorded task times, nil without
}

// over reports whether the JobTracker knows that the job has failed, which it notes in the job's
// result, or that its last task is done.
func (s *sim) over(j *simJob) bool {
	if f := &s.cfg.Failures; f.any() || f.TaskFails > 0 || s.cfg.Recorded != nil {
		j.Failed = s.core.View().State(j.ID) == scheduling.JobFailed
	}
	if j.Failed {
		return true
	}
	if j.spec.Reduces > 0 {
		return j.reported[1] == j.spec.Reduces
	}
	return j.reported[0] == j.spec.Maps
}

// arrivals schedules the arrivals that the submission rule allows by now.
func (s *sim) arrivals() {
	for s.arrived < len(s.jobs) {
		open, at, wait := s.arrived-s.cleanedJobs, s.q.now, false
		switch s.cfg.Submission.Rule {
		case Serial:
			wait = open > 0
			at += time.Duration(min(s.cleanedJobs, 1)) * time.Millisecond
		case Closed:
			wait = open >= s.cfg.Submission.Active
		case Stress:
			wait = s.stressed()
		default:
			at = s.jobs[s.arrived].spec.Submit
		}
		if wait {
			return
		}
		s.hand(at)
	}
}

// stressed reports whether Stress submits no job now [Mumak]; if so, it schedules the next check.
func (s *sim) stressed() bool {
	incomplete := 0
	for i := range s.jobs[:s.arrived] {
		if j := &s.jobs[i]; !j.Done {
			incomplete += j.spec.Maps - j.reported[0]
		}
	}
	if incomplete <= 2*s.cfg.Cluster.slots()[0] && s.arrived-s.cleanedJobs < len(s.nodes) {
		return false
	}
	if !s.probe {
		s.probe = true
		s.at(s.q.now+time.Second, evArrive, -1, 0)
	}
	return true
}

// hand schedules the arrival of the next job, or holds the job until the one that it follows ends.
func (s *sim) hand(at time.Duration) {
	j := &s.jobs[s.arrived]
	s.arrived++
	if j.after >= 0 && !s.jobs[j.after].Done {
		j.isHeld = true
		return
	}
	s.at(max(at, s.q.now), evArrive, j.index, 0)
}

// arrive starts the set-up of job i; for -1 it checks the Stress rule.
func (s *sim) arrive(i int32) {
	if i < 0 {
		s.probe = false
		s.arrivals()
		return
	}
	j := &s.jobs[i]
	j.Arrived = s.q.now
	s.at(s.q.now+s.cfg.JobSetup, evSubmit, i, 0)
}

// submit submits a job to the Core.
func (s *sim) submit(i int32) error {
	j := &s.jobs[i]
	w := j.spec
	spec := scheduling.JobSpec{
		Name: w.Name, User: w.User, Pool: w.Pool, Queue: w.Queue, Priority: w.Priority, Maps: w.Maps, Reduces: w.Reduces,
		SlowStart: w.SlowStart, SlotsPerTask: w.SlotsPerTask, NoSuspend: w.NoSuspend,
		InputBytes: w.InputBytes,
	}
	s.tell(j, &spec)
	if !w.NoLocation {
		j.places = s.placesOf(j)
		spec.Places = j.places
	}
	if w.Reduces > 0 {
		j.out = s.newOutputs(j)
		j.reportsSizes = s.tellsSizes() && s.cfg.Policy.Reduce.Part != LEEN && w.Maps*w.Reduces <= s.cfg.SizeCells
	}
	id, err := s.core.Submit(s.q.now, spec)
	if err != nil {
		return fmt.Errorf("job %q: %w", w.Name, err)
	}
	j.ID = id
	s.byID = append(s.byID, j)
	if j.recorded != nil && j.recorded.Ring != nil {
		s.ring, s.turn = j.recorded.Ring, 0
	}
	s.openJobs++
	s.lastMove = s.q.now
	s.tick()
	return nil
}

// tellsSizes reports whether maps report the sizes of their outputs: if the placement of reduces
// uses them, or events explain decisions.
func (s *sim) tellsSizes() bool {
	return s.cfg.Policy.NeedsSizes() || s.cfg.Core.Explain && s.cfg.Core.Events != nil
}

// placesOf returns the places of the job's blocks. They depend on the seed and the number of the
// file or job, so that they are equal under every scheduler; files keep their places for all jobs.
func (s *sim) placesOf(j *simJob) scheduling.Places {
	if f := j.spec.File; f > 0 {
		p := &s.files[f-1]
		if p.Offsets == nil {
			file := s.load.Files[f-1]
			replicas := file.Replicas
			if replicas == 0 {
				replicas = s.cfg.Cluster.Replicas
			}
			*p = s.top.placeBlocks(rand.New(rand.NewPCG(s.cfg.Seed, draw(forFile, uint64(f)))), max(file.Blocks, j.spec.Maps), replicas)
		}
		m := min(j.spec.Maps, len(p.Offsets)-1)
		return scheduling.Places{Offsets: p.Offsets[:m+1], Nodes: p.Nodes[:p.Offsets[m]]}
	}
	if s.cfg.Places != nil {
		if p := s.cfg.Places(int(j.index)); p.Offsets != nil {
			return p
		}
	}
	r := rand.New(rand.NewPCG(s.cfg.Seed, draw(forInput, uint64(j.index))))
	if j.spec.MapRacks != nil {
		return s.top.placeInRacks(r, j.spec.MapRacks, s.cfg.Cluster.Replicas)
	}
	return s.top.placeBlocks(r, j.spec.Maps, s.cfg.Cluster.Replicas)
}

// coreEnded is called when the Core has ended a job; cleanup follows.
func (s *sim) coreEnded(j *simJob) {
	j.ended = true
	s.openJobs--
	j.places, j.out, j.reducing = scheduling.Places{}, nil, nil
	s.at(s.q.now+s.cfg.JobCleanup, evJobEnd, j.index, 0)
}

// jobEnd ends a job for its user, and releases jobs that wait for it.
func (s *sim) jobEnd(i int32) {
	j := &s.jobs[i]
	j.Done, j.Ended = true, s.q.now
	s.cleanedJobs++
	s.lastMove = s.q.now
	for _, f := range j.followers {
		if n := &s.jobs[f]; n.isHeld {
			n.isHeld = false
			s.at(s.q.now+n.spec.Submit, evArrive, f, 0)
		} // otherwise the submission rule releases it
	}
	s.arrivals()
}
