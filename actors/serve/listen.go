package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
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
		scheme := map[bool]string{false: "http", true: "https"}[cfg.Access.TLS != nil]
		ready(s, scheme+"://"+l.Addr().String())
	}
	return s.Serve(ctx, l)
}

// Serve serves a listener until ctx ends, and then closes the listener and the server.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if s.cfg.Access.TLS != nil {
		l = tls.NewListener(l, s.cfg.Access.TLS)
	}
	web := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: s.cfg.limits.header,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ConnState:         s.connections.changed,
		ErrorLog:          slog.NewLogLogger(s.cfg.Log.Handler(), slog.LevelDebug), // disconnects and failed handshakes
	}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
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

// connections limits the number of open connections and closes those beyond, so that many clients
// exhaust neither memory nor descriptors.
type connections struct {
	most          int64
	open, refused atomic.Int64
}

// changed is http.Server.ConnState: it counts new and closed connections, and closes a new one if
// the limit is reached.
func (l *connections) changed(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if l.open.Add(1) > l.most {
			l.refused.Add(1)
			_ = c.Close() // StateClosed follows
		}
	case http.StateClosed:
		l.open.Add(-1)
	default: // it was counted
	}
}
