package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"syscall"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

// refuse returns the error of a request that is rejected: a problem, whose status is that of its
// code.
func refuse(code, format string, args ...any) error {
	return &api.Problem{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// errInternal is the answer to a request that fails because of the server.
var errInternal = refuse("internal", "the server has failed; its log says why")

// statuses are the codes of problems by the answer's status; that of other codes is 422.
var statuses = map[int][]string{
	http.StatusBadRequest:            {"bad-request"},
	http.StatusUnauthorized:          {"unauthorized"},
	http.StatusForbidden:             {"denied", "cross-origin"},
	http.StatusNotFound:              {"not-found"},
	http.StatusMethodNotAllowed:      {"bad-method"},
	http.StatusConflict:              {"exists", "in-use", "is-directory", "job-ended", "key-used", "output-exists"},
	http.StatusRequestEntityTooLarge: {"too-large"},
	http.StatusUnsupportedMediaType:  {"bad-media-type"},
	http.StatusMisdirectedRequest:    {"bad-host"},
	http.StatusInternalServerError:   {"damaged", "internal"},
	http.StatusServiceUnavailable: {
		"closing", "no-state", "not-begun", "queue-full", "too-many-files", "too-many-jobs", "too-many-streams",
	},
	http.StatusInsufficientStorage: {"disk-full", "store-full"},
}

// statusOf returns the status of the answer with a code.
func statusOf(code string) int {
	for status, codes := range statuses {
		if slices.Contains(codes, code) {
			return status
		}
	}
	return http.StatusUnprocessableEntity
}

// codes are the codes of errors of other packages; the first match counts.
var codes = []struct {
	code string
	errs []error
}{
	{"disk-full", []error{syscall.ENOSPC, syscall.EDQUOT}},
	{"denied", []error{access.ErrDenied}},
	{"output-exists", []error{mapreduce.ErrOutputExists}},
	{"job-ended", []error{scheduling.ErrJobEnded}},
	{"unknown-pool", []error{scheduling.ErrUnknownPool}},
	{"unknown-queue", []error{scheduling.ErrUnknownQueue}},
	{"queue-full", []error{scheduling.ErrQueueFull}},
	{"bad-policy", []error{scheduling.ErrBadConfig, policyfile.ErrBad}},
	{"closing", []error{actors.ErrClosed}},
	{"damaged", []error{dfs.ErrCorrupt}},
	{"not-found", []error{scheduling.ErrUnknownJob, scheduling.ErrUnknownNode, fs.ErrNotExist}},
	{"exists", []error{fs.ErrExist}},
	{"bad-name", []error{fs.ErrInvalid, syscall.ENOTDIR, syscall.ENAMETOOLONG}},
}

// problemOf returns an error as a problem for the client, without status.
func problemOf(err error) (p *api.Problem) {
	if errors.As(err, &p) {
		return p
	}
	if large, is := errors.AsType[*http.MaxBytesError](err); is {
		return &api.Problem{Code: "too-large", Detail: fmt.Sprintf("the body has more than %d bytes", large.Limit)}
	}
	for _, k := range codes {
		switch {
		case !slices.ContainsFunc(k.errs, func(is error) bool { return errors.Is(err, is) }):
		case k.code == "disk-full":
			return &api.Problem{Code: k.code, Detail: "the server's disk is full: " + oneLine(err)}
		default:
			return &api.Problem{Code: k.code, Detail: oneLine(err)}
		}
	}
	return problemOf(errInternal)
}

// writeProblem answers a request that failed (RFC 9457).
func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	p := *problemOf(err)
	if p.Code == "damaged" || p.Code == "internal" && !errors.Is(err, errInternal) { // logged already
		s.cfg.Log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "err", err)
	}
	status := statusOf(p.Code)
	p.Type, p.Title, p.Status = "about:blank", http.StatusText(status), status
	switch status {
	case http.StatusUnauthorized:
		challenge := `Basic realm="tarry", charset="UTF-8"`
		if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" && mode != "navigate" {
			challenge = `Bearer realm="tarry"` // the page's script asks for the token itself
		}
		w.Header().Set("WWW-Authenticate", challenge)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(&p) // fails only if the client has disconnected
}
