package serve

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/scheduling/access"
)

// problemOf sends a request that must fail, and returns the problem of the answer.
func (b *bench) problemOf(method, path, body string, header http.Header) (int, string) {
	b.t.Helper()
	res, text := b.do(method, path, body, header)
	require.Equal(b.t, "application/problem+json", res.Header.Get("Content-Type"), text)
	require.Equal(b.t, "nosniff", res.Header.Get("X-Content-Type-Options"))
	return res.StatusCode, text
}

func TestMalformedBodies(t *testing.T) {
	b := start(t, nil)
	for body, status := range map[string]int{
		`{`:                          400,
		`[]`:                         400,
		`null x`:                     400,
		`{"job":"count"} {}`:         400,
		`{"jib":"count"}`:            400,
		`{"job":7}`:                  400,
		`{"job":"count","args":"x"}`: 400,
		strings.Repeat("[", 20_000):  400,
		"\x00\xff":                   400,
		`{"job":"` + strings.Repeat("x", 2<<20) + `"}`: 413,
	} {
		got, text := b.problemOf(http.MethodPost, "/api/v1/jobs", body, nil)
		require.Equal(t, status, got, "%.40s: %s", body, text)
		require.Less(t, len(text), 1000)
	}
	got, _ := b.problemOf(http.MethodPost, "/api/v1/jobs", `{"job":"count"}`, http.Header{"Content-Type": {"text/plain"}})
	require.Equal(t, http.StatusUnsupportedMediaType, got, "what a form of another site may send")
	for _, path := range []string{"/api/v1/jobs/x", "/api/v1/jobs/-1", "/api/v1/jobs/99999999999999999999", "/api/v1/none", "/x"} {
		got, _ := b.problemOf(http.MethodGet, path, "", nil)
		require.Equal(t, http.StatusNotFound, got, path)
	}
	got, _ = b.problemOf(http.MethodPut, "/api/v1/jobs", "{}", nil)
	require.Equal(t, http.StatusMethodNotAllowed, got)
}

func TestGiantFile(t *testing.T) {
	for _, state := range []string{"", t.TempDir()} {
		b := start(t, func(cfg *Config) { cfg.limits.upload, cfg.State = 1000, state })
		err := b.Put(t.Context(), "big", strings.NewReader(strings.Repeat("x", 1001)))
		refused(t, err, "too-large")
		_, err = b.Get(t.Context(), "big")
		refused(t, err, "not-found")
		require.NoError(t, b.Put(t.Context(), "big", strings.NewReader(strings.Repeat("x", 1000))))
	}
}

// Jobs cannot read or write outside the roots, neither through .. in names nor through symbolic
// links.
func TestNamesStayWithinTheRoots(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("s\n"), 0o600))
	b := start(t, nil)
	b.write("in.txt", "a\n")
	require.NoError(t, os.Symlink(outside, filepath.Join(b.dir, "link")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(b.dir, "file")))
	rel, err := filepath.Rel(b.dir, outside)
	require.NoError(t, err)
	for _, in := range []string{
		"../secret", rel + "/secret", outside + "/secret", "link/secret", "file", "link", "link/*", "{link,..}/secret",
		"/etc/passwd", "in.txt/../../etc/passwd", "in\x00.txt", "dfs:../in", "dfs:/etc/passwd", "dfs:_jobs/1",
	} {
		_, err := b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{in, "-o", "out"}}, "")
		require.Error(t, err, in)
		var p *api.Problem
		require.ErrorAs(t, err, &p)
		require.Equal(t, http.StatusUnprocessableEntity, p.Status, "%s: %s", in, p.Detail)
	}
	for _, out := range []string{
		"../out", outside + "/out", "link/out", "link", "/out", "in.txt/out", "dfs:../out", "dfs:a/_temporary", "dfs:", ".",
	} {
		_, err := b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{"in.txt", "-o", out}}, "")
		require.Error(t, err, out)
	}
	_, err = b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{"in.txt", "-o", "out"}, Directory: outside}, "")
	refused(t, err, "outside-roots")
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	for _, name := range []string{"../x", "a/../../x"} { // cleaned before they are looked at
		require.Error(t, b.Put(t.Context(), name, strings.NewReader("x")))
	}
	for _, name := range []string{"_jobs/1/0", "a\\b", "a\nb", strings.Repeat("x", 201)} {
		refused(t, b.Put(t.Context(), name, strings.NewReader("x")), "bad-name")
	}
	for _, path := range []string{"/api/v1/files/..%2f..%2fetc%2fpasswd", "/api/v1/files/%2e%2e/x", "/api/v1/files/_jobs"} {
		res, text := b.do(http.MethodGet, path, "", nil)
		require.GreaterOrEqual(t, res.StatusCode, 400, text)
	}
}

// Pages escape HTML in texts that clients send.
func TestScriptInNames(t *testing.T) {
	b := start(t, nil)
	evil := `<script>alert(1)</script>"'&`
	b.write("in.txt", "a\n")
	_, err := b.Submit(t.Context(), api.Submission{
		Job: "held", Args: []string{"in.txt", "-o", evil}, User: evil, Pool: evil,
	}, "")
	require.NoError(t, err)
	res, text := b.do(http.MethodGet, "/scheduler", "", nil)
	require.Contains(t, text, "&lt;script&gt;")
	require.NotContains(t, text, "<script>")
	require.Contains(t, res.Header.Get("Content-Security-Policy"), "default-src 'none'")
	res, text = b.do(http.MethodGet, "/api/v1/jobs", "", nil)
	require.Equal(t, "application/json", res.Header.Get("Content-Type"))
	require.NotContains(t, text, "<script>")
	got, text := b.problemOf(http.MethodPost, "/api/v1/jobs", `{"job":"<script>"}`, nil)
	require.Equal(t, 422, got)
	require.NotContains(t, text, "<script>")
	b.text(http.MethodGet, "/metrics", "", nil)
}

// The server rejects requests from pages of other sites and for host names other than its own.
func TestForgedOriginsAndHosts(t *testing.T) {
	b := start(t, func(cfg *Config) { cfg.Hosts = []string{"tarry.example"} })
	for _, h := range []http.Header{
		{"Origin": {"http://evil.example"}},
		{"Origin": {"null"}},
		{"Sec-Fetch-Site": {"cross-site"}},
		{"Sec-Fetch-Site": {"same-site"}},
	} {
		for _, path := range []string{
			"/api/v1/jobs", "/api/v1/jobs/1/kill", "/api/v1/nodes/node-00/kill", "/api/v1/policy", "/api/v1/policy/reload", "/scheduler/jobs/1", "/watch/",
		} {
			got, text := b.problemOf(http.MethodPost, path, "{}", h)
			require.Equal(t, http.StatusForbidden, got, "%v %s", h, path)
			require.Contains(t, text, "cross-origin")
		}
		got, _ := b.problemOf(http.MethodDelete, "/api/v1/files/x", "", h)
		require.Equal(t, http.StatusForbidden, got)
	}
	for _, host := range []string{"evil.example", "evil.example:8088", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "."} {
		for _, path := range []string{"/api/v1/jobs", "/api/v1/events", "/watch/", "/watch/main.mjs"} {
			got, text := b.problemOf(http.MethodGet, path, "", http.Header{"Host": {host}})
			require.Equal(t, http.StatusMisdirectedRequest, got, host)
			require.Contains(t, text, "bad-host")
		}
	}
	for _, host := range []string{"localhost:8088", "127.0.0.1", "[::1]:8088", "tarry.example", "TARRY.example:80"} {
		b.text(http.MethodGet, "/api/v1/jobs", "", http.Header{"Host": {host}})
	}
	b.text(http.MethodGet, "/api/v1/nodes", "", http.Header{"Origin": {"http://evil.example"}})
}

const tokenFile = `
# who may call
annsecretannsecret ann research
bobsecretbobsecret bob
rootsecretrootsecret root operators
`

// withTokens starts a server that authenticates callers by tokens; root is an administrator.
func withTokens(t *testing.T, change func(cfg *Config)) *bench {
	t.Helper()
	tokens, err := ParseTokens("tokens", strings.NewReader(tokenFile))
	require.NoError(t, err)
	b := start(t, func(cfg *Config) {
		cfg.Access.Tokens = tokens
		cfg.Access.Admins, err = access.ParseList(" operators")
		require.NoError(t, err)
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

func TestWrongTokens(t *testing.T) {
	b := withTokens(t, func(cfg *Config) { cfg.Profiling = true })
	for _, path := range []string{"/api/v1/jobs", "/metrics", "/scheduler", "/debug/pprof/", "/api/v1/events", "/x"} {
		for _, auth := range []string{"", "Bearer", "Bearer ", "Bearer annsecretannsecre", "Bearer ann", "Basic YW5uOnh4", "annsecretannsecret"} {
			header := http.Header{}
			if auth != "" {
				header.Set("Authorization", auth)
			}
			res, text := b.do(http.MethodGet, path, "", header)
			require.Equal(t, http.StatusUnauthorized, res.StatusCode, "%s %s: %s", path, auth, text)
			require.Contains(t, res.Header.Get("WWW-Authenticate"), "Basic")
			require.NotContains(t, text, "secret")
		}
	}
	req := http.Header{"Authorization": {"Basic YW5uOmFubnNlY3JldGFubnNlY3JldA=="}} // a browser: the token is the password
	b.text(http.MethodGet, "/scheduler", "", req)
	res, _ := b.do(http.MethodGet, "/debug/pprof/", "", req)
	require.Equal(t, http.StatusForbidden, res.StatusCode, "profiles are for administrators")
}

// Tokens identify users. Only administrators may change jobs of others, nodes and the policy.
func TestWhoMayDoWhat(t *testing.T) {
	b := withTokens(t, nil)
	ctx := t.Context()
	ask := api.Submission{Job: "held", Args: []string{"in.txt", "-o", "out"}}
	j, err := b.as("ann").Submit(ctx, ask, "")
	require.NoError(t, err)
	require.Equal(t, "ann", j.User)
	ask.User, ask.Args = "ann", []string{"in.txt", "-o", "out2"}
	_, err = b.as("bob").Submit(ctx, ask, "")
	refused(t, err, "denied")
	k, err := b.as("root").Submit(ctx, ask, "")
	require.NoError(t, err)
	require.Equal(t, "ann", k.User, "administrators may submit for others")
	_, err = b.as("bob").Kill(ctx, j.ID, "")
	refused(t, err, "denied")
	_, err = b.as("bob").SetPriority(ctx, j.ID, "low")
	refused(t, err, "denied")
	_, err = b.as("bob").SetPool(ctx, j.ID, "bob")
	refused(t, err, "denied")
	_, err = b.as("ann").SetPriority(ctx, j.ID, "low")
	require.NoError(t, err)
	_, err = b.as("bob").Node(ctx, "node-00", "kill")
	refused(t, err, "denied")
	_, err = b.as("bob").Reconfigure(ctx, api.PolicyChange{Set: map[string]string{"theta": "0.2"}})
	refused(t, err, "denied")
	_, err = b.as("bob").Reload(ctx)
	refused(t, err, "denied")
	require.NoError(t, b.as("ann").Put(ctx, "x", strings.NewReader("x")))
	refused(t, b.as("bob").Remove(ctx, "x"), "denied")
	require.NoError(t, b.as("root").Remove(ctx, "x"))
	_, err = b.as("root").Node(ctx, "node-00", "cordon")
	require.NoError(t, err)
	_, err = b.as("root").Kill(ctx, k.ID, "")
	require.NoError(t, err)
	_, err = b.as("ann").Kill(ctx, j.ID, "")
	require.NoError(t, err)
}

// The server applies the access lists of pools to submissions, changes and moves of jobs.
func TestAccessListsOfPools(t *testing.T) {
	list := func(text string) access.List {
		l, err := access.ParseList(text)
		require.NoError(t, err)
		return l
	}
	b := withTokens(t, func(cfg *Config) {
		cfg.Cluster.Rules = &access.Rules{Access: access.Control{Enabled: true, Admins: list("root"), Queues: []access.Queue{
			{Name: "lab", Submit: list(" research"), Administer: list("bob")},
			{Name: "shop", Submit: list("bob"), Administer: list(" ")},
		}}}
	})
	ctx := t.Context()
	ask := api.Submission{Job: "held", Args: []string{"in.txt", "-o", "out"}, Pool: "lab"}
	_, err := b.as("bob").Submit(ctx, ask, "")
	refused(t, err, "denied")
	j, err := b.as("ann").Submit(ctx, ask, "")
	require.NoError(t, err)
	_, err = b.as("bob").SetPriority(ctx, j.ID, "low")
	require.NoError(t, err, "bob administers lab")
	_, err = b.as("ann").SetPool(ctx, j.ID, "shop")
	refused(t, err, "denied")
	v, err := b.as("bob").SetPool(ctx, j.ID, "shop")
	require.NoError(t, err, "bob administers lab and may submit to shop")
	require.Equal(t, "shop", v.Pool)
	_, err = b.as("bob").Kill(ctx, j.ID, "")
	refused(t, err, "denied")
	_, err = b.as("ann").Kill(ctx, j.ID, "")
	require.NoError(t, err, "it is still ann's job")
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

// If thousands of clients connect, the server keeps the maximum number of connections, which it
// still serves, and closes the others at once.
func TestThousandsOfConnections(t *testing.T) {
	b, addr := served(t, func(cfg *Config) { cfg.limits.connections = 50 })
	client := &api.Client{Base: "http://" + addr, HTTP: &http.Client{Transport: &http.Transport{}}}
	defer client.HTTP.CloseIdleConnections()
	_, err := client.Jobs(t.Context(), "", "")
	require.NoError(t, err)
	var open []net.Conn
	for range 2000 {
		c, err := net.Dial("tcp", addr)
		require.NoError(t, err)
		open = append(open, c)
		if len(open) > 200 {
			require.NoError(t, open[0].Close())
			open = open[1:]
		}
	}
	kept, _ := b.s.connections.figures()
	require.LessOrEqual(t, kept, 50)
	_, err = client.Jobs(t.Context(), "", "")
	require.NoError(t, err, "the connection that was there is served")
	for _, c := range open {
		require.NoError(t, c.Close())
	}
	_, refused := b.s.connections.figures()
	require.Greater(t, refused, int64(1000))
	require.Eventually(t, func() bool { kept, _ := b.s.connections.figures(); return kept <= 2 }, 10*time.Second, 10*time.Millisecond)
}

// The server listens on addresses that other machines reach only if it authenticates callers.
func TestOtherMachinesNeedToBeKnown(t *testing.T) {
	tokens, err := ParseTokens("tokens", strings.NewReader(tokenFile))
	require.NoError(t, err)
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
		_, err := ParseTokens("tokens", strings.NewReader(text))
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "secret")
	}
}

// Replaced tokens apply at once: the server rejects a removed token and ends its streams.
func TestTokensAreReplaced(t *testing.T) {
	b := withTokens(t, nil)
	_, err := b.as("bob").Jobs(t.Context(), "", "")
	require.NoError(t, err)
	other, err := ParseTokens("tokens", strings.NewReader("annsecretannsecret ann\nevesecretevesecret eve\n"))
	require.NoError(t, err)
	b.s.cfg.Access.Tokens.Replace(other)
	_, err = b.as("bob").Jobs(t.Context(), "", "")
	refused(t, err, "unauthorized")
	for _, user := range []string{"ann", "eve"} {
		_, err = b.as(user).Jobs(t.Context(), "", "")
		require.NoError(t, err)
	}
}

// The server rejects zip archives as inputs, from the machine and from the block store.
func TestServerReadsNoArchives(t *testing.T) {
	b := start(t, nil)
	b.write("in.ZIP", "PK")
	require.NoError(t, b.Put(t.Context(), "in.zip", strings.NewReader("PK")))
	for _, in := range []string{"in.ZIP", "*.ZIP", "dfs:in.zip"} {
		_, err := b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{in, "-o", "out"}}, "")
		refused(t, err, "bad-input")
		require.ErrorContains(t, err, "reads no zip archives")
	}
}
