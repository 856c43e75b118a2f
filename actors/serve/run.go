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
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// run carries out a job and records its end, unless the server closes and the job waits.
func (s *Server) run(j *job, src []mapreduce.Source) {
	err := s.carryOut(j, src)
	stopped := slices.ContainsFunc([]error{actors.ErrJobKilled, actors.ErrClosed, context.Canceled},
		func(end error) bool { return errors.Is(err, end) })
	if s.ended.Err() != nil && j.killed() == nil && stopped {
		if s.ledger.durable() {
			return // the next process continues it
		}
		err = errors.New("the server has ended, and keeps no state")
	}
	s.finish(j, err)
}

// carryOut runs the stages of a job in order and publishes its output.
func (s *Server) carryOut(j *job, src []mapreduce.Source) (err error) {
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("the job panicked: %v", bad)
		}
	}()
	between, last := s.ledger.stages(j.ID), len(j.order.Stages)-1
	if last > 0 {
		if err := os.MkdirAll(between, 0o700); err != nil {
			return err
		}
	}
	to := s.output(j)
	for i, bind := range j.order.Stages {
		dest, dir := to, j.target
		if i < last {
			dir = filepath.Join(between, fmt.Sprint(i))
			dest = s.ledger.resumable(mapreduce.Dir(dir).Late(), j.ID, i)
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
		_, err = s.onCluster(j.ctx, j, plan, s.ledger.key(j.ID, i))
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
	j.endStage(res, s.stages([]*job{j})[h.ID().String()])
	return res, err
}

// begin prepares and submits a plan of a job, once fewer than maxPreparing jobs are in preparation.
func (s *Server) begin(ctx context.Context, j *job, plan *mapreduce.Plan, key string) (*actors.JobHandle, error) {
	select {
	case s.preparing <- struct{}{}:
		defer func() { <-s.preparing }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil { // a killed job does not begin
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

// succeeded reports whether an earlier process has finished a stage; dir is its output.
func (s *Server) succeeded(j *job, i int, dir string) bool {
	if !j.resumed {
		return false
	}
	if _, err := os.Stat(filepath.Join(dir, "_SUCCESS")); err != nil {
		return false
	}
	_, yes := s.ledger.core.Succeeded(s.ledger.key(j.ID, i))
	return yes
}

// output returns the destination of a job's last stage.
func (s *Server) output(j *job) (to mapreduce.Destination) {
	to = mapreduce.Dir(j.target)
	if j.order.Overwrite {
		to = mapreduce.ReplacedDir(j.target)
	}
	if j.root != nil { // links that others create there cannot redirect it
		to = to.Within(j.root.dir)
	}
	if j.claim != nil {
		to = to.Metered(j.claim.grow)
	}
	return s.ledger.resumable(to, j.ID, len(j.order.Stages)-1).Late().Compressed(j.order.Compress)
}

// finish records how a job has ended, err, and what it has stored.
func (s *Server) finish(j *job, err error) {
	err = errors.Join(err, os.RemoveAll(s.ledger.stages(j.ID))) // also of an earlier process
	j.changing.Lock()
	r, v, at := j.now(), s.view(j, nil), s.now()
	r.Inputs, r.End, r.Counters = nil, &v, j.counters
	v.State, v.Reason, v.Ended, v.ElapsedSeconds = api.Succeeded, "", &at, at.Sub(j.At).Seconds()
	switch {
	case err != nil && (errors.Is(err, actors.ErrJobKilled) || r.Kill != nil):
		v.State, v.Error = api.Killed, oneLine(err)
	case err != nil:
		v.State, v.Error = api.Failed, oneLine(err)
	}
	// An error is logged, and the output is complete.
	_ = s.ledger.record(&entry{Jobs: []record{r}, Stored: j.stored, claim: j.claim, anyway: true})
	j.changing.Unlock()
	s.ledger.forget(at)
	close(j.done)
	j.cancel()
	s.ledger.trim()
}

// oneLine returns the text of an error without line feeds.
func oneLine(err error) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "\n", "; ")), " ")
}

// now returns the current wall-clock time.
func (s *Server) now() time.Time { return time.Now().Round(0) }
