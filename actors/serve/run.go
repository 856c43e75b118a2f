package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// run carries out a job and records its end, unless the server closes and the job waits.
func (s *Server) run(j *job) {
	err := s.carryOut(j)
	stopped := slices.ContainsFunc([]error{actors.ErrJobKilled, actors.ErrClosed, context.Canceled},
		func(end error) bool { return errors.Is(err, end) })
	if s.ended.Err() != nil && j.killed() == nil && stopped {
		if s.memory != nil {
			return // the next process continues it
		}
		err = errors.New("the server has ended, and keeps no state")
	}
	s.finish(j, err)
}

// carryOut runs the stages of a job in order.
func (s *Server) carryOut(j *job) (err error) {
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("the job panicked: %v", bad)
		}
	}()
	between, err := s.betweenStages(j)
	if err != nil {
		return err
	}
	last := len(j.order.Stages) - 1
	to := s.output(j)
	j.mu.Lock()
	src := j.src
	j.src = nil
	j.mu.Unlock()
	for i, bind := range j.order.Stages {
		dest, dir := to, ""
		if i < last {
			dir = filepath.Join(between, fmt.Sprint(i))
			dest = s.memory.resumable(mapreduce.Dir(dir).Late(), j.ID, i)
		}
		if s.succeeded(j, i, dir) {
			err = dest.Finish()
		} else {
			err = s.stage(j, i, bind, src, dest)
		}
		if err == nil && i < last {
			src, err = mapreduce.Files(dir)
		}
		if err != nil {
			return err
		}
	}
	return s.publish(j)
}

// stage runs stage number i of a job: it binds the stage's plan and runs that on the cluster.
func (s *Server) stage(j *job, i int, bind Stage, src []mapreduce.Source, to mapreduce.Destination) error {
	round := func(ctx context.Context, p *mapreduce.Plan) (*counter.Set, error) {
		res, err := s.onCluster(ctx, j, p, "")
		return res.Counters, err
	}
	plan, err := bind(j.ctx, round, src, to)
	if err == nil {
		_, err = s.onCluster(j.ctx, j, plan, s.memory.key(j.ID, i))
	}
	return err
}

// onCluster runs a plan of a job on the cluster and waits for its end.
func (s *Server) onCluster(ctx context.Context, j *job, plan *mapreduce.Plan, key string) (actors.Result, error) {
	h, err := s.begin(ctx, j, plan, key)
	if k := j.killed(); k != nil && err != nil {
		err = errors.Join(fmt.Errorf("%w: %s", actors.ErrJobKilled, k.Reason), s.abort(j))
	} else if k != nil {
		_ = h.Kill(k.Reason) // the job's end decides
	}
	if err != nil {
		return actors.Result{}, err
	}
	res, err := h.Wait(context.Background())
	j.endStage(res)
	return res, err
}

// begin prepares and submits a plan of a job, once fewer than maxPreparing jobs are in preparation.
func (s *Server) begin(ctx context.Context, j *job, plan *mapreduce.Plan, key string) (*actors.JobHandle, error) {
	select {
	case s.preparing <- struct{}{}:
		defer func() { <-s.preparing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	j.submitting.Lock()
	defer j.submitting.Unlock()
	h, err := s.cluster.Submit(ctx, plan, j.options(key))
	if err == nil {
		j.begin(h)
	}
	return h, err
}

// betweenStages returns a directory for the data that one stage passes to the next. With a State
// the next process can resume the job from it.
func (s *Server) betweenStages(j *job) (dir string, err error) {
	switch {
	case len(j.order.Stages) == 1:
		return "", nil
	case s.memory != nil:
		dir = s.memory.stages(j.ID)
		return dir, os.MkdirAll(dir, 0o700)
	}
	if j.between, err = scratch.Dir(s.cfg.Cluster.SpillDir, "tarry-serve-"); err != nil {
		return "", err
	}
	return j.between.Name(), nil
}

// dropStages removes the data between stages, also that of an earlier process.
func (s *Server) dropStages(j *job) error {
	if s.memory != nil {
		return os.RemoveAll(s.memory.stages(j.ID))
	}
	if j.between != nil {
		return j.between.Remove()
	}
	return nil
}

// succeeded reports whether an earlier process has finished a stage; dir is its output, or empty
// for the last stage.
func (s *Server) succeeded(j *job, i int, dir string) bool {
	if s.memory == nil || !j.resumed {
		return false
	}
	if dir == "" {
		dir = j.target
	}
	if _, err := os.Stat(filepath.Join(dir, "_SUCCESS")); err != nil {
		return false
	}
	_, yes := s.memory.state.Succeeded(s.memory.key(j.ID, i))
	return yes
}

// output returns the destination of a job's last stage.
func (s *Server) output(j *job) (to mapreduce.Destination) {
	name, stored := strings.CutPrefix(j.target, inStore)
	switch {
	case stored:
		to = mapreduce.InDFS(s.cluster.FS(), name)
	case j.order.Overwrite:
		to = mapreduce.ReplacedDir(j.target)
	default:
		to = mapreduce.Dir(j.target)
	}
	if root := s.roots.of(j.target); root != nil && !strings.HasPrefix(j.output, inStore) { // links that others create there cannot redirect it
		to = to.Within(root.dir)
	}
	if j.claim != nil {
		to = to.Metered(j.claim.grow)
	}
	return s.memory.resumable(to, j.ID, len(j.order.Stages)-1).Late().Compressed(j.order.Compress)
}

// killed returns the job's kill request, or nil.
func (j *job) killed() *api.Kill {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Kill
}

// finish records how a job has ended, err, and publishes it.
func (s *Server) finish(j *job, err error) {
	err = errors.Join(err, s.dropStages(j))
	end := &ending{State: api.Succeeded, At: s.now()}
	switch {
	case err == nil:
	case errors.Is(err, actors.ErrJobKilled) || j.killed() != nil:
		end.State, end.Error = api.Killed, oneLine(err)
	default:
		end.State, end.Error = api.Failed, oneLine(err)
	}
	pool := s.poolOf(j)
	j.mu.Lock()
	end.Pool, end.Priority = pool, priorityName(j.order.Priority)
	end.Stages, end.Counters = j.stages, j.counters
	stored := j.stored
	j.mu.Unlock()
	finished, there := strings.CutPrefix(j.output, inStore)
	if !there || err != nil {
		finished = ""
	}
	s.writing.RLock()
	e := &entry{ID: j.ID, End: end, Stored: stored, Output: finished}
	_ = s.memory.write(e) // it logs its errors, and the output is complete
	s.catalog.note(e, j.Who.User, j.claim)
	j.mu.Lock()
	j.End, j.stored = end, nil
	j.order, j.src = Order{Overwrite: j.order.Overwrite}, nil
	j.mu.Unlock()
	s.writing.RUnlock()
	s.jobs.finish(j)
	close(j.done)
	j.cancel()
	s.trim()
}

// longJournal is the minimum size of the journal after a snapshot, in bytes, at which a new
// snapshot replaces it; a larger snapshot raises it to its own size.
const longJournal = 16 << 20

// trim replaces the journal by a snapshot if the journal is long.
func (s *Server) trim() {
	if s.memory == nil {
		return
	}
	snapshot := s.memory.snapshotSize.Load()
	if s.memory.journal.Size()-snapshot < max(snapshot, longJournal) || !s.trimming.TryLock() {
		return
	}
	defer s.trimming.Unlock()
	s.writing.Lock() // changes not yet in the table must come after the snapshot
	defer s.writing.Unlock()
	if err := s.memory.compact(s.snapshot()); err != nil {
		s.cfg.Log.Error("the journal is not shortened", "err", err)
	}
}

// oneLine returns the text of an error without line feeds.
func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " ")
}

// now returns the current wall-clock time.
func (s *Server) now() time.Time { return time.Now().Round(0) }
