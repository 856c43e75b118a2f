package serve

import (
	"io/fs"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/page"
)

// The server serves the page with all its modules, under a policy that permits no other server, and
// with the address of its events. Other names get 404.
func TestWatchPage(t *testing.T) {
	b := start(t, nil)
	res, text := b.do(http.MethodGet, "/watch/", "", nil)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Contains(t, text, `data-api="/api/v1/"`)
	require.Equal(t, page.ContentSecurityPolicy, res.Header.Get("Content-Security-Policy"))
	names, err := fs.Glob(page.Files(), "*.mjs")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		res, text := b.do(http.MethodGet, "/watch/"+name, "", nil)
		require.Equal(t, http.StatusOK, res.StatusCode, name)
		require.Equal(t, "text/javascript; charset=utf-8", res.Header.Get("Content-Type"), name)
		want, err := fs.ReadFile(page.Files(), name)
		require.NoError(t, err)
		require.Equal(t, string(want), text)
	}
	res, _ = b.do(http.MethodGet, "/watch/style.css", "", nil)
	require.Contains(t, res.Header.Get("Content-Type"), "text/css")
	for _, name := range []string{"index.html", "gone.mjs", "..%2fpage.go", "%2e%2e%2fpage.go"} {
		require.Equal(t, http.StatusNotFound, b.status(http.MethodGet, "/watch/"+name, ""), name)
	}
	require.Equal(t, http.StatusMethodNotAllowed, b.status(http.MethodPost, "/watch/", ""))
	res, _ = b.do(http.MethodGet, "/", "", nil)
	require.Equal(t, "/watch/", res.Request.URL.Path, "the root leads to the page")
}

// The page asks for a token itself, so every caller gets the page; its data needs a token. Answers
// to its scripts do not make a browser ask for a password.
func TestWatchPageNeedsNoToken(t *testing.T) {
	b := withTokens(t, nil)
	require.Equal(t, http.StatusOK, b.status(http.MethodGet, "/watch/", ""))
	require.Equal(t, http.StatusOK, b.status(http.MethodGet, "/watch/main.mjs", ""))
	for mode, want := range map[string]string{"": "Basic", "navigate": "Basic", "cors": "Bearer", "same-origin": "Bearer"} {
		res, _ := b.do(http.MethodGet, "/api/v1/events", "", http.Header{"Sec-Fetch-Mode": {mode}})
		require.Equal(t, http.StatusUnauthorized, res.StatusCode)
		require.Regexp(t, "^"+want+" ", res.Header.Get("WWW-Authenticate"), mode)
	}
}

// A server with the simulator serves its files and marks its page; others do neither.
func TestWatchPageHasTheSimulator(t *testing.T) {
	b := start(t, func(cfg *Config) {
		cfg.Simulator = func() (map[string][]byte, error) {
			return map[string][]byte{"tarry.wasm.gz": []byte("wasm"), "worker.mjs": []byte("work")}, nil
		}
	})
	_, text := b.do(http.MethodGet, "/watch/", "", nil)
	require.Contains(t, text, `data-module="tarry.wasm.gz"`)
	for name, kind := range map[string]string{"tarry.wasm.gz": "application/octet-stream", "worker.mjs": "text/javascript; charset=utf-8"} {
		res, text := b.do(http.MethodGet, "/watch/"+name, "", nil)
		require.Equal(t, kind, res.Header.Get("Content-Type"))
		require.Contains(t, "wasm work", text)
	}
	require.Equal(t, http.StatusNotFound, b.status(http.MethodGet, "/watch/gone.mjs", ""))
	_, text = start(t, nil).do(http.MethodGet, "/watch/", "", nil)
	require.NotContains(t, text, "data-module")
}
