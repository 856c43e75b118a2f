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

// Run starts a server and serves until ctx ends; then it ends all jobs and the cluster. It calls
// ready, if not nil, with the server's URL once requests are answered.
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

// URL returns the server's address on a listener, for display.
func (s *Server) URL(l net.Listener) string {
	scheme := "http"
	if s.cfg.Access.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + l.Addr().String()
}

// Serve serves a listener until ctx ends, and then closes the listener and the server.
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
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelDebug), // disconnects and failed handshakes
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.closing.Store(true)
	s.end() // end streams
	grace, cancel := context.WithTimeout(context.Background(), s.cfg.limits.grace)
	defer cancel()
	_ = web.Shutdown(grace) // Close ends the rest
	_ = web.Close()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, s.Close())
}
