// Command build compiles the simulator to the WebAssembly module of the playground, with the Go
// toolchain; go generate ./actors/play/site runs it. It is a program of its own because programs
// that serve the playground need no Brotli encoder.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"

	"github.com/tarry-mr/tarry/actors/play/site"
)

// source is the path of this program's Go module.
const source = "github.com/tarry-mr/tarry"

func main() {
	out := flag.String("o", "module", "write the WebAssembly module and its loader into this directory")
	flag.Parse()
	if err := build(*out); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

// build compiles the simulator to WebAssembly, from the source in the current directory. It writes
// the compressed module and the toolchain's wasm_exec.js into the directory out.
func build(out string) error {
	root, err := run("env", "GOROOT")
	if err != nil {
		return err
	}
	glue, err := os.ReadFile(filepath.Join(root, "lib", "wasm", site.ExecName))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "tarry-play-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }() // a temporary directory
	wasm := filepath.Join(temp, "tarry.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-gcflags=all=-l"}
	// Only the simulator's hot packages are inlined: inlining all makes the compressed file a tenth
	// larger.
	for _, hot := range []string{"scheduling", "scheduling/internal/...", "scheduling/simulator"} {
		args = append(args, "-gcflags="+source+"/"+hot+"=")
	}
	_, err = run(append(args, "-o", wasm, source+"/actors/play/wasm")...)
	if err != nil {
		return err
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	_ = os.Remove(filepath.Join(out, site.GzipName)) // go:embed would include an old one
	packed, err := pack(code, filepath.Join(out, site.ModuleName))
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(out, site.ModuleName), packed, 0o644), //nolint:gosec // anybody may read it
		os.WriteFile(filepath.Join(out, site.ExecName), glue, 0o644),     //nolint:gosec // as the toolchain's
	)
}

// run runs a go command for WebAssembly in browsers and returns its standard output.
func run(args ...string) (string, error) {
	cmd := exec.Command("go", args...)                                                 //nolint:gosec // with arguments of this program
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off") // the workspace's modules may be missing
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// pack returns code compressed. If the file at path already contains code, pack returns the file's
// content, because compression is the slowest step of the build.
func pack(code []byte, path string) ([]byte, error) {
	if old, err := os.ReadFile(path); err == nil {
		if oldCode, err := site.Unpack(old); err == nil && bytes.Equal(oldCode, code) {
			return old, nil
		}
	}
	var packed bytes.Buffer
	z := brotli.NewWriterOptions(&packed, brotli.WriterOptions{Quality: 10, LGWin: 24})
	_, err := z.Write(code)
	err = errors.Join(err, z.Close())
	return packed.Bytes(), err
}
