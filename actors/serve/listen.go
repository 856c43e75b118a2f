package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Run starts a server and serves until ctx ends; then it ends all jobs and the cluster. ready, if
// not nil, is called with the address once requests are answered.
func Run(ctx context.Context, cfg Config, ready func(s *Server, url string)) error {
	l, err := net.Listen("tcp", cfg.withDefaults().Listen)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	s, err := Start(cfg)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if ready != nil {
		ready(s, s.URL(l))
	}
	return s.Serve(ctx, l)
}

// URL is the address of the server on a listener, for people.
func (s *Server) URL(l net.Listener) string {
	scheme := "http"
	if s.cfg.Access.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + l.Addr().String()
}

// Serve serves a listener until ctx ends, and closes it and the server.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	l = newBoundedListener(l, &s.cfg.limits, s.metrics)
	if s.cfg.Access.TLS != nil {
		l = tls.NewListener(l, s.cfg.Access.TLS)
	}
	web := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: s.cfg.limits.header,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelDebug), // of clients that go, and handshakes
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.closing.Store(true)
	s.end() // streams
	grace, cancel := context.WithTimeout(context.Background(), s.cfg.limits.grace)
	defer cancel()
	_ = web.Shutdown(grace) // Close ends who does not go
	_ = web.Close()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, s.Close())
}
