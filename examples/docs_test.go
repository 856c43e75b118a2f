package examples

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What docs/tutorial.md shows of a program stands in it, and what a program prints is what it prints.
func TestTutorial(t *testing.T) {
	text, err := os.ReadFile("../docs/tutorial.md")
	require.NoError(t, err)
	page := string(text)
	shown := regexp.MustCompile("(?s)<!-- (examples/\\S+) -->\n```go\n(.*?)```").FindAllStringSubmatch(page, -1)
	require.Len(t, shown, strings.Count(page, "```go\n"), "each piece names its file")
	require.NotEmpty(t, shown)
	for _, s := range shown {
		file, err := os.ReadFile(filepath.Join("..", s[1]))
		require.NoError(t, err)
		require.Contains(t, string(file), s[2], s[1])
	}
	run := regexp.MustCompile("(?s)```console\n\\$ go run ./examples/(\\S+)\n(.*?)```").FindAllStringSubmatch(page, -1)
	require.Len(t, run, strings.Count(page, "```console\n"))
	require.NotEmpty(t, run)
	for _, r := range run {
		out, err := exec.Command(program(t, r[1])).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, r[2], string(out), r[1])
	}
}

// The names of packages that docs/hadoop-users.md speaks of are there.
func TestNamesForHadoopUsers(t *testing.T) {
	text, err := os.ReadFile("../docs/hadoop-users.md")
	require.NoError(t, err)
	names := regexp.MustCompile(`\b(mapreduce|actors|Job|Task|Plan|Input)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`).
		FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(names), 50)
	exported := map[string]map[string]bool{"mapreduce": namesOf(t, "../mapreduce"), "actors": namesOf(t, "../actors")}
	for _, n := range names {
		pkg, name := n[1], n[2]
		if n[3] != "" {
			name += "." + n[3]
		}
		if exported[pkg] == nil { // a field or method of a type of mapreduce
			pkg, name = "mapreduce", pkg+"."+name
		}
		require.True(t, exported[pkg][name], "%s.%s", pkg, name)
	}
}

// namesOf lists what a package declares: functions and types, and the fields and methods of types.
func namesOf(t *testing.T, dir string) map[string]bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name := n.Name.Name
				if n.Recv != nil {
					name = receiver(n.Recv.List[0].Type) + "." + name
				}
				names[name] = true
				return false
			case *ast.TypeSpec:
				names[n.Name.Name] = true
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, f := range s.Fields.List {
						for _, id := range f.Names {
							names[n.Name.Name+"."+id.Name] = true
						}
					}
				}
			}
			return true
		})
	}
	return names
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
