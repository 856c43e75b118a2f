package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
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

// boundedListener limits the number of open connections, in total and per address, and closes those
// beyond. Many clients can then exhaust neither memory nor descriptors, and one address cannot lock
// out the others.
type boundedListener struct {
	net.Listener
	most, perAddress int
	metrics          *metrics

	mu        sync.Mutex
	openConns map[string]int // connections by address, without zeros
}

func newBoundedListener(l net.Listener, bounds *limits, m *metrics) *boundedListener {
	return &boundedListener{
		Listener: l, most: bounds.connections, perAddress: bounds.perAddress, metrics: m, openConns: map[string]int{},
	}
}

// Accept implements net.Listener.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := addressOf(c.RemoteAddr())
		if l.enter(from) {
			return &boundedConn{Conn: c, leave: sync.OnceFunc(func() { l.leave(from) })}, nil
		}
		l.metrics.refused.Add(1)
		_ = c.Close()
	}
}

// enter counts a connection, or returns false if a limit is reached.
func (l *boundedListener) enter(from string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.metrics.connections.Load() >= int64(l.most) || l.openConns[from] >= l.perAddress {
		return false
	}
	l.metrics.connections.Add(1)
	l.openConns[from]++
	return true
}

// leave removes a connection from the counts.
func (l *boundedListener) leave(from string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.metrics.connections.Add(-1)
	if l.openConns[from]--; l.openConns[from] == 0 {
		delete(l.openConns, from)
	}
}

// addressOf returns the address by which connections are counted: the IPv4 address, or the 64-bit
// network of an IPv6 address, since one machine may own all its addresses.
func addressOf(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return a.String()
	}
	ip := at.Addr().Unmap()
	if ip.Is4() {
		return ip.String()
	}
	network, _ := ip.WithZone("").Prefix(64) // 64 is a valid length
	return network.String()
}

// boundedConn is a connection of a boundedListener.
type boundedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *boundedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
