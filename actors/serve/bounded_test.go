package serve

import (
	"bufio"
	"errors"
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
	b, addr := served(t, func(cfg *Config) { cfg.limits.connections, cfg.Access = most, tokenAccess(t) })
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
	_, over := b.s.connections.figures()
	require.Zero(t, over)
}

// connFrom is a connection from an address.
type connFrom struct {
	net.Conn
	from net.Addr
}

func (c connFrom) RemoteAddr() net.Addr { return c.from }

// The number of connections per IPv4 address, and per /64 network of IPv6, is limited.
func TestConnectionsOfAnAddress(t *testing.T) {
	l := &connections{limits: limits{connections: 8, perAddress: 2}, open: map[net.Conn]string{}}
	// comes opens a connection from an address and reports whether it is kept.
	comes := func(address string) (c net.Conn, kept bool) {
		from, err := net.ResolveTCPAddr("tcp", address)
		require.NoError(t, err)
		ours, theirs := net.Pipe()
		c = connFrom{ours, from}
		require.NoError(t, theirs.SetReadDeadline(time.Now()))
		l.changed(c, http.StateNew)
		_, err = theirs.Read(make([]byte, 1))
		return c, !errors.Is(err, io.EOF)
	}
	first, kept := comes("192.0.2.1:1")
	require.True(t, kept)
	for _, x := range []struct {
		address string
		kept    bool
	}{
		{"192.0.2.1:2", true},
		{"192.0.2.1:3", false},
		{"192.0.2.2:1", true},
		{"[2001:db8::1]:1", true},
		{"[2001:db8::2]:1", true},
		{"[2001:db8::3]:1", false},
		{"[2001:db8:0:1::1]:1", true},
		{"[::ffff:192.0.2.2]:2", true},
	} {
		_, kept := comes(x.address)
		require.Equal(t, x.kept, kept, x.address)
	}
	over, _ := comes("192.0.2.2:3")
	l.changed(over, http.StateClosed) // it was not counted
	l.changed(first, http.StateActive)
	l.changed(first, http.StateClosed)
	l.changed(first, http.StateClosed) // a second end must not count
	_, kept = comes("192.0.2.1:4")
	require.True(t, kept)
	open, refused := l.figures()
	require.Equal(t, 7, open)
	require.EqualValues(t, 3, refused)
	_, kept = comes("192.0.2.3:1")
	require.True(t, kept)
	_, kept = comes("192.0.2.4:1")
	require.False(t, kept, "the ninth of all")
}
