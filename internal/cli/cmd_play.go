package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors/play/site"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
)

// playFlags are the flags of `tarry play`.
type playFlags struct {
	listen, export string
}

// newPlay is the command `tarry play`.
func newPlay(p *program) *cobra.Command {
	var f playFlags
	cmd := &cobra.Command{
		Use:   "play [--export DIR]",
		Short: "Serve the playground: the scheduler in the browser",
		Long: `Serve the playground: the very scheduler that runs live, compiled for the browser, on the page's
screens. Choose or write a workload, a cluster and a policy, move W1, W2, D and links, step by
decisions or heartbeats, set two policies side by side, take a lesson, and share all of it by its
address.

  tarry play
  tarry play --export site

It is served on this machine alone; --export writes it as a static site for any web server. Where
the program was built without the playground's module, as by go install, the module is built with
the Go toolchain first, once, into the user's cache.`,
		Args: arguments(0, 0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), p) },
	}
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:8017", "address to serve at, of this machine: 127.0.0.1:0 takes any port")
	cmd.Flags().StringVar(&f.export, "export", "", "write the site into this directory, which must not exist, and serve nothing")
	excludes(cmd, "export", "listen")
	return cmd
}

// run serves or exports.
func (f *playFlags) run(ctx context.Context, p *program) error {
	dir, err := p.playModule(ctx)
	if err != nil {
		return err
	}
	if f.export != "" {
		files, err := site.Files(dir)
		if err != nil {
			return err
		}
		return exportSite(f.export, files)
	}
	files, err := site.Served(dir)
	if err != nil {
		return err
	}
	return serveSite(ctx, p, f.listen, files)
}

// playModule is the module of the playground: the embedded one, or one that is built and kept.
func (p *program) playModule(ctx context.Context) (fs.FS, error) {
	dir, err := site.Module()
	if err == nil {
		if here, err := os.Getwd(); err == nil {
			p.tellStale(dir, here)
		}
		return dir, nil
	}
	lacks := func(err error) error {
		return configError("%w, and it cannot be built here (%s): in a clone of the source run make build", site.ErrNoModule, words.OneLine(err))
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, lacks(err)
	}
	version := readVersion().Version
	source, err := site.Source(ctx, here, version)
	if err != nil {
		return nil, lacks(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, lacks(err)
	}
	out := filepath.Join(cache, "tarry", "play", version)
	if source == here || site.Check(os.DirFS(out)) != nil || version == "(devel)" {
		fmt.Fprintf(p.stderr, "building the module of the playground from %s\n", source)
		if err := site.Make(ctx, source, out); err != nil {
			return nil, lacks(err)
		}
	}
	return os.DirFS(out), nil
}

// tellStale warns of a module that was built of other source than the clone holds in which the program
// runs: go build takes in whatever module go generate has made before.
func (p *program) tellStale(module fs.FS, here string) {
	root, found := site.Root(here)
	if !found {
		return
	}
	if stale, err := site.Stale(module, root); err == nil && stale {
		fmt.Fprintf(p.stderr, "tarry: warning: the playground's module in this program is not of the source in %s: make build makes both anew\n", root)
	}
}

// exportSite writes the files.
func exportSite(dir string, files map[string][]byte) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return outputError(dir, err)
	}
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.WriteFile(file, data, 0o666); err != nil { //nolint:gosec // by the umask
			return outputError(dir, err)
		}
	}
	return nil
}

// serveSite serves the files until ctx is done.
func serveSite(ctx context.Context, p *program, address string, files map[string][]byte) error {
	if !loopback(address) {
		return usageError("--listen %s: want an address of this machine alone, such as 127.0.0.1:8017", words.Shown(address))
	}
	at, err := net.Listen("tcp", address)
	if err != nil {
		return configError("--listen: %w", err)
	}
	server := &http.Server{Handler: siteHandler(files), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // Serve tells
	defer stop()
	fmt.Fprintf(p.stdout, "http://%s/\n", at.Addr())
	if err := server.Serve(at); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// siteHandler serves the files by name.
func siteHandler(files map[string][]byte) http.Handler {
	types := map[string]string{".mjs": "text/javascript", ".js": "text/javascript", ".html": "text/html; charset=utf-8"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path[1:]
		if name == "" {
			name = "index.html"
		}
		if name == site.WasmName {
			serveModule(w, r, files[site.ModuleName])
			return
		}
		data, there := files[name]
		if !there || (r.Method != http.MethodGet && r.Method != http.MethodHead) {
			http.NotFound(w, r)
			return
		}
		kind := types[path.Ext(name)]
		if kind == "" {
			kind = mime.TypeByExtension(path.Ext(name))
		}
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Content-Security-Policy", site.ContentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache")
		_, _ = w.Write(data) // who asked has gone
	})
}

// serveModule serves the module as it is packed to clients that unpack it.
func serveModule(w http.ResponseWriter, r *http.Request, module []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/wasm")
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Encoding")
	if accepts(r.Header.Get("Accept-Encoding"), "br") {
		h.Set("Content-Encoding", "br")
	} else {
		wasm, err := site.Unpack(module)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		module = wasm
	}
	_, _ = w.Write(module) // who asked has gone
}

// accepts tells whether an Accept-Encoding names an encoding, and not with a quality of 0.
func accepts(header, encoding string) bool {
	for one := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(one, ";")
		if strings.EqualFold(strings.TrimSpace(name), encoding) {
			value, found := strings.CutPrefix(strings.TrimSpace(quality), "q=")
			q, err := strconv.ParseFloat(value, 64)
			return !found || err == nil && q > 0
		}
	}
	return false
}
