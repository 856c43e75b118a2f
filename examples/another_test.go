package examples

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program of another module builds and runs, in an empty folder and without a network. It uses
// its own key type, input format and output.
func TestAnotherModule(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	files := map[string]string{"main.go": "testdata/another/main.go.txt", "go.mod": "../go.mod", "go.sum": "../go.sum"}
	for name, from := range files {
		b, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o666))
	}
	command := func(args ...string) string {
		c := exec.Command(args[0], args[1:]...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod -buildvcs=false")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%v: %s", args, out)
		return string(out)
	}
	// The other module starts with Tarry's go.mod, which names all modules, as after go mod tidy.
	// Without it, go would look up modules that Tarry does not use and this machine may lack.
	command("go", "mod", "edit", "-module=example.org/another",
		"-require=github.com/tarry-mr/tarry@v0.0.0", "-replace=github.com/tarry-mr/tarry="+root)
	command("go", "build", "-o", "another", ".")

	var text strings.Builder
	for _, v := range []string{"v1.10", "v1.9", "v0.1", "v1.10"} {
		fmt.Fprintf(&text, "%-15s\n", v)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "versions"), []byte(text.String()), 0o666))
	require.Empty(t, command(filepath.Join(dir, "another"), "versions", "out"))
	page, err := os.ReadFile(filepath.Join(dir, "out", "part-r-00000.page"))
	require.NoError(t, err)
	require.Equal(t, "begin\nv0.1 1\nv1.9 1\nv1.10 2\nend\n", string(page))
}

// dependencies returns, by package, all packages outside the standard library that it depends on.
func dependencies(t *testing.T, packages ...string) map[string][]string {
	out, err := exec.Command("go", append([]string{"list", "-f", "{{.ImportPath}}: {{join .Deps \" \"}}"}, packages...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	all := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		name, deps, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for dep := range strings.FieldsSeq(deps) {
			if host, _, _ := strings.Cut(dep, "/"); strings.Contains(host, ".") { // not of the standard library
				all[name] = append(all[name], dep)
			}
		}
	}
	require.Len(t, all, len(packages))
	return all
}

// Packages mapreduce and jobs import neither the actor library nor plots nor the command line, even
// indirectly. Package actors imports only what the actor library and mapreduce need.
func TestWhatAnImportBrings(t *testing.T) {
	const module, library = "github.com/tarry-mr/tarry/", "github.com/asynkron/protoactor-go/actor"
	deps := dependencies(t, module+"mapreduce", module+"jobs", module+"mapreduce/approx", module+"actors", library)
	beside := func(name string, allowed ...string) {
		for _, dep := range deps[name] {
			require.True(t, slices.ContainsFunc(allowed, func(a string) bool {
				return dep == a || strings.HasPrefix(dep, a+"/")
			}), "%s has %s", name, dep)
		}
	}
	light := []string{
		module + "mapreduce", module + "dfs", module + "stores", module + "jobs",
		module + "internal/filelock", module + "internal/globs", module + "internal/nofollow",
		"github.com/bmatcuk/doublestar/v4", "github.com/cespare/xxhash/v2", "github.com/klauspost/compress",
		"github.com/ulikunitz/xz", "golang.org/x/sys",
	}
	beside(module+"mapreduce", light...)
	beside(module+"jobs", light...)
	beside(module+"mapreduce/approx", append(light, "github.com/axiomhq/hyperloglog", "github.com/dgryski/go-metro",
		"github.com/kamstrup/intmap")...)
	beside(module+"actors", slices.Concat([]string{strings.TrimSuffix(module, "/"), library}, light, deps[library])...)
	for _, dep := range deps[module+"actors"] {
		require.NotContains(t, dep, module+"cmd")
		require.NotContains(t, dep, module+"experiments")
	}
}
