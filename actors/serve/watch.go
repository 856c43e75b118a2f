package serve

import (
	"io/fs"
	"mime"
	"net/http"
	"path"

	"github.com/tarry-mr/tarry/actors/page"
)

// watch is where the page lies on which the cluster is watched.
const watch = "/watch/"

// watchPage is GET /watch/: the page, which takes its events from the API.
func (s *Server) watchPage(w http.ResponseWriter, _ *http.Request) error {
	index, err := page.Index("Tarry", prefix+"/")
	if err != nil {
		return err
	}
	return writeOfPage(w, "text/html; charset=utf-8", index)
}

// watchFile is GET /watch/{file}: what the page consists of.
func (s *Server) watchFile(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("file")
	text, err := fs.ReadFile(page.Files(), name)
	if err != nil || path.Ext(name) == ".html" {
		return notFound("there is nothing at %s", r.URL.Path)
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if path.Ext(name) == ".mjs" { // whatever this machine makes of it
		kind = "text/javascript; charset=utf-8"
	}
	return writeOfPage(w, kind, text)
}

// writeOfPage answers with a part of the page, which may run its own scripts and ask this server.
func writeOfPage(w http.ResponseWriter, kind string, text []byte) error {
	w.Header().Set("Content-Security-Policy", page.ContentSecurityPolicy)
	w.Header().Set("Content-Type", kind)
	_, err := w.Write(text)
	return err
}
