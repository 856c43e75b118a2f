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

// run carries a job out, in a goroutine of its own.
func (s *Server) run(j *job) {
	err := s.carryOut(j)
	stopped := slices.ContainsFunc([]error{actors.ErrJobKilled, actors.ErrClosed, context.Canceled},
		func(end error) bool { return errors.Is(err, end) })
	if s.closing.Load() && j.killed() == nil && stopped {
		if s.memory != nil {
			return // it waits for the next process
		}
		err = errors.New("the server has ended, and keeps no state")
	}
	s.finish(j, err)
}

// carryOut runs the stages of a job one after the other.
func (s *Server) carryOut(j *job) (err error) {
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("the job panicked: %v", bad)
		}
	}()
	between, clean, err := s.between(j)
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
			dest = s.memory.resumable(mapreduce.Dir(dir).Late(), j.id, i)
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
			return errors.Join(err, clean(false))
		}
	}
	if err := s.publish(j); err != nil {
		return err
	}
	return clean(true)
}

// stage runs one stage.
func (s *Server) stage(j *job, i int, bind Stage, src []mapreduce.Source, to mapreduce.Destination) error {
	round := func(ctx context.Context, p *mapreduce.Plan) (*counter.Set, error) {
		res, err := s.onCluster(ctx, j, p, "")
		return res.Counters, err
	}
	plan, err := bind(j.ctx, round, src, to)
	if err == nil {
		_, err = s.onCluster(j.ctx, j, plan, s.memory.key(j.id, i))
	}
	return err
}

// onCluster runs a plan of a job to its end.
func (s *Server) onCluster(ctx context.Context, j *job, plan *mapreduce.Plan, key string) (actors.Result, error) {
	h, err := s.prepared(ctx, plan, j.options(key))
	if err != nil {
		if k := j.killed(); k != nil {
			err = errors.Join(fmt.Errorf("%w: %s", actors.ErrJobKilled, k.Reason), s.abort(j))
		}
		return actors.Result{}, err
	}
	if !j.begin(h) {
		_ = h.Kill(j.killed().Reason) // its end is what counts
	}
	s.handed(j)
	res, err := h.Wait(context.Background())
	j.endStage(res)
	return res, err
}

// prepared has the cluster prepare a plan, when its turn has come, and take it in.
func (s *Server) prepared(ctx context.Context, plan *mapreduce.Plan, o actors.SubmitOptions) (*actors.JobHandle, error) {
	select {
	case s.preparing <- struct{}{}:
		defer func() { <-s.preparing }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return s.cluster.Submit(ctx, plan, o)
}

// handed says that the cluster has the job, or will not get it.
func (s *Server) handed(j *job) {
	j.mu.Lock()
	defer j.mu.Unlock()
	select {
	case <-j.handed:
	default:
		close(j.handed)
	}
}

// between is a directory for what stages write for each other. clean removes it, unless it is kept
// for the next process.
func (s *Server) between(j *job) (dir string, clean func(done bool) error, err error) {
	if len(j.order.Stages) == 1 {
		return "", func(bool) error { return nil }, nil
	}
	if m := s.memory; m != nil {
		dir = filepath.Join(m.dir, stagesDir, fmt.Sprint(j.id))
		return dir, func(done bool) error {
			if !done && s.closing.Load() {
				return nil
			}
			return os.RemoveAll(dir)
		}, os.MkdirAll(dir, 0o700)
	}
	made, err := scratch.Dir(s.cfg.Cluster.SpillDir, "tarry-serve-")
	if err != nil {
		return "", nil, err
	}
	return made.Name(), func(bool) error { return made.Remove() }, nil
}

// succeeded tells whether a former process has finished a stage, whose output is in dir if it is
// not the last one.
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
	_, yes := s.memory.state.Succeeded(s.memory.key(j.id, i))
	return yes
}

// output is where a job writes.
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
	if root := s.roots.of(j.target); root != nil && !strings.HasPrefix(j.output, inStore) { // what others lay there leads it nowhere
		to = to.Within(root.dir)
	}
	if j.claim != nil {
		to = to.Metered(j.claim.grow)
	}
	return s.memory.resumable(to, j.id, len(j.order.Stages)-1).Late().Compressed(j.order.Compress)
}

// killed is how the job is to be killed, or nil.
func (j *job) killed() *api.Kill {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.kill
}

// finish notes how a job has ended.
func (s *Server) finish(j *job, err error) {
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
	_ = s.memory.write(&entry{ID: j.id, End: end, Stored: stored, Output: finished}) // it has been told; the output is there
	s.memory.note(&entry{Stored: stored})
	if finished != "" {
		s.outputs.add(finished, j.who.User)
	}
	j.mu.Lock()
	j.end, j.stored = end, nil
	close(j.turn)
	j.order, j.src = Order{Overwrite: j.order.Overwrite}, nil
	j.mu.Unlock()
	s.writing.RUnlock()
	s.handed(j)
	j.claim.end(err == nil, j.resumed, func() { s.jobs.finish(j) })
	close(j.done)
	j.cancel()
	s.trim()
}

// longJournal is how many bytes of journal behind a snapshot give way to another, or as many as the
// snapshot has, if these are more.
const longJournal = 16 << 20

// trim begins the journal anew when it has become long.
func (s *Server) trim() {
	if s.memory == nil {
		return
	}
	snapshot := s.memory.snapshotSize.Load()
	if s.memory.journal.Size()-snapshot < max(snapshot, longJournal) || !s.trimming.TryLock() {
		return
	}
	defer s.trimming.Unlock()
	s.writing.Lock() // what is not in the table yet must come behind the snapshot
	defer s.writing.Unlock()
	if err := s.memory.compact(s.snapshot()); err != nil {
		s.cfg.Log.Error("the journal is not shortened", "err", err)
	}
}

// oneLine is an error as one line.
func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " ")
}

// now is the time of day.
func (s *Server) now() time.Time { return time.Now().Round(0) }
