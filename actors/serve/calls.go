package serve

import (
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling"
)

// The handlers of the API, in the order of the route table.

func (s *Server) getServer(_ http.ResponseWriter, _ *http.Request, c caller) (any, error) {
	a := api.Server{
		Version: s.cfg.Version, Boot: s.boot, Started: s.started.Round(0), Durable: s.ledger.durable(),
		Caller: api.Caller{User: c.name(), Known: c.known, Manages: s.mayManage(c, "") == nil},
	}
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		a.Jobs = append(a.Jobs, api.Kind{Name: name, Summary: s.kinds[name].Summary})
	}
	err := s.cluster.Inspect(func(v scheduling.View) {
		a.Scheduler = v.Policy().Name
		for _, n := range v.Nodes() {
			a.Nodes++
			a.MapSlots += n.Slots[scheduling.Map]
			a.ReduceSlots += n.Slots[scheduling.Reduce]
		}
	})
	return a, err
}

func (s *Server) listJobs(_ http.ResponseWriter, r *http.Request, c caller) (any, error) {
	q := r.URL.Query()
	user, stage, state := q.Get("user"), q.Get("stage"), q.Get("state")
	known := []string{"", api.Waiting, api.Running, api.Succeeded, api.Failed, api.Killed, api.AnyEnd}
	if !slices.Contains(known, state) {
		return nil, refuse("bad-request", "state=%.20q: want one of %s", state, strings.Join(known[1:], ", "))
	}
	wanted := func(j *job) bool {
		return (user == "" || j.Who.User == user) && (stage == "" || j.has(stage)) &&
			(state == "" || state == api.AnyEnd && j.over() || s.view(j, nil).State == state)
	}
	number := func(j *job) string { return strconv.FormatInt(j.ID, 10) }
	some, err := pageOf(r, s.ledger.all(), wanted, number, func(id, other string) bool { return lessNumber(other, id) })
	return api.Page[api.Job]{Items: s.views(c, some.Items), Next: some.Next}, err
}

func (s *Server) postJob(w http.ResponseWriter, r *http.Request, c caller) (any, error) {
	var a api.Submission
	if err := s.readJSON(r, &a); err != nil {
		return nil, err
	}
	key := r.Header.Get("Idempotency-Key")
	if len(key) > 200 {
		return nil, refuse("bad-request", "an Idempotency-Key of %d bytes; at most 200", len(key))
	}
	j, fresh, err := s.submit(c, a, key)
	if err != nil {
		return nil, err
	}
	w.Header().Set("Location", prefix+"/jobs/"+strconv.FormatInt(j.ID, 10))
	if !fresh {
		writeJSON(w, http.StatusOK, s.views(c, []*job{j})[0])
		return nil, nil
	}
	view := s.view(j, nil) // without asking the JobTracker, which may be busy
	view.MayChange = s.mayAdminister(c, j.Who.User, view.Pool) == nil
	return view, nil
}

// ofJob returns the call that does something with the job whose number is in the request's path.
func (s *Server) ofJob(
	do func(w http.ResponseWriter, r *http.Request, c caller, j *job) (answer any, err error),
) call {
	return func(w http.ResponseWriter, r *http.Request, c caller) (any, error) {
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil {
			return nil, refuse("not-found", "%.40q is no number of a job", r.PathValue("id"))
		}
		j, err := s.ledger.find(id)
		if err != nil {
			return nil, err
		}
		return do(w, r, c, j)
	}
}

func (s *Server) getJob(_ http.ResponseWriter, _ *http.Request, c caller, j *job) (any, error) {
	return s.views(c, []*job{j})[0], nil
}

func getCounters(_ http.ResponseWriter, _ *http.Request, _ caller, j *job) (any, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return api.Counters{Counters: slices.Collect(j.counters.All())}, nil
}

// change returns the call that applies do to the job that the path names, with the request's body,
// and answers with the changed job.
func change[B any](s *Server, do func(ctx context.Context, c caller, j *job, body B) error) call {
	return s.ofJob(func(w http.ResponseWriter, r *http.Request, c caller, j *job) (any, error) {
		var body B
		err := s.readJSON(r, &body)
		if err == nil {
			err = do(r.Context(), c, j, body)
		}
		if err != nil {
			return nil, err
		}
		return s.getJob(w, r, c, j)
	})
}

func (s *Server) listNodes(_ http.ResponseWriter, r *http.Request, _ caller) (any, error) {
	list, err := s.nodeList()
	if err != nil {
		return nil, err
	}
	return pageOf(r, list, nil, func(n api.Node) string { return n.Name }, lessNumber)
}

func (s *Server) postNode(_ http.ResponseWriter, r *http.Request, _ caller) (any, error) {
	name := r.PathValue("name")
	if err := s.nodeAction(name, r.PathValue("action")); err != nil {
		return nil, err
	}
	return s.nodeOf(name)
}

func (s *Server) getPolicy(http.ResponseWriter, *http.Request, caller) (any, error) {
	return s.policyInForce()
}

func (s *Server) postPolicy(_ http.ResponseWriter, r *http.Request, _ caller) (any, error) {
	var change api.PolicyChange
	err := s.readJSON(r, &change)
	if err == nil {
		err = s.reconfigure(&change)
	}
	if err != nil {
		return nil, err
	}
	return s.policyInForce()
}

func (s *Server) postReload(http.ResponseWriter, *http.Request, caller) (any, error) {
	if s.config == nil {
		return nil, refuse("no-files", "this server has no configuration files")
	}
	if err := s.config.check(true); err != nil {
		return nil, refuse("bad-policy", "the server keeps its configuration: %s", oneLine(err))
	}
	return s.config.outcome(), nil
}

func (s *Server) listFiles(_ http.ResponseWriter, r *http.Request, _ caller) (any, error) {
	dir := r.URL.Query().Get("path")
	if dir == "" {
		dir = "."
	} else if err := checkStored(dir); err != nil {
		return nil, err
	}
	entries, err := s.cluster.FS().ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []api.File
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if name == jobInputs {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		list = append(list, api.File{Name: name, Directory: e.IsDir(), Size: info.Size()})
	}
	return pageOf(r, list, nil, func(f api.File) string { return f.Name }, cmp.Less)
}

func (s *Server) getFile(w http.ResponseWriter, r *http.Request, _ caller) (any, error) {
	name := r.PathValue("name")
	if err := checkStored(name); err != nil {
		return nil, err
	}
	f, err := s.cluster.FS().Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return nil, refuse("is-directory", "%s is a directory", name)
	}
	content := f.(io.ReadSeeker) // as all files of the block store
	if err := s.ledger.checkWhole(name, content); err != nil {
		return nil, err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment")
	http.ServeContent(w, r, "", time.Time{}, content)
	return nil, nil
}

func (s *Server) putFile(w http.ResponseWriter, r *http.Request, _ caller) (any, error) {
	if s.ended.Err() != nil {
		return nil, actors.ErrClosed
	}
	f := &upload{
		Reader: http.MaxBytesReader(w, r.Body, s.cfg.limits.upload), control: http.NewResponseController(w),
		idle: s.cfg.limits.idle, claim: claim{ledger: s.ledger},
	}
	name := r.PathValue("name")
	size, err := s.put(name, f)
	return api.File{Name: name, Size: size}, err
}

func (s *Server) removeFile(_ http.ResponseWriter, r *http.Request, _ caller) (any, error) {
	return nil, s.remove(r.PathValue("name"))
}
