package cli

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/play/build"
	"github.com/tarry-mr/tarry/actors/play/site"
)

// playModule is a module that is none: "module", in brotli.
func playModule(t *testing.T) fstest.MapFS {
	t.Helper()
	packed := []byte("\x1b\x05\x00\x00\x24\x00\x82\x90\xa8\x0e")
	wasm, err := site.Unpack(packed)
	require.NoError(t, err)
	require.Equal(t, "module", string(wasm))
	return fstest.MapFS{site.ModuleName: {Data: packed}, site.ExecName: {Data: []byte("glue")}, "left over": {}}
}

// The site has the page's screens, the form and the module, and a policy that lets nothing else in.
func TestPlayServes(t *testing.T) {
	module := playModule(t)
	files, err := site.Served(module)
	require.NoError(t, err)
	require.NotContains(t, files, "left over")
	handler := siteHandler(files)
	get := func(method, path string, accept ...string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, nil)
		r.Header["Accept-Encoding"] = accept
		handler.ServeHTTP(w, r)
		return w
	}
	index := get(http.MethodGet, "/")
	require.Equal(t, http.StatusOK, index.Code)
	require.Equal(t, "text/html; charset=utf-8", index.Header().Get("Content-Type"))
	require.Equal(t, site.ContentSecurityPolicy, index.Header().Get("Content-Security-Policy"))
	require.Contains(t, index.Body.String(), `<body data-play="true" data-module="tarry.wasm">`)
	require.Contains(t, index.Body.String(), `<form id="setup">`)
	require.Contains(t, index.Body.String(), `src="play.mjs"`)
	for _, path := range []string{"/main.mjs", "/play.mjs", "/worker.mjs", "/setup.mjs", "/" + site.ExecName} {
		require.Equal(t, "text/javascript", get(http.MethodGet, path).Header().Get("Content-Type"), path)
	}
	for accept, packed := range map[string]bool{"": false, "gzip, deflate": false, "gzip, br;q=0": false, "gzip, deflate, br, zstd": true, "BR;q=0.5": true} {
		wasm := get(http.MethodGet, "/"+site.WasmName, accept)
		require.Equal(t, "application/wasm", wasm.Header().Get("Content-Type"))
		require.Equal(t, "Accept-Encoding", wasm.Header().Get("Vary"))
		require.Equal(t, packed, wasm.Header().Get("Content-Encoding") == "br", accept)
		require.Equal(t, packed, wasm.Body.String() == string(module[site.ModuleName].Data), accept)
		require.Equal(t, !packed, wasm.Body.String() == "module", accept)
	}
	require.Equal(t, http.StatusNotFound, get(http.MethodGet, "/panel.html").Code)
	require.Equal(t, http.StatusNotFound, get(http.MethodGet, "/../main.go").Code)
	require.Equal(t, http.StatusNotFound, get(http.MethodPost, "/").Code)
}

// The exported site is these files, in a directory that was not there.
func TestPlayExports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	files, err := site.Files(playModule(t))
	require.NoError(t, err)
	require.Contains(t, string(files["index.html"]), `data-module="tarry.wasm.gz"`)
	unzip, err := gzip.NewReader(bytes.NewReader(files[site.GzipName]))
	require.NoError(t, err)
	module, err := io.ReadAll(unzip)
	require.NoError(t, err)
	require.Equal(t, "module", string(module))
	require.NoError(t, exportSite(dir, files))
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
	require.Error(t, exportSite(dir, files))
}

// It is served to this machine alone.
func TestPlayListensHere(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", ":8017", "192.0.2.1:80", "8017", "example.org:80"} {
		err := serveSite(t.Context(), &program{stdout: os.Stdout}, address, nil)
		require.ErrorContains(t, err, "of this machine alone", address)
	}
}

// A module that is not of the source at hand is told, and nothing is said of any other.
func TestPlayTellsStaleModule(t *testing.T) {
	t.Parallel()
	root, out := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module github.com/tarry-mr/tarry\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "actors", "play", "wasm"), 0o700))
	main := filepath.Join(root, "actors", "play", "wasm", "main.go")
	write := func(name, text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o600)) }
	write(main, "package main\n\nfunc main() {}\n")
	require.NoError(t, build.Build(t.Context(), root, out))
	told := func() string {
		var errs strings.Builder
		(&program{stderr: &errs}).tellStale(os.DirFS(out), filepath.Dir(main))
		return errs.String()
	}
	require.Empty(t, told())
	write(filepath.Join(root, "actors", "play", "wasm", "main_test.go"), "package main\n")
	require.Empty(t, told(), "tests are no part of it")
	write(main, "package main\n\nfunc main() { println() }\n")
	require.Contains(t, told(), "is not of the source in "+root+": make build")
	require.NoError(t, os.RemoveAll(filepath.Join(root, "actors", "play")))
	require.NoError(t, os.MkdirAll(filepath.Dir(main), 0o700))
	require.NotEmpty(t, told())
	files, err := site.Files(os.DirFS(out))
	require.NoError(t, err)
	require.NotContains(t, files, site.SourcesName)
}

// Without the module in the program, source or version, it says how to get it.
func TestPlayWithoutModule(t *testing.T) {
	_, err := site.Source(t.Context(), t.TempDir(), "(devel)")
	require.ErrorIs(t, err, site.ErrNoModule)
	here, err := os.Getwd()
	require.NoError(t, err)
	root, err := site.Source(t.Context(), here, "")
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(root, "go.mod"))
	require.ErrorIs(t, site.Check(fstest.MapFS{site.ExecName: {}}), site.ErrNoModule)
}
