package site_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/page"
	"github.com/tarry-mr/tarry/actors/play/site"
)

// playModule returns a directory with a fake module: the text "module", compressed with Brotli.
func playModule(t *testing.T) fstest.MapFS {
	t.Helper()
	packed := []byte("\x1b\x05\x00\x00\x24\x00\x82\x90\xa8\x0e")
	wasm, err := site.Unpack(packed)
	require.NoError(t, err)
	require.Equal(t, "module", string(wasm))
	return fstest.MapFS{site.ModuleName: {Data: packed}, site.ExecName: {Data: []byte("glue")}, "left over": {}}
}

// The site serves the page, the form and the module, with the page's content security policy, and
// no other file.
func TestHandler(t *testing.T) {
	module := playModule(t)
	files, err := site.Files(module)
	require.NoError(t, err)
	require.NotContains(t, files, "left over")
	handler := site.Handler(files)
	get := func(method, path string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, nil)
		handler.ServeHTTP(w, r)
		return w
	}
	index := get(http.MethodGet, "/")
	require.Equal(t, http.StatusOK, index.Code)
	require.Equal(t, "text/html; charset=utf-8", index.Header().Get("Content-Type"))
	require.Equal(t, page.ContentSecurityPolicy, index.Header().Get("Content-Security-Policy"))
	require.Contains(t, index.Body.String(), `<body data-play="true" data-module="tarry.wasm.gz">`)
	require.Contains(t, index.Body.String(), `<form id="setup">`)
	require.Contains(t, index.Body.String(), `src="play.mjs"`)
	for _, path := range []string{"/main.mjs", "/module.mjs", "/play.mjs", "/worker.mjs", "/setup.mjs", "/" + site.ExecName} {
		require.Equal(t, "text/javascript", get(http.MethodGet, path).Header().Get("Content-Type"), path)
	}
	require.Equal(t, http.StatusNotFound, get(http.MethodGet, "/panel.html").Code)
	require.Equal(t, http.StatusNotFound, get(http.MethodGet, "/../main.go").Code)
	require.Equal(t, http.StatusNotFound, get(http.MethodPost, "/").Code)
}

// Export creates a directory with exactly the site's files. If the directory exists, it fails.
func TestExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	files, err := site.Files(playModule(t))
	require.NoError(t, err)
	require.Contains(t, string(files["index.html"]), `data-module="tarry.wasm.gz"`)
	unzip, err := gzip.NewReader(bytes.NewReader(files[site.GzipName]))
	require.NoError(t, err)
	module, err := io.ReadAll(unzip)
	require.NoError(t, err)
	require.Equal(t, "module", string(module))
	require.NoError(t, site.Export(dir, files))
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	require.Error(t, site.Export(dir, files))
}

// The scripts and styles of page and playground have at most 300 lines per file, 4,500 in total,
// and 120 characters per line.
func TestScriptsStayLegible(t *testing.T) {
	files, err := site.Files(playModule(t))
	require.NoError(t, err)
	total := 0
	for name, text := range files {
		if ext := filepath.Ext(name); ext != ".mjs" && ext != ".css" {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		total += len(lines)
		require.LessOrEqual(t, len(lines), 300, name)
		for i, line := range lines {
			require.LessOrEqual(t, utf8.RuneCountInString(line), 120, "%s:%d", name, i+1)
		}
	}
	require.LessOrEqual(t, total, 4500)
}

// For a directory without the module, Check returns ErrNoModule.
func TestCheck(t *testing.T) {
	require.ErrorIs(t, site.Check(fstest.MapFS{site.ExecName: {}}), site.ErrNoModule)
}

// For a page of one file, Embedded returns a script without imports and an uncompressed module.
func TestEmbedded(t *testing.T) {
	simulator, err := site.Embedded(playModule(t))
	require.NoError(t, err)
	require.Equal(t, "module", string(simulator.Module))
	require.Contains(t, string(simulator.Worker), "\nglue\n")
	require.NotRegexp(t, `(?m)^import`, string(simulator.Worker))
	_, err = site.Embedded(fstest.MapFS{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}
