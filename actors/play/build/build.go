// Package build compiles the simulator to the WebAssembly module of the playground, with the Go
// toolchain. Programs that serve the playground do not import build: they need no Brotli encoder.
package build

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/andybalholm/brotli"

	"github.com/tarry-mr/tarry/actors/play/site"
)

// Build compiles the simulator, from the source of this Go module in dir, to WebAssembly. It writes
// the compressed module and the toolchain's wasm_exec.js into the directory out.
func Build(ctx context.Context, dir, out string) error {
	root, err := site.Go(ctx, dir, "env", "GOROOT")
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
		args = append(args, "-gcflags="+site.ModulePath+"/"+hot+"=")
	}
	_, err = site.Go(ctx, dir, append(args, "-o", wasm, site.ModulePath+"/actors/play/wasm")...)
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
