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

// connections limits the number of open connections, in total and per address, and closes those
// beyond. Many clients can then exhaust neither memory nor descriptors, and one address cannot lock
// out the others.
type connections struct {
	limits limits

	mu      sync.Mutex
	open    map[net.Conn]string // addresses of the open connections
	refused int64               // connections over the limit
}

// changed is http.Server.ConnState: it counts new and closed connections, and closes a new one if a
// limit is reached.
func (l *connections) changed(c net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateClosed:
		delete(l.open, c)
	case http.StateNew:
		from, same := addressOf(c.RemoteAddr()), 0
		for _, other := range l.open {
			if other == from {
				same++
			}
		}
		if len(l.open) >= l.limits.connections || same >= l.limits.perAddress {
			l.refused++
			_ = c.Close()
			return
		}
		l.open[c] = from
	default: // it was counted
	}
}

// figures returns how many connections are open, and how many were over the limit.
func (l *connections) figures() (open int, refused int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open), l.refused
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
