package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// The server closes an unauthenticated connection after any answer, so that clients without a token
// cannot occupy all connections.
func TestUnknownCallersKeepNoConnection(t *testing.T) {
	const most = 50
	var tokens *Tokens
	withTokens(t, func(cfg *Config) { tokens = cfg.Access.Tokens })
	b, addr := served(t, func(cfg *Config) { cfg.limits.connections, cfg.Access.Tokens = most, tokens })
	ask := func(path, token string) (net.Conn, *http.Response) {
		c, err := net.Dial("tcp", addr)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Close() })
		_, err = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", path, token)
		require.NoError(t, err)
		require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
		in := bufio.NewReader(c)
		res, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		return c, res
	}
	for i := range 2 * most {
		path := []string{"/api/v1/jobs", "/watch/", "/", "/none"}[i%4]
		c, res := ask(path, "wrong")
		require.True(t, res.Close, path)
		_, err := c.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF, "the server closes it, the client does not")
	}
	_, res := ask("/api/v1/jobs", "annsecretannsecret")
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.False(t, res.Close, "known callers keep theirs")
	client := &api.Client{Base: "http://" + addr, HTTP: &http.Client{Transport: &http.Transport{}}, Token: "annsecretannsecret"}
	defer client.HTTP.CloseIdleConnections()
	_, err := client.Jobs(t.Context(), "", "")
	require.NoError(t, err)
	require.Zero(t, b.s.metrics.refused.Load())
}

// comingFrom is a listener that accepts one connection from each address of its list.
type comingFrom struct {
	net.Listener
	addresses []string
}

type connFrom struct {
	net.Conn
	from net.Addr
}

func (c connFrom) RemoteAddr() net.Addr { return c.from }

// Accept implements net.Listener.
func (l *comingFrom) Accept() (net.Conn, error) {
	if len(l.addresses) == 0 {
		return nil, io.EOF
	}
	from, err := net.ResolveTCPAddr("tcp", l.addresses[0])
	if err != nil {
		return nil, err
	}
	l.addresses = l.addresses[1:]
	c, other := net.Pipe()
	_ = other.Close()
	return connFrom{c, from}, nil
}

// The number of connections per IPv4 address, and per /64 network of IPv6, is limited.
func TestConnectionsOfAnAddress(t *testing.T) {
	in := &comingFrom{addresses: []string{
		"192.0.2.1:1", "192.0.2.1:2", "192.0.2.1:3", "192.0.2.2:1", "[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8::3]:1",
		"[2001:db8:0:1::1]:1", "[::ffff:192.0.2.2]:2", "192.0.2.2:3", "192.0.2.1:4",
	}}
	m := new(metrics)
	l := newBoundedListener(in, &limits{connections: 8, perAddress: 2}, m)
	next := func() net.Conn {
		c, err := l.Accept()
		require.NoError(t, err)
		return c
	}
	first := next()
	for _, want := range []string{
		"192.0.2.1:2", "192.0.2.2:1", "[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8:0:1::1]:1", "192.0.2.2:2",
	} {
		require.Equal(t, want, next().RemoteAddr().String())
	}
	require.EqualValues(t, 2, m.refused.Load())
	require.NoError(t, first.Close())
	_ = first.Close() // a second Close must not count
	require.Equal(t, "192.0.2.1:4", next().RemoteAddr().String())
	require.EqualValues(t, 3, m.refused.Load())
	require.EqualValues(t, 7, m.connections.Load())
	_, err := l.Accept()
	require.ErrorIs(t, err, io.EOF)
}
