package serve

import (
	"mime"
	"net/http"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// schedulerView is what the page shows.
type schedulerView struct {
	Name       string
	Pools      []api.Pool
	Jobs       []schedulerJob
	More       int // jobs that are not shown
	Advanced   bool
	Priorities []string
	Reload     *api.Reload
}

// schedulerJob is a line of its table of jobs.
type schedulerJob struct {
	api.Job
	Maps, Reduces           api.Tasks // of the stage that runs
	MapShare, ReduceShare   *float64
	MapWeight, ReduceWeight *float64
	Pools                   []string
}

// mostShown is how many jobs the page shows.
const mostShown = 500

// schedulerPage is GET /scheduler: the pools and jobs, under the name and with the columns of
// Hadoop's page [Hadoop Fair Scheduler Guide §5]; ?advanced adds weights.
func (s *Server) schedulerPage(w http.ResponseWriter, r *http.Request, _ caller) error {
	policy, err := s.policyInForce()
	if err != nil {
		return err
	}
	var running []*job
	for _, j := range s.jobs.all() {
		if !j.over() {
			running = append(running, j)
		}
	}
	_, advanced := r.URL.Query()["advanced"]
	v := schedulerView{
		Name: policy.Name, Pools: policy.Pools, Advanced: advanced, Reload: policy.Reload,
		Priorities: []string{"very_high", "high", "normal", "low", "very_low"},
	}
	v.More = max(len(running)-mostShown, 0)
	running = running[:min(len(running), mostShown)]
	weights := s.weights(running)
	for i, one := range s.views(running) {
		line := schedulerJob{Job: one}
		for _, p := range policy.Pools {
			line.Pools = append(line.Pools, p.Name)
		}
		if n := len(one.Stages); n > 0 {
			at := one.Stages[n-1]
			line.Maps, line.Reduces, line.MapShare, line.ReduceShare = at.Maps, at.Reduces, at.MapShare, at.ReduceShare
		}
		line.MapWeight, line.ReduceWeight = weights[i][0], weights[i][1]
		v.Jobs = append(v.Jobs, line)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = w.Write(v.page())
	return err
}

// schedulerChange is POST /scheduler/jobs/{id}: the form of that page changes a job.
func (s *Server) schedulerChange(w http.ResponseWriter, r *http.Request, c caller) error {
	j, err := s.jobOf(r)
	if err != nil {
		return err
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return &fault{http.StatusUnsupportedMediaType, "bad-media-type", "want a form"}
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.cfg.limits.body)
	if err := r.ParseForm(); err != nil {
		return badRequest("the form is not as it should be")
	}
	v := s.views([]*job{j})[0]
	if p := r.PostForm.Get("priority"); p != "" && p != v.Priority {
		err = s.setPriority(r.Context(), c, j, p)
	}
	if p := r.PostForm.Get("pool"); err == nil && p != "" && p != v.Pool {
		err = s.setPool(r.Context(), c, j, p)
	}
	if err != nil {
		return err
	}
	to := "/scheduler"
	if r.PostForm.Has("advanced") {
		to += "?advanced"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}
