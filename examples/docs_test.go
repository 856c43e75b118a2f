package examples

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each piece of Go in the docs names a tested Go file that has the same lines in the same order;
// other lines may be between them. Three pages have stricter tests of their own.
func TestSnippetsAreOfTestedCode(t *testing.T) {
	pages, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	found := 0
	for _, name := range append(pages, "../README.md") {
		if slices.Contains([]string{"README.md", "schedulers.md", "configuration.md"}, filepath.Base(name)) {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		shown := regexp.MustCompile("(?s)<!-- (\\S+\\.go) -->\n```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		require.Len(t, shown, strings.Count(string(text), "```go\n"), "%s: each piece names its file", name)
		for _, s := range shown {
			code, err := os.ReadFile(filepath.Join("..", s[1]))
			require.NoError(t, err, name)
			rest := strings.Split(string(code), "\n")
			for line := range strings.Lines(s[2]) {
				at := slices.IndexFunc(rest, func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(line) })
				require.GreaterOrEqual(t, at, 0, "%s: %s does not have, there: %s", name, s[1], line)
				rest, found = rest[at+1:], found+1
			}
		}
	}
	require.Greater(t, found, 30)
}

// The tutorial, the first half of docs/jobs.md, shows the code of the programs that it names, and
// their exact output.
func TestTutorial(t *testing.T) {
	text, err := os.ReadFile("../docs/jobs.md")
	require.NoError(t, err)
	page, _, found := strings.Cut(string(text), "\n## What a run guarantees\n")
	require.True(t, found)
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

// Each Go name in docs/jobs.md, such as mapreduce.Job, is declared in the package that it names.
func TestNamesForHadoopUsers(t *testing.T) {
	text, err := os.ReadFile("../docs/jobs.md")
	require.NoError(t, err)
	names := regexp.MustCompile(`\b(mapreduce|actors|Job|Task|Plan|Input)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`).
		FindAllStringSubmatch(string(text), -1)
	require.Greater(t, len(names), 50)
	exported := map[string]map[string]bool{
		"mapreduce": namesOf(t, "../mapreduce"), "actors": namesOf(t, "../actors"), "cluster": namesOf(t, "../mapreduce/cluster"),
	}
	for _, n := range names {
		pkg, name := n[1], n[2]
		if n[3] != "" {
			name += "." + n[3]
		}
		switch {
		case pkg == "Plan": // Plan is also a type of package cluster
			pkg, name = "cluster", pkg+"."+name
		case exported[pkg] == nil: // it starts with a type of package mapreduce
			pkg, name = "mapreduce", pkg+"."+name
		}
		require.True(t, exported[pkg][name], "%s.%s", pkg, name)
	}
}

// namesOf returns the names that a package declares: functions, types, variables, fields, methods.
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
			case *ast.ValueSpec:
				for _, id := range n.Names {
					names[id.Name] = true
				}
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

// receiver returns the type name in a method's receiver, such as Job for *Job[K].
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
