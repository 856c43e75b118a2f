package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"syscall"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/access"
	"github.com/tarry-mr/tarry/scheduling/policyfile"
)

// fault is the reason why a request is rejected.
type fault struct {
	status int
	code   string // for programs; see openapi.yaml
	text   string
}

func (f *fault) Error() string { return f.text }

// refuse returns the error of a request that cannot be fulfilled.
func refuse(code, format string, args ...any) error {
	return &fault{http.StatusUnprocessableEntity, code, fmt.Sprintf(format, args...)}
}

// deny returns the error of a request that the caller may not make.
func deny(format string, args ...any) error {
	return &fault{http.StatusForbidden, "denied", fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &fault{http.StatusNotFound, "not-found", fmt.Sprintf(format, args...)}
}

func conflict(code, format string, args ...any) error {
	return &fault{http.StatusConflict, code, fmt.Sprintf(format, args...)}
}

func badRequest(format string, args ...any) error {
	return &fault{http.StatusBadRequest, "bad-request", fmt.Sprintf(format, args...)}
}

func busy(code, format string, args ...any) error {
	return &fault{http.StatusServiceUnavailable, code, fmt.Sprintf(format, args...)}
}

// faultOf returns an error as a fault for the client; ok is false if it is an internal error.
func faultOf(err error) (f *fault, ok bool) {
	if errors.As(err, &f) {
		return f, true
	}
	if large, is := errors.AsType[*http.MaxBytesError](err); is {
		text := fmt.Sprintf("the body has more than %d bytes", large.Limit)
		return &fault{http.StatusRequestEntityTooLarge, "too-large", text}, true
	}
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if errors.Is(err, full) {
			return &fault{http.StatusInsufficientStorage, "disk-full", "the server's disk is full: " + oneLine(err)}, true
		}
	}
	for _, k := range []struct {
		is     error
		status int
		code   string
	}{
		{access.ErrDenied, http.StatusForbidden, "denied"},
		{mapreduce.ErrOutputExists, http.StatusConflict, "output-exists"},
		{scheduling.ErrUnknownJob, http.StatusNotFound, "not-found"},
		{scheduling.ErrJobEnded, http.StatusConflict, "job-ended"},
		{scheduling.ErrUnknownNode, http.StatusNotFound, "not-found"},
		{scheduling.ErrUnknownPool, http.StatusUnprocessableEntity, "unknown-pool"},
		{scheduling.ErrUnknownQueue, http.StatusUnprocessableEntity, "unknown-queue"},
		{scheduling.ErrQueueFull, http.StatusServiceUnavailable, "queue-full"},
		{scheduling.ErrBadConfig, http.StatusUnprocessableEntity, "bad-policy"},
		{policyfile.ErrBad, http.StatusUnprocessableEntity, "bad-policy"},
		{actors.ErrClosed, http.StatusServiceUnavailable, "closing"},
		{dfs.ErrCorrupt, http.StatusInternalServerError, "damaged"},
		{fs.ErrNotExist, http.StatusNotFound, "not-found"},
		{fs.ErrExist, http.StatusConflict, "exists"},
		{fs.ErrInvalid, http.StatusUnprocessableEntity, "bad-name"},
		{syscall.ENOTDIR, http.StatusUnprocessableEntity, "bad-name"},
		{syscall.ENAMETOOLONG, http.StatusUnprocessableEntity, "bad-name"},
	} {
		if errors.Is(err, k.is) {
			return &fault{k.status, k.code, err.Error()}, true
		}
	}
	return &fault{http.StatusInternalServerError, "internal", "the server has failed; its log says why"}, false
}

// writeProblem answers a request that failed (RFC 9457).
func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	f, known := faultOf(err)
	if !known || f.code == "damaged" {
		s.cfg.Log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "err", err)
	}
	switch f.status {
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
	w.WriteHeader(f.status)
	_ = json.NewEncoder(w).Encode(&api.Problem{ // fails only if the client has disconnected
		Type: "about:blank", Title: http.StatusText(f.status), Status: f.status, Detail: f.text, Code: f.code,
	})
}
