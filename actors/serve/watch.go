package serve

import (
	"io/fs"
	"mime"
	"net/http"
	"path"

	"github.com/tarry-mr/tarry/actors/page"
)

// watch is the path of the page that shows the cluster live.
const watch = "/watch/"

// watchPage handles GET /watch/: the page, which reads its events from the API.
func (s *Server) watchPage(w http.ResponseWriter, _ *http.Request) error {
	module := ""
	if s.cfg.Simulator != nil {
		module = "tarry.wasm.gz"
	}
	index, err := page.Index("Tarry", prefix+"/", module)
	if err != nil {
		return err
	}
	return writeOfPage(w, "text/html; charset=utf-8", index)
}

// watchFile handles GET /watch/{file}: the page's files.
func (s *Server) watchFile(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	text, err := fs.ReadFile(page.Files(), name)
	if err != nil && s.cfg.Simulator != nil {
		files, wrong := s.cfg.Simulator()
		if wrong != nil {
			return wrong
		}
		if text = files[name]; text != nil {
			err = nil
		}
	}
	if err != nil || path.Ext(name) == ".html" {
		return notFound("there is nothing at %s", r.URL.Path)
	}
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) { // whatever type this machine has for it
	case ".mjs", ".js":
		kind = "text/javascript; charset=utf-8"
	case ".gz", ".br": // the page unpacks them
		kind = "application/octet-stream"
	}
	return writeOfPage(w, kind, text)
}

// writeOfPage answers with a file of the page, which may run its own scripts and call this server.
func writeOfPage(w http.ResponseWriter, kind string, text []byte) error {
	w.Header().Set("Content-Security-Policy", page.ContentSecurityPolicy)
	w.Header().Set("Content-Type", kind)
	_, err := w.Write(text)
	return err
}
