package site

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// ModulePath is that of the Go module which this program is of.
const ModulePath = "github.com/tarry-mr/tarry"

// Make builds the playground's module of the source in dir into out, as go generate does.
func Make(ctx context.Context, dir, out string) error {
	_, err := command(ctx, dir, os.Environ(), "run", ModulePath+"/actors/play/build/module", "-o", out)
	return err
}

// Go runs a go command for a browser's architecture and gives what it prints.
func Go(ctx context.Context, dir string, args ...string) (string, error) {
	return command(ctx, dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS="), args...)
}

func command(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(env, "GOWORK=off") // the nested modules may not be there
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
	dir, err := Go(ctx, from, "mod", "download", "-json", ModulePath+"@"+version)
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
