package serve

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

//go:embed openapi.yaml
var openAPI []byte

// prefix is the path of the API.
const prefix = "/api/v1"

// call handles a request. Its answer is written as JSON, unless it is nil.
type call func(w http.ResponseWriter, r *http.Request, c caller) (answer any, err error)

// route is one call of the API.
type route struct {
	method, path string // path after prefix
	status       int    // on success
	right        string // what only administrators may do; empty: everybody may call it
	do           call
}

// table returns the routes of the API, as openapi.yaml describes it.
func (s *Server) table() []route {
	get, post := http.MethodGet, http.MethodPost
	return []route{
		{get, "/server", http.StatusOK, "", s.getServer},
		{get, "/jobs", http.StatusOK, "", s.listJobs},
		{post, "/jobs", http.StatusCreated, "", s.postJob},
		{get, "/jobs/{id}", http.StatusOK, "", s.ofJob(s.getJob)},
		{get, "/jobs/{id}/counters", http.StatusOK, "", s.ofJob(getCounters)},
		{get, "/jobs/{id}/events", http.StatusOK, "", s.ofJob(s.jobEvents)},
		{post, "/jobs/{id}/kill", http.StatusOK, "", change(s, s.kill)},
		{post, "/jobs/{id}/priority", http.StatusOK, "", change(s, s.setPriority)},
		{post, "/jobs/{id}/pool", http.StatusOK, "", change(s, s.setPool)},
		{get, "/events", http.StatusOK, "", s.allEvents},
		{get, "/nodes", http.StatusOK, "", s.listNodes},
		{post, "/nodes/{name}/{action}", http.StatusOK, "{action} a node", s.postNode},
		{get, "/policy", http.StatusOK, "", s.getPolicy},
		{post, "/policy", http.StatusOK, "change the policy", s.postPolicy},
		{post, "/policy/reload", http.StatusOK, "reload the configuration", s.postReload},
		{get, "/files", http.StatusOK, "", s.listFiles},
		{get, "/files/{name...}", http.StatusOK, "", s.getFile},
		{http.MethodPut, "/files/{name...}", http.StatusCreated, "", s.putFile},
		{http.MethodDelete, "/files/{name...}", http.StatusNoContent, "remove files of the block store", s.removeFile},
	}
}

// routes returns the handler of all requests: API, pages and metrics.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for _, x := range s.table() {
		mux.Handle(x.method+" "+prefix+x.path, s.handle(&x))
	}
	mux.Handle("GET /scheduler", s.handle(&route{do: s.getScheduler}))
	mux.Handle("POST /scheduler/jobs/{id}", s.handle(&route{do: s.ofJob(s.schedulerChange)}))
	mux.Handle("GET /metrics", s.handle(&route{do: s.metrics.serve}))
	mux.Handle("GET /openapi.yaml", s.handle(&route{do: getOpenAPI}))
	mux.Handle("GET /{$}", http.RedirectHandler(watch, http.StatusSeeOther))
	mux.Handle("/", s.handle(&route{do: func(_ http.ResponseWriter, r *http.Request, _ caller) (any, error) {
		return nil, s.noRoute(mux, r)
	}}))
	// The page contains no data of the cluster; it asks for a token if one is needed.
	mux.Handle("GET "+watch+"{$}", s.open(s.watchPage))
	mux.Handle("GET "+watch+"{file}", s.open(s.watchFile))
	return s.guard(mux)
}

// noRoute returns the error for an unknown path or method.
func (s *Server) noRoute(mux *http.ServeMux, r *http.Request) error {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(other); pattern != "/" && pattern != "" {
			return refuse("bad-method", "want %s", method)
		}
	}
	return refuse("not-found", "there is nothing at %s", r.URL.Path)
}

// open returns a handler for callers who need not authenticate.
func (s *Server) open(do func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.recoverRequest(w, r)
		if err := do(w, r); err != nil {
			s.writeProblem(w, r, err)
		}
	})
}

// handle returns the handler of a route. It authenticates the caller first.
func (s *Server) handle(x *route) http.Handler {
	return s.open(func(w http.ResponseWriter, r *http.Request) error {
		who, err := s.cfg.Access.authenticate(r)
		if err != nil {
			s.cfg.Log.Warn("refused", "from", r.RemoteAddr, "why", err)
			return err
		}
		if x.right != "" {
			if err := s.mayManage(who, strings.Replace(x.right, "{action}", r.PathValue("action"), 1)); err != nil {
				return err
			}
		}
		answer, err := x.do(w, r, who)
		switch {
		case err != nil:
			return err
		case answer != nil:
			writeJSON(w, x.status, answer)
		case x.status == http.StatusNoContent:
			w.WriteHeader(x.status)
		}
		return nil
	})
}

func writeJSON(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // fails only if the client has disconnected
}

func getOpenAPI(w http.ResponseWriter, _ *http.Request, _ caller) (any, error) {
	w.Header().Set("Content-Type", "application/yaml")
	_, err := w.Write(openAPI)
	return nil, err
}

// readJSON decodes the whole body of a request. An empty body leaves the zero value.
func (s *Server) readJSON(r *http.Request, into any) error {
	if r.ContentLength == 0 {
		return nil
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return refuse("bad-media-type", "want Content-Type: application/json")
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
	return refuse("bad-request", "the body is not as it should be: %v", err)
}

// pageOf returns the page of a list that a request asks for. keep selects items (nil: all) and is
// called only for items on the page or between its items. key returns the item's key, with which a
// page ends. The list is sorted by less, so that the next page can start even if the key's item has
// been removed.
func pageOf[T any](
	r *http.Request, list []T, keep func(T) bool, key func(T) string, less func(key, other string) bool,
) (api.Page[T], error) {
	p := api.Page[T]{Items: []T{}}
	limit := 100
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1000 {
			return p, refuse("bad-request", "limit=%.20q: want 1 to 1000", text)
		}
		limit = n
	}
	after := r.URL.Query().Get("after")
	for _, x := range list {
		if after != "" && !less(after, key(x)) || keep != nil && !keep(x) {
			continue
		}
		if len(p.Items) == limit {
			p.Next = key(p.Items[limit-1])
			break
		}
		p.Items = append(p.Items, x)
	}
	return p, nil
}

// lessNumber reports whether a name that ends with a number, or a number, is before another one.
func lessNumber(a, b string) bool { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) < 0 }
