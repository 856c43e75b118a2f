package serve

import (
	"cmp"
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/view"
)

// killPatience is how long the answer to a kill waits for the job's end.
const killPatience = 10 * time.Second

// mayChange returns an error unless the caller may change a job.
func (s *Server) mayChange(c caller, j *job) error {
	return s.mayAdminister(c, j.Who.User, s.view(j, s.stages([]*job{j})).Pool)
}

// kill ends a job and waits for its end. It returns an error if the job succeeds or fails instead.
func (s *Server) kill(ctx context.Context, c caller, j *job, k api.Kill) error {
	if len(k.Reason) > 1000 {
		return refuse("bad-request", "a reason of %d bytes; at most 1000", len(k.Reason))
	}
	if err := s.mayChange(c, j); err != nil {
		return err
	}
	if k.Reason == "" {
		k.Reason = "by " + c.name()
	}
	if now, err := s.markKilled(j, &k); err != nil {
		return err
	} else if now {
		j.cancel() // ends its preparation
		if h := j.running(); h != nil {
			if err := h.Kill(k.Reason); err != nil && !errors.Is(err, scheduling.ErrJobEnded) {
				return err
			}
		}
	}
	wait, cancel := context.WithTimeout(ctx, killPatience)
	defer cancel()
	select {
	case <-j.done:
	case <-wait.Done(): // the job's view says that it is being killed
	}
	if end := j.now().End; end != nil && end.State != api.Killed {
		return refuse("job-ended", "job %d has %s", j.ID, end.State)
	}
	return nil
}

// markKilled records that a job must be killed, unless it is recorded already or the job has ended.
func (s *Server) markKilled(j *job, k *api.Kill) (now bool, err error) {
	j.changing.Lock()
	defer j.changing.Unlock()
	r := j.now()
	if r.Kill != nil || r.End != nil {
		return false, nil
	}
	r.Kill = k
	return true, s.ledger.record(&entry{Jobs: []record{r}})
}

// steer waits until the cluster has the job, which the caller must be allowed to change. It applies
// change to the handle of the running stage, and note to the order, for the stages that follow.
func (s *Server) steer(
	ctx context.Context, c caller, j *job, change func(h *actors.JobHandle) error, note func(o *Order),
) error {
	if err := s.mayChange(c, j); err != nil {
		return err
	}
	select {
	case <-j.begun:
	case <-j.done:
	case <-ctx.Done():
		return refuse("not-begun", "job %d is still being prepared; try again", j.ID)
	}
	h := j.running()
	if h == nil {
		return refuse("job-ended", "job %d has ended, or is between two stages", j.ID)
	}
	if err := change(h); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	note(&j.order)
	return nil
}

// setPriority changes a job's priority, if the caller may administer the job.
func (s *Server) setPriority(ctx context.Context, c caller, j *job, to api.SetPriority) error {
	p, err := parsePriority(to.Priority)
	if err != nil {
		return err
	}
	return s.steer(ctx, c, j, func(h *actors.JobHandle) error { return h.SetPriority(p) }, func(o *Order) { o.Priority = p })
}

// setPool moves a job to another pool or queue.
func (s *Server) setPool(ctx context.Context, c caller, j *job, to api.SetPool) error {
	if to.Pool == "" {
		return refuse("bad-arguments", "which pool?")
	}
	if err := checkLabel("pool", to.Pool); err != nil {
		return err
	}
	return s.steer(ctx, c, j, func(h *actors.JobHandle) error { return h.SetPool(c.named(), to.Pool) }, func(o *Order) {
		if o.Queue != "" {
			o.Queue = to.Pool
		} else {
			o.Pool = to.Pool
		}
	})
}

// stages returns the cluster's views of the running stages of jobs, by the stages' names.
func (s *Server) stages(list []*job) map[string]view.Job {
	seen := map[string]view.Job{}
	var want []scheduling.JobID
	for _, j := range list {
		if h := j.running(); h != nil {
			want = append(want, h.ID())
		}
	}
	if len(want) == 0 {
		return nil
	}
	_ = s.cluster.Inspect(func(v scheduling.View) { // a closed cluster has no jobs
		for _, id := range want {
			if one, err := v.Job(id); err == nil {
				seen[id.String()] = one
			}
		}
	})
	return seen
}

// views returns jobs in the JSON form of the API, as this caller sees them.
func (s *Server) views(c caller, list []*job) []api.Job {
	seen := s.stages(list)
	views := make([]api.Job, len(list))
	for i, j := range list {
		views[i] = s.view(j, seen)
		views[i].MayChange = s.mayAdminister(c, j.Who.User, views[i].Pool) == nil
	}
	return views
}

// view returns a job in the JSON form of the API. seen has the cluster's views of running stages.
func (s *Server) view(j *job, seen map[string]view.Job) api.Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.End != nil {
		v := *j.End
		v.Resumed = j.resumed
		return v
	}
	v := api.Job{
		ID: j.ID, Job: j.Asked.Job, Args: j.Asked.Args, User: j.Who.User, Output: j.order.Output,
		Submitted: j.At, Resumed: j.resumed, State: api.Waiting,
		Pool: cmp.Or(j.pool, j.order.Pool, j.order.Queue), Priority: priorityName(j.order.Priority),
	}
	v.ElapsedSeconds = time.Since(j.At).Seconds()
	v.Stages = append(v.Stages, j.stages...)
	if j.Kill != nil {
		v.Reason = "it is being killed: " + j.Kill.Reason
	}
	if j.handle == nil {
		v.Reason = cmp.Or(v.Reason, "it is being prepared")
		return v
	}
	stage := stageOf(j.handle.ID(), j.handle.Progress())
	if at, ok := seen[stage.ID]; ok {
		v.Pool, v.Priority = at.Pool, priorityName(at.Priority)
		stage.MapShare, stage.ReduceShare = share(at.Kinds[0].Share), share(at.Kinds[1].Share)
		if !at.Runnable {
			v.Reason = cmp.Or(v.Reason, at.Hold.String())
		}
	}
	v.Stages = append(v.Stages, stage)
	begun := func(t api.Tasks) bool { return t.Running+t.Done+t.Failed+t.Killed > 0 }
	if len(j.stages) > 0 || begun(stage.Maps) || begun(stage.Reduces) {
		v.State = api.Running
	}
	return v
}

// priorityName returns a priority as clients write it.
func priorityName(p scheduling.Priority) string { return strings.ToLower(p.String()) }

// share returns a pointer to a fair share, or nil if there is none.
func share(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
