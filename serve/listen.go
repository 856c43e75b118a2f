package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
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
	l = &boundedListener{Listener: l, most: s.cfg.limits.connections, metrics: s.metrics}
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

// boundedListener closes connections beyond a number at once, so that many clients take neither
// memory nor descriptors from those who are there.
type boundedListener struct {
	net.Listener
	most    int
	metrics *metrics
}

// Accept implements net.Listener.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.metrics.connections.Add(1) <= int64(l.most) {
			return &boundedConn{Conn: c, left: sync.OnceFunc(func() { l.metrics.connections.Add(-1) })}, nil
		}
		l.metrics.connections.Add(-1)
		l.metrics.refused.Add(1)
		_ = c.Close()
	}
}

// boundedConn is one of a counted number of connections.
type boundedConn struct {
	net.Conn
	left func()
}

// Close implements net.Conn.
func (c *boundedConn) Close() error {
	c.left()
	return c.Conn.Close()
}
