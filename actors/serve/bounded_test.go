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
	require.Zero(t, b.s.connections.refused.Load())
}
