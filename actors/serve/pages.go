package serve

import (
	_ "embed" // scheduler.html
	"html/template"
	"io/fs"
	"math"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"

	"github.com/tarry-mr/tarry/actors/page"
	"github.com/tarry-mr/tarry/actors/serve/api"
)

// schedulerView is the data of the page /scheduler.
type schedulerView struct {
	api.Policy
	Jobs     []schedulerJob
	More     int // jobs that are not shown
	Advanced bool
}

// schedulerJob is a row in the page's table of jobs.
type schedulerJob struct {
	api.Job
	Kinds [2]schedulerTasks // maps and reduces of the running stage
}

// schedulerTasks are the cells of a job's maps or reduces in the table.
type schedulerTasks struct {
	api.Tasks
	Share, Weight *float64
}

//go:embed scheduler.html
var schedulerHTML string

var schedulerPage = template.Must(template.New("scheduler").Funcs(template.FuncMap{
	"anyCrossed": func(pools []api.Pool) bool {
		return slices.ContainsFunc(pools, func(p api.Pool) bool { return crossed(p.Maps) || crossed(p.Reduces) })
	},
	"crossed":    crossed,
	"priorities": func() []string { return []string{"very_high", "high", "normal", "low", "very_low"} },
	"share":      shareText,
}).Parse(schedulerHTML))

// maxShown is the maximum number of jobs on the page.
const maxShown = 500

// getScheduler handles GET /scheduler: the pools and jobs, under the path and with the columns of
// Hadoop's page [Hadoop Fair Scheduler Guide §5]; ?advanced adds weights.
func (s *Server) getScheduler(w http.ResponseWriter, r *http.Request, _ caller) (any, error) {
	policy, err := s.policyInForce()
	if err != nil {
		return nil, err
	}
	running := slices.DeleteFunc(s.ledger.all(), (*job).over)
	v := schedulerView{Policy: policy, More: max(len(running)-maxShown, 0), Advanced: r.URL.Query().Has("advanced")}
	running = running[:min(len(running), maxShown)]
	seen := s.stages(running)
	for _, j := range running {
		line := schedulerJob{Job: s.view(j, seen)}
		if n := len(line.Stages); n > 0 {
			at := line.Stages[n-1]
			line.Kinds = [2]schedulerTasks{{Tasks: at.Maps, Share: at.MapShare}, {Tasks: at.Reduces, Share: at.ReduceShare}}
			if x, ok := seen[at.ID]; ok {
				line.Kinds[0].Weight, line.Kinds[1].Weight = share(x.Kinds[0].Weight), share(x.Kinds[1].Weight)
			}
		}
		v.Jobs = append(v.Jobs, line)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return nil, schedulerPage.Execute(w, &v)
}

// crossed reports whether a minimum share is above the maximum.
func crossed(t api.PoolTasks) bool { return t.Max != nil && *t.Max < t.Min }

// shareText formats a share or weight with one decimal.
func shareText(x *float64) string {
	if x == nil {
		return "NA"
	}
	return strconv.FormatFloat(math.Round(*x*10)/10, 'f', -1, 64)
}

// schedulerChange handles POST /scheduler/jobs/{id}, the page's form that changes a job.
func (s *Server) schedulerChange(w http.ResponseWriter, r *http.Request, c caller, j *job) (any, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" {
		return nil, refuse("bad-media-type", "want a form")
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.cfg.limits.body)
	if err := r.ParseForm(); err != nil {
		return nil, refuse("bad-request", "the form is not as it should be")
	}
	v := s.views(c, []*job{j})[0]
	if p := r.PostForm.Get("priority"); p != "" && p != v.Priority {
		err = s.setPriority(r.Context(), c, j, api.SetPriority{Priority: p})
	}
	if p := r.PostForm.Get("pool"); err == nil && p != "" && p != v.Pool {
		err = s.setPool(r.Context(), c, j, api.SetPool{Pool: p})
	}
	if err != nil {
		return nil, err
	}
	to := "/scheduler"
	if r.PostForm.Has("advanced") {
		to += "?advanced"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil, nil
}

// watch is the path of the page that shows the cluster live.
const watch = "/watch/"

// watchPage handles GET /watch/: the page, which reads its events from the API.
func (s *Server) watchPage(w http.ResponseWriter, _ *http.Request) error {
	module := ""
	if s.cfg.Simulator != nil {
		module = "tarry.wasm.gz"
	}
	index, err := page.Index("Tarry", prefix+"/", module)
	if err != nil {
		return err
	}
	return writeOfPage(w, "text/html; charset=utf-8", index)
}

// watchFile handles GET /watch/{file}: the page's files.
func (s *Server) watchFile(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	text, err := fs.ReadFile(page.Files(), name)
	if err != nil && s.cfg.Simulator != nil {
		files, wrong := s.cfg.Simulator()
		if wrong != nil {
			return wrong
		}
		if text = files[name]; text != nil {
			err = nil
		}
	}
	if err != nil || path.Ext(name) == ".html" {
		return refuse("not-found", "there is nothing at %s", r.URL.Path)
	}
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // whatever type this machine has for it
	case ".mjs", ".js":
		kind = "text/javascript; charset=utf-8"
	case ".gz", ".br": // the page unpacks them
		kind = "application/octet-stream"
	}
	return writeOfPage(w, kind, text)
}

// writeOfPage answers with a file of the page, which may run its own scripts and call this server.
func writeOfPage(w http.ResponseWriter, kind string, text []byte) error {
	w.Header().Set("Content-Security-Policy", page.ContentSecurityPolicy)
	w.Header().Set("Content-Type", kind)
	_, err := w.Write(text)
	return err
}
