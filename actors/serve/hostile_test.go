package serve

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// The server rejects bodies that are large, deep or not text with a short answer.
func TestMalformedBodies(t *testing.T) {
	b := start(t, nil)
	for body, status := range map[string]int{
		strings.Repeat("[", 20_000): 400,
		"\x00\xff":                  400,
		`{"job":"` + strings.Repeat("x", 2<<20) + `"}`: 413,
	} {
		res, text := b.do(http.MethodPost, "/api/v1/jobs", body, nil)
		require.Equal(t, status, res.StatusCode, text)
		require.Less(t, len(text), 1000)
	}
}

const tokenFile = `
# who may call
annsecretannsecret ann research
bobsecretbobsecret bob
rootsecretrootsecret root operators
`

// tokenAccess authenticates callers by the tokens of tokenFile; root is an administrator.
func tokenAccess(t testing.TB) Access {
	t.Helper()
	tokens := new(Tokens)
	require.NoError(t, tokens.parse("tokens", tokenFile))
	return Access{Tokens: tokens, Admins: list(t, " operators")}
}

func list(t testing.TB, text string) access.List {
	t.Helper()
	l, err := access.ParseList(text)
	require.NoError(t, err)
	return l
}

// withTokens starts a server with tokenAccess.
func withTokens(t *testing.T, change func(cfg *Config)) *bench {
	t.Helper()
	b := start(t, func(cfg *Config) {
		cfg.Access = tokenAccess(t)
		if change != nil {
			change(cfg)
		}
	})
	b.write("in.txt", "a\n")
	return b
}

// as returns a client with the token of a user.
func (b *bench) as(user string) *api.Client {
	return &api.Client{Base: b.url, HTTP: b.HTTP, Token: user + "secret" + user + "secret"}
}

// served serves a server on a TCP listener and returns its address.
func served(t *testing.T, change func(cfg *Config)) (b *bench, addr string) {
	t.Helper()
	b = start(t, change)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	return b, l.Addr().String()
}

func TestSlowHeadersAndBodies(t *testing.T) {
	_, addr := served(t, func(cfg *Config) { cfg.limits.header, cfg.limits.idle = 50*time.Millisecond, 50*time.Millisecond })
	for _, head := range []string{
		"GET / HTTP/1.1\r\nHost: localhost\r\n",
		"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"PUT /api/v1/files/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
	} {
		c, err := net.Dial("tcp", addr)
		require.NoError(t, err)
		_, err = io.WriteString(c, head)
		require.NoError(t, err)
		require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Second)))
		_, err = io.Copy(io.Discard, c)
		require.NoError(t, err, "the server ends the connection: %s", head)
		require.NoError(t, c.Close())
	}
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer c.Close()
	_, _ = fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n", strings.Repeat("x", 64<<10)) // it is cut off
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err == nil {
		require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, res.StatusCode)
	}
}

// The server keeps the maximum number of connections, which it still serves, and closes the others
// at once.
func TestManyConnections(t *testing.T) {
	b, addr := served(t, func(cfg *Config) { cfg.limits.connections = 5 })
	client := &api.Client{Base: "http://" + addr, HTTP: &http.Client{Transport: &http.Transport{}}}
	defer client.HTTP.CloseIdleConnections()
	_, err := client.Jobs(t.Context(), "", "")
	require.NoError(t, err)
	for range 20 {
		c, err := net.Dial("tcp", addr)
		require.NoError(t, err)
		defer c.Close()
	}
	require.Eventually(t, func() bool {
		return b.s.connections.open.Load() == 5 && b.s.connections.refused.Load() == 16
	}, 10*time.Second, time.Millisecond)
	_, err = client.Jobs(t.Context(), "", "")
	require.NoError(t, err, "the connection that was there is served")
}

// The server listens on addresses that other machines reach only if it authenticates callers.
func TestOtherMachinesNeedToBeKnown(t *testing.T) {
	tokens := tokenAccess(t).Tokens
	for _, c := range []struct {
		listen string
		access Access
		fine   bool
	}{
		{"", Access{}, true},
		{"localhost:0", Access{}, true},
		{"[::1]:80", Access{}, true},
		{":8088", Access{}, false},
		{"0.0.0.0:8088", Access{}, false},
		{"192.0.2.1:8088", Access{}, false},
		{"tarry.example:8088", Access{}, false},
		{"0.0.0.0:8088", Access{TLS: &tls.Config{}}, false},
		{"0.0.0.0:8088", Access{TLS: &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert}}, true},
		{"0.0.0.0:8088", Access{Tokens: tokens}, true},
		{"nonsense", Access{Tokens: tokens}, false},
	} {
		err := Config{Listen: c.listen, Access: c.access}.Validate()
		require.Equal(t, c.fine, err == nil, "%s: %v", c.listen, err)
	}
}

func TestTokenFiles(t *testing.T) {
	for text, says := range map[string]string{
		"":                           "no token in it",
		"short ann":                  "tokens:1: a token of 5 characters",
		"\nannsecretannsecret":       "tokens:2: want TOKEN USER",
		"annsecretannsecret ann a b": "want TOKEN USER",
		"annsecretannsecret ann\nannsecretannsecret bob": "tokens:2: the token is there already",
	} {
		err := new(Tokens).parse("tokens", text)
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "secret")
	}
}

// Replaced tokens apply at once: the server rejects a removed token and ends its streams.
func TestTokensAreReplaced(t *testing.T) {
	b := withTokens(t, nil)
	_, err := b.as("bob").Jobs(t.Context(), "", "")
	require.NoError(t, err)
	require.NoError(t, b.s.cfg.Access.Tokens.parse("tokens", "annsecretannsecret ann\nevesecretevesecret eve\n"))
	_, err = b.as("bob").Jobs(t.Context(), "", "")
	refused(t, err, "unauthorized")
	for _, user := range []string{"ann", "eve"} {
		_, err = b.as(user).Jobs(t.Context(), "", "")
		require.NoError(t, err)
	}
}
