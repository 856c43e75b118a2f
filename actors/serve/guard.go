package serve

import (
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
		s.writeProblem(w, r, refuse("cross-origin", "a page of another origin asks for a change"))
	}))
	next = origins.Handler(next)
	return s.metrics.counted(func(w http.ResponseWriter, r *http.Request) {
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
			s.writeProblem(w, r, refuse("bad-host", "this server is not %.100s (--host adds a name)", r.Host))
			return
		}
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.cfg.limits.idle)) // test writers do not support it
		next.ServeHTTP(w, r)
	})
}

// recoverRequest, deferred, logs a handler's panic and answers with status 500, unless the answer
// has begun and so has a type.
func (s *Server) recoverRequest(w http.ResponseWriter, r *http.Request) {
	bad := recover()
	if bad == nil {
		return
	}
	s.cfg.Log.Error("a request panicked", "path", r.URL.Path, "panic", bad, "stack", string(debug.Stack()))
	if w.Header().Get("Content-Type") == "" {
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
