package tools

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unraced has the packages that start goroutines but are tested without the race detector, and why.
var unraced = map[string]string{
	"internal/cli":              "what it runs live is raced in actors and actors/serve; each command would start anew for ten times as long",
	"scheduling/simulator":      "simulations side by side share their configuration, which they read; each is one goroutine",
	"scheduling/simulator/tune": "as the simulator",
	"experiments/own":           "as the simulator, and live runs, which actors races",
	"internal/bench":            "no part of the product",
	"internal/bench/limit":      "no part of the product",
}

// RACED in the Makefile lists the packages to test with the race detector: exactly those whose code
// starts goroutines or has locks or atomic variables, except unraced.
func TestRaced(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	_, list, _ := strings.Cut(string(makefile), "RACED := $(addprefix ./,")
	list, _, _ = strings.Cut(list, ")")
	raced := strings.Fields(strings.ReplaceAll(list, "\\", ""))
	without := maps.Clone(unraced)
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if len(p.TestImports)+len(p.XTestImports) == 0 {
			continue
		}
		want := shares(t, filepath.Join("../..", path))
		if want && unraced[path] != "" {
			want = false
			delete(without, path)
		}
		require.Equal(t, want, slices.Contains(raced, path), "%s in the RACED of the Makefile", path)
	}
	require.Empty(t, without, "need not stand in unraced")
	for _, path := range raced {
		require.DirExists(t, filepath.Join("../..", path))
	}
}

// shares reports whether the code of a package starts goroutines or has locks or atomic variables.
func shares(t *testing.T, dir string) (found bool) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	shared := regexp.MustCompile(`^(Mutex|RWMutex|Cond|Map|Pool|WaitGroup)$`)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = true
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok {
					found = found || id.Name == "atomic" || id.Name == "errgroup" || id.Name == "sync" && shared.MatchString(n.Sel.Name)
				}
			}
			return !found
		})
	}
	return found
}
