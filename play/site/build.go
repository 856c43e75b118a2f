package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// modulePath is this program's.
const modulePath = "github.com/tarry-mr/tarry"

// Build makes the module from the source in dir, a directory of this Go module, with the Go toolchain,
// and puts it with the toolchain's wasm_exec.js into out.
func Build(ctx context.Context, dir, out string) error {
	root, err := run(ctx, dir, "go", "env", "GOROOT")
	if err != nil {
		return err
	}
	glue, err := os.ReadFile(filepath.Join(root, "lib", "wasm", ExecName))
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
	for _, hot := range []string{"scheduling", "scheduling/internal/...", "scheduling/simulator"} {
		args = append(args, "-gcflags="+modulePath+"/"+hot+"=") // inlining elsewhere is a tenth of the module, compressed
	}
	_, err = run(ctx, dir, "go", append(args, "-o", wasm, modulePath+"/play/wasm")...)
	if err != nil {
		return err
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err = z.Write(code); err == nil {
		err = z.Close()
	}
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(out, ModuleName), packed.Bytes(), 0o644), //nolint:gosec // anybody may read it
		os.WriteFile(filepath.Join(out, ExecName), glue, 0o644),             //nolint:gosec // as the toolchain's
	)
}

// run runs a command for the browser's architecture and gives what it prints.
func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// Source finds the source of this program: the Go module above a directory, or the version of it that
// the toolchain can download.
func Source(ctx context.Context, from, version string) (string, error) {
	for dir := from; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+modulePath+"\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if !strings.HasPrefix(version, "v") {
		return "", ErrNoModule
	}
	dir, err := run(ctx, from, "go", "mod", "download", "-json", modulePath+"@"+version)
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(dir, `"Dir": "`)
	dir, _, found := strings.Cut(rest, `"`)
	if !found {
		return "", ErrNoModule
	}
	return dir, nil
}
