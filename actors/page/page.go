// Package page is the web page that shows a run. It consists of HTML, a style sheet and ES modules,
// without a build step or libraries. [Write] writes it as one file that contains the run's events.
// A server serves [Files] unchanged, and [Index] with the URL of its API.
//
// Only events.mjs knows where events come from. From the events, state.mjs computes a state and
// history.mjs its history. Each screen is a function from these to markup. docs/events.md describes
// the events.
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

// The texts in index.html that Index and Write replace or look for.
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

// Files returns the page's files. A server serves all of them in one directory, but as index.html
// it serves the result of Index. Modules (.mjs) need the type text/javascript.
func Files() fs.FS {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // they are embedded
	}
	return files
}

// ContentSecurityPolicy is the header that a server should send with the page. It permits the
// server's own scripts, styles, worker and API, and to compile the simulator.
const ContentSecurityPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Index returns index.html for a server with its API (serve/openapi.yaml) below the URL api. From
// events?state=true the page reads server-sent events, each with a JSON object and an id from which
// an interrupted reader continues. Other calls control jobs. Index escapes title. simulator, if not
// empty, is the simulator's file (actors/play/site) in the same directory.
func Index(title, api, simulator string) ([]byte, error) {
	page, err := fs.ReadFile(Files(), indexName)
	if err != nil {
		return nil, err
	}
	module := ""
	if simulator != "" {
		module = ` data-module="` + html.EscapeString(simulator) + `"`
	}
	return Replace(page, map[string]string{
		titlePart: "<title>" + html.EscapeString(title) + "</title>",
		bodyPart:  `<body data-api="` + html.EscapeString(api) + `"` + module + `>`,
	})
}

// Simulator is the simulator in a page of one file, from site.Embedded: a worker's script and the
// WebAssembly module that it compiles. Without Module the page says that it has no simulator.
type Simulator struct{ Worker, Module []byte }

// Write writes the page as one file: style, modules, simulator and the run's events, lines of JSON,
// are in it. Its content security policy lets no other script run and nothing load or send data.
// The page shows title as text. others is at most one run to compare with. Errors are those of
// events and out.
func Write(out io.Writer, title string, events io.Reader, simulator Simulator, others ...Other) error {
	if len(others) > 1 {
		return errors.New("page: a run is compared with one other")
	}
	page, err := fileIndex(title, simulator.Module != nil)
	if err != nil {
		return err
	}
	before, after, found := strings.Cut(string(page), eventsBegin)
	if !found {
		return errors.New("page: index.html has no place for events")
	}
	// write writes text, which ends with the tag of an element, and the packed content of the
	// element.
	write := func(text string, content io.Reader) error {
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
		return pack(out, content)
	}
	if simulator.Module != nil {
		for _, part := range []struct {
			id   string
			data []byte
		}{{"worker", simulator.Worker}, {"simulator", simulator.Module}} {
			if err := write(before+fmt.Sprintf(packedPart, part.id), bytes.NewReader(part.data)); err != nil {
				return err
			}
			before = "</script>\n"
		}
	}
	if err := write(before+eventsBegin, events); err != nil {
		return err
	}
	for _, other := range others {
		before, rest, found := strings.Cut(after, otherBegin)
		if !found {
			return errors.New("page: index.html has no place for another run")
		}
		tag := fmt.Sprintf(`%s data-name="%s">`, otherBegin, html.EscapeString(other.Name))
		if err := write(before+tag, other.Events); err != nil {
			return err
		}
		after = rest[1:] // the rest after the tag's ">"
	}
	_, err = io.WriteString(out, after)
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
	return Replace(page, map[string]string{
		titlePart:  head + "<title>" + html.EscapeString(title) + "</title>",
		stylePart:  "<style>" + string(style) + "</style>",
		bodyPart:   body,
		scriptPart: `<script type="module">` + string(script) + "</script>",
	})
}

// Other is a second run, with which the page compares the first one.
type Other struct {
	Name   string    // shown as text, even if it contains markup
	Events io.Reader // lines of JSON
}

// Replace replaces each key of texts by its value in a page, such as index.html. The page must
// contain each key exactly once.
func Replace(page []byte, texts map[string]string) ([]byte, error) {
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

// pack writes events compressed by gzip, in base64: this text cannot contain the element's end tag.
func pack(out io.Writer, events io.Reader) error {
	encoder := base64.NewEncoder(base64.StdEncoding, out)
	packed, err := gzip.NewWriterLevel(encoder, gzip.BestSpeed) // fast, because such a file is often opened only once
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
