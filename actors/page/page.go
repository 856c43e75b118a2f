// Package page is the page on which a run is watched: HTML, style and ES modules of our own, without
// a build step, a library or a network. [Write] makes one file of it that has the run's events in
// it; a server serves [Files] as they are and says in [Index] where its API lies.
//
// The modules know nothing of where events come from but in events.mjs: events go in, a state and its
// history come out (state.mjs, history.mjs), and each screen is a function from these to markup. The
// events are those of docs/events.md.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed assets
var assets embed.FS

// The parts of index.html that are replaced.
const (
	indexName   = "index.html"
	titlePart   = "<title>Tarry</title>"
	stylePart   = `<link rel="stylesheet" href="style.css">`
	bodyPart    = "<body>"
	eventsBegin = `<script id="events" type="application/octet-stream">`
	otherBegin  = `<script id="other" type="application/octet-stream"`
	scriptPart  = `<script type="module" src="main.mjs"></script>`
	packedPart  = `<script id="%s" type="application/octet-stream">`
)

// Files are the page's files: index.html, style.css and the modules. A server serves them all in one
// directory, but for index.html, which is Index. The modules need the type text/javascript.
func Files() fs.FS {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // they are embedded
	}
	return files
}

// ContentSecurityPolicy is what a server should send with the page: scripts and styles of its own, a
// worker and the simulator that it compiles, connections to itself, nothing else.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Index is index.html of a server whose API (serve/openapi.yaml) is served below the URL api. Its
// events?state=true sends server-sent events, each with one JSON object as data and an id, from
// which an interrupted reader continues; the page steers jobs by the other calls. Title is escaped.
// Simulator, if not empty, is the file with the simulator (actors/play/site), served beside the page.
func Index(title, api, simulator string) ([]byte, error) {
	page, err := fs.ReadFile(Files(), indexName)
	if err != nil {
		return nil, err
	}
	module := ""
	if simulator != "" {
		module = ` data-module="` + html.EscapeString(simulator) + `"`
	}
	return replace(page, map[string]string{
		titlePart: "<title>" + html.EscapeString(title) + "</title>",
		bodyPart:  `<body data-api="` + html.EscapeString(api) + `"` + module + `>`,
	})
}

// Simulator is what a page of one file simulates with: the script of a worker, and the module that it
// compiles (actors/play/site). Without Module the page has none, and says so.
type Simulator struct{ Worker, Module []byte }

// Write writes the page with a run's events, lines of JSON, as one file that needs nothing else: style,
// modules, events and simulator are in it, and its policy lets no other script run, load or send
// anything. Title is shown as text, whatever it holds. Others are runs to compare it with, one at most.
// The errors are those of events and out.
func Write(out io.Writer, title string, events io.Reader, simulator Simulator, others ...Other) error {
	if len(others) > 1 {
		return errors.New("page: a run is compared with one other")
	}
	page, err := fileIndex(title, simulator.Module != nil)
	if err != nil {
		return err
	}
	before, after, found := bytes.Cut(page, []byte(eventsBegin))
	if !found {
		return errors.New("page: index.html has no place for events")
	}
	if _, err := out.Write(before); err != nil {
		return err
	}
	if simulator.Module != nil {
		for _, part := range []struct {
			id   string
			data []byte
		}{{"worker", simulator.Worker}, {"simulator", simulator.Module}} {
			if _, err := fmt.Fprintf(out, packedPart, part.id); err != nil {
				return err
			}
			if err := pack(out, bytes.NewReader(part.data)); err != nil {
				return err
			}
			if _, err := io.WriteString(out, "</script>\n"); err != nil {
				return err
			}
		}
	}
	if _, err := io.WriteString(out, eventsBegin); err != nil {
		return err
	}
	if err := pack(out, events); err != nil {
		return err
	}
	for _, other := range others {
		before, rest, found := bytes.Cut(after, []byte(otherBegin))
		if !found {
			return errors.New("page: index.html has no place for another run")
		}
		if _, err := fmt.Fprintf(out, `%s%s data-name="%s">`, before, otherBegin, html.EscapeString(other.Name)); err != nil {
			return err
		}
		if err := pack(out, other.Events); err != nil {
			return err
		}
		after = rest[1:] // the end of the tag
	}
	_, err = out.Write(after)
	return err
}

// fileIndex returns index.html as one file, with its style, script and content security policy.
func fileIndex(title string, simulates bool) ([]byte, error) {
	page, err := fs.ReadFile(Files(), indexName)
	if err != nil {
		return nil, err
	}
	style, err := fs.ReadFile(Files(), "style.css")
	if err != nil {
		return nil, err
	}
	script, err := bundle(Files(), "main.mjs")
	if err != nil {
		return nil, err
	}
	body, wasmSources := bodyPart, ""
	if simulates {
		body, wasmSources = `<body data-module="simulator">`, " 'wasm-unsafe-eval'; worker-src blob:"
	}
	csp := fmt.Sprintf("default-src 'none'; script-src '%s'%s; style-src '%s'; img-src data: blob:; base-uri 'none'; form-action 'none'",
		hash(script), wasmSources, hash(style))
	head := `<meta http-equiv="Content-Security-Policy" content="` + csp + `">` + "\n"
	return replace(page, map[string]string{
		titlePart:  head + "<title>" + html.EscapeString(title) + "</title>",
		stylePart:  "<style>" + string(style) + "</style>",
		bodyPart:   body,
		scriptPart: `<script type="module">` + string(script) + "</script>",
	})
}

// Other is a run that another is compared with.
type Other struct {
	Name   string    // shown as text, whatever it holds
	Events io.Reader // lines of JSON
}

// replace puts texts in the place of others, each of which must be there once.
func replace(page []byte, texts map[string]string) ([]byte, error) {
	for old, text := range texts {
		if bytes.Count(page, []byte(old)) != 1 {
			return nil, fmt.Errorf("page: %q is not in index.html once", old)
		}
		page = bytes.Replace(page, []byte(old), []byte(text), 1)
	}
	return page, nil
}

// hash returns the source expression by which a content security policy allows an inline text.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// pack writes events gzipped and in base64, which cannot contain the end tag of their element.
func pack(out io.Writer, events io.Reader) error {
	encoder := base64.NewEncoder(base64.StdEncoding, out)
	packed, err := gzip.NewWriterLevel(encoder, gzip.BestSpeed) // such a file is often opened only once, so speed matters more than size
	if err != nil {
		return err
	}
	_, err = io.Copy(packed, events)
	return errors.Join(err, packed.Close(), encoder.Close())
}

var (
	importLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^import \{ ([^}]+) \} from "\./([a-z]+)\.mjs";$`)
	})
	exportWord = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^export ((?:async )?function|const|class) ([\w$]+)`)
	})
	otherWord = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^(import|export)\b.*$`)
	})
)

// bundle returns one script with the module main and all modules that it imports. Each module
// becomes a function that is called once and returns the module's exports. bundle supports only the
// forms of import and export that our modules use, and rejects others.
func bundle(files fs.FS, main string) ([]byte, error) {
	var out bytes.Buffer
	done := map[string]bool{}
	var add func(name string, importers []string) error // importers: the chain of modules from main to this one
	add = func(name string, importers []string) error {
		if slices.Contains(importers, name) {
			return fmt.Errorf("page: %s imports itself, over %s", name, strings.Join(importers, ", "))
		}
		if done[name] {
			return nil
		}
		done[name] = true
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		for _, m := range importLine().FindAllSubmatch(text, -1) {
			if bytes.Contains(m[1], []byte(" as ")) {
				return fmt.Errorf("page: %s: cannot bundle %q", name, m[0])
			}
			if err := add(string(m[2])+".mjs", append(importers, name)); err != nil {
				return err
			}
		}
		var names []string
		for _, m := range exportWord().FindAllSubmatch(text, -1) {
			names = append(names, string(m[2]))
		}
		text = importLine().ReplaceAll(text, []byte("const { $1 } = modules.$2;"))
		text = exportWord().ReplaceAll(text, []byte("$1 $2"))
		if unknown := otherWord().Find(text); unknown != nil {
			return fmt.Errorf("page: %s: cannot bundle %q", name, unknown)
		}
		fmt.Fprintf(&out, "modules.%s = (() => {\n%sreturn { %s };\n})();\n", strings.TrimSuffix(path.Base(name), ".mjs"), text, strings.Join(names, ", "))
		return nil
	}
	out.WriteString("\nconst modules = {};\n")
	if err := add(main, nil); err != nil {
		return nil, err
	}
	if bytes.Contains(bytes.ToLower(out.Bytes()), []byte("</script")) || bytes.Contains(out.Bytes(), []byte("<!--")) {
		return nil, errors.New("page: a module has what ends a script")
	}
	return out.Bytes(), nil
}
