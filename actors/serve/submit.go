package serve

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/spelling"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// submit accepts a job. With a State it is on disk when submit returns. fresh is false if a job
// with the same key exists.
func (s *Server) submit(c caller, a api.Submission, key string) (j *job, fresh bool, err error) {
	o, err := s.order(&a)
	if err != nil {
		return nil, false, err
	}
	user := cmp.Or(a.User, o.User, c.User)
	if err := cmp.Or(checkLabel("user", user), checkLabel("pool", o.Pool), checkLabel("queue", o.Queue)); err != nil {
		return nil, false, err
	}
	who, err := s.submitter(c, user)
	if err != nil {
		return nil, false, err
	}
	r := record{Asked: a, Who: who, At: s.now()}
	if key == "" {
		j, err = s.accept(r, o)
		return j, true, err
	}
	r.Key = fmt.Sprintf("%q %q", who.User, key)
	was, err, _ := s.submitting.Do(r.Key, func() (any, error) {
		if j := s.ledger.byKey(r.Key, r.At); j != nil {
			return j, nil
		}
		fresh = true
		return s.accept(r, o)
	})
	if err != nil {
		return nil, false, err
	}
	j = was.(*job)
	if j.Asked.Job != a.Job || !slices.Equal(j.Asked.Args, a.Args) || j.Asked.Directory != a.Directory {
		return nil, false, refuse("key-used", "the key is that of another submission, job %d", j.ID)
	}
	return j, fresh, nil
}

// accept makes a job of a submission and starts it.
func (s *Server) accept(r record, o Order) (*job, error) {
	j := newJob(s.ended, r)
	src, err := s.prepare(j, o)
	if err != nil {
		return nil, err
	}
	if s.ended.Err() != nil {
		return nil, actors.ErrClosed
	}
	if err := s.place(j); err != nil {
		return nil, err
	}
	if err := s.ledger.record(&entry{Jobs: []record{j.now()}, job: j}); err != nil {
		s.ledger.drop(j)
		return nil, err
	}
	s.work.Go(func() { s.run(j, src) })
	return j, nil
}

// place numbers a job and occupies its output, unless that would be inside a finished output.
func (s *Server) place(j *job) error {
	s.placing.Lock()
	defer s.placing.Unlock()
	err := s.ledger.place(j)
	if name, stored := strings.CutPrefix(j.order.Output, inStore); stored && err == nil {
		if err = s.checkNew(name); err != nil {
			s.ledger.drop(j)
		}
	}
	return err
}

// prepare resolves a job's pool and output and opens its inputs. It rejects the job if it is not
// allowed or not possible.
func (s *Server) prepare(j *job, o Order) ([]mapreduce.Source, error) {
	j.order = o
	admitted, err := s.cluster.Admit(j.options(""))
	if err != nil {
		return nil, err
	}
	o.Pool, o.Queue, j.Who.User = admitted.Pool, admitted.Queue, cmp.Or(admitted.User, anonymous)
	if err := s.setOrder(j, o); err != nil {
		return nil, err
	}
	if j.claim != nil {
		if err := j.claim.grow(1); err != nil {
			return nil, err
		}
		_ = j.claim.grow(-1) // there is room
	}
	src, inputs, err := s.sources(&j.Asked, &o)
	if err != nil {
		return nil, err
	}
	j.Inputs = inputs
	if o.Overwrite && slices.ContainsFunc(inputs, func(x stamp) bool { return below(j.target, x.Name) }) {
		return nil, refuse("output-exists", "%s would be replaced with the job's input in it", o.Output)
	}
	return src, s.output(j).Check()
}

// setOrder sets what a client has ordered of a job, and the target of its output and its claim on
// the store's space, which follow from that.
func (s *Server) setOrder(j *job, o Order) (err error) {
	j.order = o
	switch name, stored := strings.CutPrefix(o.Output, inStore); {
	case !stored:
		j.root, j.target, err = s.roots.target(j.Asked.Directory, o.Output)
	case o.Overwrite:
		err = refuse("bad-arguments", "--overwrite is for directories of the machine: remove %s first", o.Output)
	default:
		j.claim, j.target, err = &claim{ledger: s.ledger}, s.ledger.stored(name), s.checkNew(name)
	}
	return err
}

// order returns the order that a client's submission asks for.
func (s *Server) order(a *api.Submission) (o Order, err error) {
	kind := s.kinds[a.Job]
	if kind == nil {
		near := spelling.Closest(a.Job, slices.Collect(maps.Keys(s.kinds)))
		if near != "" {
			near = ", did you mean " + near + "?"
		}
		return o, refuse("unknown-job", "unknown job %q%s", a.Job, near)
	}
	defer func() {
		if bad := recover(); bad != nil {
			err = refuse("bad-arguments", "%s: its arguments make it panic: %v", a.Job, bad)
		}
	}()
	o, err = kind.Parse(a.Args)
	if err == nil {
		err = o.check()
	}
	if err != nil {
		return o, refuse("bad-arguments", "%s: %s", a.Job, oneLine(err))
	}
	o.Pool, o.Queue = cmp.Or(a.Pool, o.Pool), cmp.Or(a.Queue, o.Queue)
	if a.Priority != "" {
		o.Priority, err = parsePriority(a.Priority)
	}
	return o, err
}

// parsePriority returns the priority that a client names.
func parsePriority(name string) (scheduling.Priority, error) {
	p, err := scheduling.ParsePriority(name)
	if err != nil {
		err = refuse("bad-arguments", "priority %q: want very_high, high, normal, low or very_low", name)
	}
	return p, err
}

// sources opens an order's inputs and returns a stamp for each, to detect a change later.
func (s *Server) sources(a *api.Submission, o *Order) (list []mapreduce.Source, stamps []stamp, err error) {
	for _, in := range o.Inputs {
		files, name, base, err := s.input(a.Directory, in)
		if err != nil {
			return nil, nil, err
		}
		some, err := mapreduce.FS(files, name)
		if at, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, errOwn) {
			return nil, nil, refuse("outside-roots", "%s: no job reads %s: %s", in, at.Path, errOwn)
		}
		if err != nil {
			return nil, nil, badInput(in, err)
		}
		for _, x := range some {
			if strings.EqualFold(path.Ext(x.Name()), ".zip") { // a job would read it as text
				return nil, nil, refuse("bad-input", "%s: a server reads no zip archives: unpack it, or pack it as .gz or .zst", x.Name())
			}
			stamps = append(stamps, stamp{base + x.Name(), x.Size()})
		}
		list = append(list, some...)
	}
	return list, stamps, nil
}

// input returns the file system that an input of a job is in, the input's name in it, and what
// precedes the names of its files.
func (s *Server) input(dir, in string) (files fs.FS, name, base string, err error) {
	if name, stored := strings.CutPrefix(in, inStore); stored {
		return s.cluster.FS(), name, inStore, checkStored(name)
	}
	root, name, err := s.roots.within(dir, in)
	if err != nil {
		return nil, "", "", err
	}
	return root.inputs(s.roots.own), name, root.path + "/", nil
}

// restore finds out what the recorded jobs are; Start resumes those that have not ended.
func (s *Server) restore() {
	for _, j := range s.ledger.list {
		if j.End != nil {
			close(j.done)
			j.cancel()
			continue
		}
		o, err := s.order(&j.Asked)
		if j.unusable = cmp.Or(err, s.setOrder(j, o)); j.unusable != nil { // resume reports it
			j.target = fmt.Sprint("job ", j.ID) // unique
		}
		s.ledger.targets[j.target] = j
		if j.Kill != nil {
			j.cancel()
		}
	}
	s.ledger.forget(s.now())
}

// resume continues a job of an earlier process, or ends it if that is not possible.
func (s *Server) resume(j *job) {
	err := j.unusable
	if err == nil && s.succeeded(j, len(j.order.Stages)-1, j.target) { // before a kill that came too late
		s.finish(j, errors.Join(s.output(j).Finish(), s.publish(j)))
		return
	}
	var src []mapreduce.Source
	var now []stamp
	if err == nil {
		src, now, err = s.sources(&j.Asked, &j.order)
		if err == nil && j.Kill == nil && !slices.Equal(now, j.Inputs) {
			err = errors.New("its input has changed since it was submitted")
		}
	}
	if err != nil {
		s.finish(j, errors.Join(fmt.Errorf("after a restart of the server: %w", err), s.abort(j)))
		return
	}
	s.cfg.Log.Info("a job goes on", "id", j.ID, "job", j.Asked.Job)
	s.run(j, src)
}

// abort removes the part of a job's output that an earlier process has left.
func (s *Server) abort(j *job) error {
	if j.unusable != nil {
		return nil
	}
	to := s.output(j)
	if to.Check() != nil {
		return nil // another owner's
	}
	nothing := mapreduce.MapOnly[[]byte, []byte]{Map: func([]byte, func([]byte)) error { return nil }}
	plan, err := nothing.Bind(mapreduce.Lines(mapreduce.Bytes("nothing", nil)), mapreduce.Raw[[]byte](to))
	if err == nil {
		err = plan.SetupJob()
	}
	if err == nil {
		err = plan.AbortJob()
	}
	return err
}
