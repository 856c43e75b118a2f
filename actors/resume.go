package actors

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// former returns what former clusters left, once.
func (s *State) former() (scheduling.Facts, error) {
	if s == nil {
		return scheduling.Facts{}, nil
	}
	if s.used.Swap(true) {
		return scheduling.Facts{}, errors.New("actors: a State serves one cluster: close and open it again")
	}
	return s.facts, nil
}

// stop keeps what the cluster does at its end from being remembered: its jobs wait for the next one.
func (s *State) stop() {
	if s != nil {
		s.stopped.Store(true)
	}
}

// remembered tells whether the run is one that another cluster goes on with.
func (r *run) remembered() bool { return r.env.cfg.State != nil && r.key != "" }

// kept lists the tasks whose output a former cluster has left, ascending. Parts of maps are dropped
// if the input is cut in another way now: they hold other records.
func (r *run) kept() (kept []int32, err error) {
	if !r.remembered() {
		return nil, nil
	}
	same := r.env.cfg.State.cut(r.key, r.splits, r.env.cfg.Logger)
	tasks := r.plan.Reduces()
	if r.plan.MapOnly() {
		tasks = len(r.splits)
	}
	if r.plan.Complete() {
		for i := range tasks {
			kept = append(kept, int32(i))
		}
		return kept, nil
	}
	committed := r.plan.Committed()
	fits := same || !r.plan.MapOnly()
	for _, id := range committed {
		fits = fits && id.Index < tasks && (id.Kind == mapreduce.MapKind) == r.plan.MapOnly()
		kept = append(kept, int32(id.Index))
	}
	if !fits {
		return nil, isolate(r.plan.DropCommitted)
	}
	return kept, nil
}

// admitJob gives a job to the Core: a new one, or one that goes on.
func (jt *jobTracker) admitJob(m *submit) (scheduling.JobID, error) {
	if jt.env.cfg.State == nil || m.spec.Key == "" {
		id, err := jt.core.Submit(jt.env.now(), m.spec)
		jt.env.facts.Jobs = max(jt.env.facts.Jobs, id)
		return id, err
	}
	return jt.resume(m)
}

// resume is admitJob of a job with a key.
func (jt *jobTracker) resume(m *submit) (scheduling.JobID, error) {
	state, now := jt.env.cfg.State, jt.env.now()
	if r := jt.keys[m.spec.Key]; r != nil {
		return 0, fmt.Errorf("actors: %v runs under the key %q", r.id, r.key)
	}
	var id scheduling.JobID
	var err error
	was := state.awaited[m.spec.Key]
	if was == 0 && len(m.kept) == 0 {
		id, err = jt.core.Submit(now, m.spec)
	} else {
		id, err = jt.core.Resume(now, was, m.spec, m.kept)
	}
	if err != nil {
		return 0, err
	}
	delete(state.awaited, m.spec.Key)
	jt.keys[m.spec.Key] = m.run
	facts := &jt.env.facts // should all jobs have to fail
	facts.Jobs = max(facts.Jobs, id)
	if was != 0 {
		facts.Active = without(facts.Active, id)
	}
	r := m.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.plan.MapOnly() {
		r.tally.done[scheduling.Map] = len(m.kept)
	} else {
		r.tally.done[scheduling.Reduce] = len(m.kept)
	}
	if job, err := jt.core.View().Glance(id); err == nil {
		r.submitted = job.Submitted
	}
	return id, nil
}

// without takes a job out of the list. Jobs come back about in their order, so that there is little to
// move before them, and all the rest behind.
func without(list []scheduling.JobFacts, id scheduling.JobID) []scheduling.JobFacts {
	i := slices.IndexFunc(list, func(f scheduling.JobFacts) bool { return f.ID == id })
	if i < 0 {
		return list
	}
	copy(list[1:i+1], list[:i])
	list[0] = scheduling.JobFacts{}
	return list[1:]
}

// commit completes the output. That the job has succeeded is remembered before its output ceases to
// be resumable.
func (r *run) commit() error {
	if err := r.plan.CommitJob(); err != nil {
		return err
	}
	if r.remembered() {
		r.env.cfg.State.succeed(r.key, Succeeded{Name: r.name, Elapsed: r.env.now() - r.submitted}, r.env.cfg.Logger)
	}
	return r.plan.ForgetJob()
}

// drop removes the output of a job that has not succeeded, or leaves it to the next cluster where
// this one ends.
func (r *run) drop() error {
	if r.remembered() && r.env.cfg.State.stopped.Load() {
		return r.plan.LeaveJob()
	}
	return r.plan.AbortJob()
}
