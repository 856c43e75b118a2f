package serve

import (
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/pprof"
	"strconv"
	"time"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

//go:embed openapi.yaml
var openAPI []byte

// prefix is where the API lies.
const prefix = "/api/v1"

// call is what a handler of the API does. Its answer is written as JSON; nil is none.
type call func(r *http.Request, c caller) (answer any, err error)

// route is one call of the API.
type route struct {
	method, path string // behind prefix
	status       int    // of success
	do           call
	raw          func(w http.ResponseWriter, r *http.Request, c caller) error // in place of do
}

// table of the API, as openapi.yaml describes it.
func (s *Server) table() []route {
	get, post := http.MethodGet, http.MethodPost
	return []route{
		{get, "/server", http.StatusOK, s.getServer, nil},
		{get, "/jobs", http.StatusOK, s.listJobs, nil},
		{post, "/jobs", http.StatusCreated, nil, s.postJob},
		{get, "/jobs/{id}", http.StatusOK, s.getJob, nil},
		{get, "/jobs/{id}/counters", http.StatusOK, s.getCounters, nil},
		{get, "/jobs/{id}/events", http.StatusOK, nil, s.jobEvents},
		{post, "/jobs/{id}/kill", http.StatusOK, s.killJob, nil},
		{post, "/jobs/{id}/priority", http.StatusOK, s.postPriority, nil},
		{post, "/jobs/{id}/pool", http.StatusOK, s.postPool, nil},
		{get, "/history", http.StatusOK, s.history, nil},
		{get, "/events", http.StatusOK, nil, s.allEvents},
		{get, "/nodes", http.StatusOK, s.listNodes, nil},
		{post, "/nodes/{name}/{action}", http.StatusOK, s.postNode, nil},
		{get, "/policy", http.StatusOK, s.getPolicy, nil},
		{post, "/policy", http.StatusOK, s.postPolicy, nil},
		{post, "/policy/reload", http.StatusOK, s.postReload, nil},
		{get, "/files", http.StatusOK, s.listFiles, nil},
		{get, "/files/{name...}", http.StatusOK, nil, s.getFile},
		{http.MethodPut, "/files/{name...}", http.StatusCreated, nil, s.putFile},
		{http.MethodDelete, "/files/{name...}", http.StatusNoContent, s.removeFile, nil},
	}
}

// routes is all that is served.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, x := range s.table() {
		mux.Handle(x.method+" "+prefix+x.path, s.handle(&x))
	}
	page := func(do func(w http.ResponseWriter, r *http.Request, c caller) error) http.Handler {
		return s.handle(&route{raw: do})
	}
	mux.Handle("GET /scheduler", page(s.getScheduler))
	mux.Handle("POST /scheduler/jobs/{id}", page(s.schedulerChange))
	mux.Handle("GET /metrics", page(s.metrics.serve))
	mux.Handle("GET /openapi.yaml", page(func(w http.ResponseWriter, _ *http.Request, _ caller) error {
		w.Header().Set("Content-Type", "application/yaml")
		_, err := w.Write(openAPI)
		return err
	}))
	if s.cfg.Profiling {
		for name, do := range map[string]http.HandlerFunc{
			"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace,
		} {
			mux.Handle("GET /debug/pprof/"+name, page(s.profile(do)))
		}
	}
	mux.Handle("GET /{$}", http.RedirectHandler("/scheduler", http.StatusSeeOther))
	mux.Handle("/", page(func(_ http.ResponseWriter, r *http.Request, _ caller) error {
		return s.noRoute(mux, r)
	}))
	// The page itself holds nothing of the cluster; it asks for a token, where one is needed.
	mux.Handle("GET "+watch+"{$}", s.open(s.watchPage))
	mux.Handle("GET "+watch+"{file}", s.open(s.watchFile))
	return s.guard(mux)
}

// noRoute is why nothing is at a path.
func (s *Server) noRoute(mux *http.ServeMux, r *http.Request) error {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(other); pattern != "/" && pattern != "" {
			return &fault{http.StatusMethodNotAllowed, "bad-method", "want " + method}
		}
	}
	return notFound("there is nothing at %s", r.URL.Path)
}

// open makes a handler of what everybody may see.
func (s *Server) open(do func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := do(w, r); err != nil {
			s.writeProblem(w, r, err)
		}
	})
}

// handle makes a handler of a route.
func (s *Server) handle(x *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, err := s.cfg.Access.authenticate(r)
		if err != nil {
			s.cfg.Log.Warn("refused", "from", r.RemoteAddr, "why", err)
			s.writeProblem(w, r, err)
			return
		}
		who = asUser(who, r)
		if x.raw != nil {
			if err := x.raw(w, r, who); err != nil {
				s.writeProblem(w, r, err)
			}
			return
		}
		answer, err := x.do(r, who)
		switch {
		case err != nil:
			s.writeProblem(w, r, err)
		case answer == nil:
			w.WriteHeader(x.status)
		default:
			writeJSON(w, x.status, answer)
		}
	})
}

func writeJSON(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // a client that has gone
}

// readJSON reads the body of a request, all of it, into a value. An empty body is the zero value.
func (s *Server) readJSON(r *http.Request, into any) error {
	if r.ContentLength == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return &fault{http.StatusUnsupportedMediaType, "bad-media-type", "want Content-Type: application/json"}
	}
	body := json.NewDecoder(http.MaxBytesReader(nil, r.Body, s.cfg.limits.body))
	body.DisallowUnknownFields()
	err = body.Decode(into)
	if err == nil {
		if _, err = body.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = errors.New("something stands behind the value")
		}
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return err
	}
	return badRequest("the body is not as it should be: %v", err)
}

// pageOf cuts out the part of a list that a request asks for, of the items that keep says (nil: all), which is
// not asked about those before and behind. key is what a page ends with, in the
// order of the list: a request goes on behind it even if the item is gone, if later(key) says which
// items are behind.
func pageOf[T any](
	r *http.Request, list []T, keep func(*T) bool, key func(*T) string, later func(item *T, after string) bool,
) (api.Page[T], error) {
	p := api.Page[T]{Items: []T{}}
	limit := 100
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1000 {
			return p, badRequest("limit=%.20q: want 1 to 1000", text)
		}
		limit = n
	}
	after := r.URL.Query().Get("after")
	for i := range list {
		if after != "" && !later(&list[i], after) || keep != nil && !keep(&list[i]) {
			continue
		}
		if len(p.Items) == limit {
			p.Next = key(&p.Items[limit-1])
			break
		}
		p.Items = append(p.Items, list[i])
	}
	return p, nil
}

// bound lets a body take only so long without a byte, and so many bytes.
func (s *Server) bound(w http.ResponseWriter, r *http.Request, most int64) io.Reader {
	return &patient{
		body: http.MaxBytesReader(w, r.Body, most), control: http.NewResponseController(w), idle: s.cfg.limits.idle,
	}
}

// patient reads a body and gives each read some time.
type patient struct {
	body    io.Reader
	control *http.ResponseController
	idle    time.Duration
}

// Read implements io.Reader.
func (p *patient) Read(b []byte) (int, error) {
	_ = p.control.SetReadDeadline(time.Now().Add(p.idle)) // tests have writers without
	return p.body.Read(b)
}

// profile serves pprof to administrators.
func (s *Server) profile(do http.HandlerFunc) func(w http.ResponseWriter, r *http.Request, c caller) error {
	return func(w http.ResponseWriter, r *http.Request, c caller) error {
		if err := s.mayManage(c, "look at profiles"); err != nil {
			return err
		}
		do(w, r)
		return nil
	}
}
