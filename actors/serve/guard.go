package serve

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// guard wraps every request. It rejects requests for unknown hosts, so that no other site can reach
// the server under its own name (DNS rebinding), and changes requested by pages of other origins.
// It sets headers that stop browsers from doing anything with an answer but show it, and closes the
// connections of callers who fail to authenticate.
func (s *Server) guard(next http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.writeProblem(w, r, &fault{"cross-origin", "a page of another origin asks for a change"})
	}))
	next = origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &countedWriter{ResponseWriter: w}
		defer s.recoverRequest(counted, r)
		defer func() { s.metrics.count(r, cmp.Or(counted.status, http.StatusOK)) }()
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'")
		if _, err := s.cfg.Access.authenticate(r); err != nil {
			h.Set("Connection", "close") // unauthenticated callers must not hold bounded connections
		}
		if !s.ours(r.Host) {
			s.writeProblem(counted, r, &fault{"bad-host", "this server is not " + r.Host[:min(len(r.Host), 100)] + " (--host adds a name)"})
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.cfg.limits.idle)) // test writers do not support it
		next.ServeHTTP(counted, r)
	})
}

// recoverRequest, deferred, logs a handler's panic and answers with status 500 if it still can.
func (s *Server) recoverRequest(w *countedWriter, r *http.Request) {
	bad := recover()
	if bad == nil {
		return
	}
	if err, is := bad.(error); is && errors.Is(err, http.ErrAbortHandler) {
		panic(bad) // net/http closes the connection
	}
	s.cfg.Log.Error("a request panicked", "path", r.URL.Path, "panic", bad, "stack", string(debug.Stack()))
	if w.status == 0 {
		s.writeProblem(w, r, errInternal)
	}
}

// ours reports whether a Host header names this server: a loopback name, the address it listens on,
// or one of Config.Hosts.
func (s *Server) ours(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if isLoopback(name) {
		return true
	}
	listen, _, _ := net.SplitHostPort(s.cfg.Listen)
	return slices.ContainsFunc(append([]string{listen}, s.cfg.Hosts...), func(known string) bool {
		return known != "" && (strings.EqualFold(known, host) || strings.EqualFold(known, name))
	})
}

// countedWriter passes an answer on and records its status.
type countedWriter struct {
	http.ResponseWriter
	status int // 0: the answer has not begun
}

// WriteHeader implements http.ResponseWriter.
func (w *countedWriter) WriteHeader(status int) {
	w.status = cmp.Or(w.status, status)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *countedWriter) Write(b []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController find the wrapped writer.
func (w *countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
