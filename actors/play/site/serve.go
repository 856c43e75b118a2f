package site

import (
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"

	"github.com/tarry-mr/tarry/actors/page"
)

// Export writes the files of a site into a directory, which must not exist.
func Export(dir string, files map[string][]byte) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.WriteFile(file, data, 0o666); err != nil { //nolint:gosec // by the umask
			return err
		}
	}
	return nil
}

// Handler serves the files of a site, by GET and HEAD, with page.ContentSecurityPolicy.
func Handler(files map[string][]byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path[1:]
		if name == "" {
			name = "index.html"
		}
		data, there := files[name]
		if !there || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
			http.NotFound(w, r)
			return
		}
		kind := map[string]string{".mjs": "text/javascript", ".js": "text/javascript"}[path.Ext(name)]
		if kind == "" {
			kind = mime.TypeByExtension(path.Ext(name))
		}
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Content-Security-Policy", page.ContentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache")
		_, _ = w.Write(data) // fails only if the client has disconnected
	})
}
