// Package site is the playground as a static site: the files of package page, those of the
// playground, and package play compiled to WebAssembly, the module. Any server can serve Files.
package site

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/andybalholm/brotli"

	"github.com/tarry-mr/tarry/actors/page"
)

//go:generate go run ../build -o module

//go:embed assets
var assets embed.FS

//go:embed all:module
var module embed.FS

// The files of the WebAssembly module, the simulator for browsers.
const (
	ModuleName = "tarry.wasm.br" // Brotli, a quarter smaller than gzip
	GzipName   = "tarry.wasm.gz" // derived from ModuleName, by Files and Simulator
	ExecName   = "wasm_exec.js"  // the loader from the Go toolchain that built the module
)

// ErrNoModule means that this program was built without the WebAssembly module.
var ErrNoModule = errors.New("this program was built without the module of the playground")

// Module returns the directory with the module's files embedded in this program, or ErrNoModule.
func Module() (fs.FS, error) {
	dir, err := fs.Sub(module, "module")
	if err != nil {
		return nil, err
	}
	return dir, Check(dir)
}

// Check returns ErrNoModule unless a directory has ModuleName and ExecName.
func Check(dir fs.FS) error {
	for _, name := range []string{ModuleName, ExecName} {
		if _, err := fs.Stat(dir, name); err != nil {
			return ErrNoModule
		}
	}
	return nil
}

// Files returns the contents of all files of the site, by name, with the module in dir. They
// include GzipName, which the page loads, because not all browsers can decompress Brotli in a page.
func Files(dir fs.FS) (map[string][]byte, error) {
	out, err := fileNamed(dir, ModuleName, ExecName)
	if err != nil {
		return nil, err
	}
	play, err := fs.Sub(assets, "assets")
	if err != nil {
		return nil, err
	}
	for _, from := range []fs.FS{page.Files(), play} {
		names, err := fs.Glob(from, "*.*")
		if err != nil {
			return nil, err
		}
		more, err := fileNamed(from, names...)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, more)
	}
	if out["index.html"], err = index(out["index.html"], out["panel.html"], GzipName); err != nil {
		return nil, err
	}
	delete(out, "panel.html")
	return out, addGzip(out)
}

// Simulator returns files, by name, that a server adds to those of package page. With them the page
// can simulate, by the module in dir.
func Simulator(dir fs.FS) (out map[string][]byte, err error) {
	if out, err = fileNamed(dir, ModuleName, ExecName); err != nil {
		return nil, err
	}
	if out["worker.mjs"], err = assets.ReadFile("assets/worker.mjs"); err != nil {
		return nil, err
	}
	return out, addGzip(out)
}

// Embedded returns the simulator for page.Write: the worker's script with the loader in it, and the
// uncompressed module from dir.
func Embedded(dir fs.FS) (page.Simulator, error) {
	files, err := fileNamed(dir, ExecName, ModuleName)
	if err != nil {
		return page.Simulator{}, err
	}
	worker, err := assets.ReadFile("assets/worker.mjs")
	if err != nil {
		return page.Simulator{}, err
	}
	before, after, found := bytes.Cut(worker, []byte(`import "./`+ExecName+`";`))
	if !found {
		return page.Simulator{}, fmt.Errorf("site: worker.mjs does not import %s", ExecName)
	}
	wasm, err := Unpack(files[ModuleName])
	return page.Simulator{Worker: slices.Concat(before, files[ExecName], after), Module: wasm}, err
}

// fileNamed returns the contents of the named files of a directory.
func fileNamed(dir fs.FS, names ...string) (out map[string][]byte, err error) {
	out = map[string][]byte{}
	for _, name := range names {
		if out[name], err = fs.ReadFile(dir, name); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addGzip adds GzipName to the files of a site: the content of ModuleName, compressed by gzip.
func addGzip(out map[string][]byte) error {
	wasm, err := Unpack(out[ModuleName])
	if err != nil {
		return fmt.Errorf("%s: %w", ModuleName, err)
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(wasm)
	}
	if err == nil {
		err = z.Close()
	}
	out[GzipName] = packed.Bytes()
	return err
}

// Unpack decompresses the content of ModuleName.
func Unpack(module []byte) ([]byte, error) {
	return io.ReadAll(brotli.NewReader(bytes.NewReader(module)))
}

// index returns index.html with the playground's panel, script, style and module name.
func index(text, panel []byte, module string) ([]byte, error) {
	const style, script = `<link rel="stylesheet" href="style.css">`, `<script type="module" src="main.mjs"></script>`
	return page.Replace(text, map[string]string{
		"<title>Tarry</title>": "<title>Tarry: the playground</title>",
		"<body>":               `<body data-play="true" data-module="` + module + `">`,
		`<div class="stage">`:  string(panel) + `<div class="stage">`,
		script:                 script + "\n" + `<script type="module" src="play.mjs"></script>`,
		style:                  style + "\n" + `<link rel="stylesheet" href="play.css">`,
	})
}
