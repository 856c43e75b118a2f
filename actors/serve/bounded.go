package serve

import (
	"net"
	"net/netip"
	"sync"
)

// boundedListener closes connections beyond a number at once, of all addresses and of each one, so
// that many clients take neither memory nor descriptors from those that are there, and one address
// does not lock out the others.
type boundedListener struct {
	net.Listener
	most, perAddress int
	metrics          *metrics

	mu   sync.Mutex
	open map[string]int // connections by address, none of them 0
}

func newBoundedListener(l net.Listener, bounds *limits, m *metrics) *boundedListener {
	return &boundedListener{
		Listener: l, most: bounds.connections, perAddress: bounds.perAddress, metrics: m, open: map[string]int{},
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

// enter counts a connection, and reports whether it is within the bounds.
func (l *boundedListener) enter(from string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.metrics.connections.Load() >= int64(l.most) || l.open[from] >= l.perAddress {
		return false
	}
	l.metrics.connections.Add(1)
	l.open[from]++
	return true
}

// leave counts a connection out.
func (l *boundedListener) leave(from string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.metrics.connections.Add(-1)
	if l.open[from]--; l.open[from] == 0 {
		delete(l.open, from)
	}
}

// addressOf returns what connections are counted by: the IP address without the port, and of IPv6
// its network of 64 bits, of which a machine may have all addresses.
func addressOf(a net.Addr) string {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return a.String()
	}
	ip := at.Addr().Unmap()
	if ip.Is4() {
		return ip.String()
	}
	network, _ := ip.WithZone("").Prefix(64) // the length is right
	return network.String()
}

// boundedConn is one of a counted number of connections.
type boundedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *boundedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
