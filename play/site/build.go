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
	root, err := run(ctx, dir, "env", "GOROOT")
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
	_, err = run(ctx, dir, append(args, "-o", wasm, modulePath+"/play/wasm")...)
	if err != nil {
		return err
	}
	of, err := sourcesOf(ctx, dir)
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
		os.WriteFile(filepath.Join(out, SourcesName), []byte(of), 0o644),    //nolint:gosec // as the module
	)
}

// sourcesOf says what the module is built of.
func sourcesOf(ctx context.Context, dir string) (string, error) {
	root, err := run(ctx, dir, "list", "-m", "-f", "{{.Dir}}", modulePath)
	if err != nil {
		return "", err
	}
	const ours = `{{with .Module}}{{if eq .Path "` + modulePath + `"}}{{$.Dir}}{{end}}{{end}}`
	list, err := run(ctx, dir, "list", "-deps", "-f", ours, modulePath+"/play/wasm")
	if err != nil {
		return "", err
	}
	var dirs []string
	for one := range strings.SplitSeq(list, "\n") {
		if one == "" {
			continue // of another module
		}
		rel, err := filepath.Rel(root, one)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, filepath.ToSlash(rel))
	}
	return sources(root, dirs)
}

// run runs a go command for the browser's architecture and gives what it prints.
func run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// Source finds the source of this program: the Go module above a directory, or the version of it that
// the toolchain can download.
func Source(ctx context.Context, from, version string) (string, error) {
	if dir, found := Root(from); found {
		return dir, nil
	}
	if !strings.HasPrefix(version, "v") {
		return "", ErrNoModule
	}
	dir, err := run(ctx, from, "mod", "download", "-json", modulePath+"@"+version)
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
