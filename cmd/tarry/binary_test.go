package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBinary bounds what a start of this program has to load and set up; docs/decisions/0007 has why.
func TestBinary(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "tarry")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", binary, ".") // as make build does
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	info, err := os.Stat(binary)
	require.NoError(t, err)
	size := info.Size()
	for _, made := range []string{"tarry.wasm.br", "wasm_exec.js"} { // where the playground's module has been made
		if info, err := os.Stat("../../play/site/module/" + made); err == nil {
			size -= info.Size()
		}
	}
	require.Less(t, size, int64(30_000_000), "bytes; a rise by megabytes is a library, or methods found by a name that is no constant")

	cmd := exec.Command(binary, "--help")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	text, err = cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	packages, bytes := 0, 0
	for line := range strings.Lines(string(text)) { // init PACKAGE @AT ms, TOOK ms clock, BYTES bytes, N allocs
		if f := strings.Fields(line); len(f) > 8 && f[0] == "init" {
			n, err := strconv.Atoi(f[7])
			require.NoError(t, err, line)
			packages, bytes = packages+1, bytes+n
		}
	}
	require.Greater(t, packages, 100)
	require.Less(t, packages, 190, "packages to set up")
	require.Less(t, bytes, 450_000, "bytes that they allocate: patterns and templates wait for their first use")
}

// TestImports: what would make the program larger by megabytes, or each start slower.
func TestImports(t *testing.T) {
	text, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	imports := strings.Fields(string(text))
	require.Contains(t, imports, "github.com/spf13/cobra")
	for _, name := range imports {
		require.NotContains(t, []string{"html/template", "encoding/gob", "net/rpc", "go/ast", "image/gif"}, name)
		for _, module := range []string{"gonum.org/", "codeberg.org/", "google.golang.org/grpc", "github.com/stretchr/"} {
			require.False(t, strings.HasPrefix(name, module), name)
		}
	}
}
