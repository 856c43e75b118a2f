package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/play/site"
)

// playSite is the site with a module that is none.
func playSite(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := site.Files(fstest.MapFS{site.ModuleName: {Data: []byte("module")}, site.ExecName: {Data: []byte("glue")}})
	require.NoError(t, err)
	return files
}

// The site has the page's screens, the form and the module, and a policy that lets nothing else in.
func TestPlayServes(t *testing.T) {
	handler := siteHandler(playSite(t))
	get := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		return w
	}
	index := get(http.MethodGet, "/")
	require.Equal(t, http.StatusOK, index.Code)
	require.Equal(t, "text/html; charset=utf-8", index.Header().Get("Content-Type"))
	require.Equal(t, site.ContentSecurityPolicy, index.Header().Get("Content-Security-Policy"))
	require.Contains(t, index.Body.String(), `<body data-play="true">`)
	require.Contains(t, index.Body.String(), `<form id="setup">`)
	require.Contains(t, index.Body.String(), `src="play.mjs"`)
	for _, path := range []string{"/main.mjs", "/play.mjs", "/worker.mjs", "/setup.mjs", "/" + site.ExecName} {
		require.Equal(t, "text/javascript", get(http.MethodGet, path).Header().Get("Content-Type"), path)
	}
	require.Equal(t, "module", get(http.MethodGet, "/"+site.ModuleName).Body.String())
	require.Equal(t, http.StatusNotFound, get(http.MethodGet, "/panel.html").Code)
	require.Equal(t, http.StatusNotFound, get(http.MethodGet, "/../main.go").Code)
	require.Equal(t, http.StatusNotFound, get(http.MethodPost, "/").Code)
}

// The exported site is these files, in a directory that was not there.
func TestPlayExports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	files := playSite(t)
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
