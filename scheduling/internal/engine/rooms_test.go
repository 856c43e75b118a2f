package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rooms lists the policies by the beginnings of their files' names. What they share (simple and
// flatOrder, greedy, anyNode) stands in files of none.
var rooms = []string{
	"order_fifo", "order_fair", "order_pools preemption", "order_capacity", "order_hfsp", "order_quincy", "delay", "reduce_cogrs",
}

// shared are names of one policy that others may use: reduces wait as maps do (Algorithm 3).
var shared = []string{"waits", "delayed"}

// roomOf is the policy that a file belongs to, or "".
func roomOf(file string) string {
	for _, room := range rooms {
		for begin := range strings.FieldsSeq(room) {
			if strings.HasPrefix(file, begin) {
				return room
			}
		}
	}
	return ""
}

// Policies know nothing of each other, nor does the Core of any: what one declares, others do not
// name. Only the constructors are named, in the tables.
func TestPoliciesKnowNothingOfEachOther(t *testing.T) {
	files := map[string]*ast.File{}
	declaredIn := map[string]string{}
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		files[name], err = parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range declared(files[name]) {
			if room := roomOf(name); room != "" && !slices.Contains(shared, d) {
				declaredIn[d] = room
			}
		}
	}
	require.Greater(t, len(declaredIn), 30)
	for name, file := range files {
		if name == "presets.go" || name == "placement.go" {
			continue // the tables
		}
		for _, used := range mentioned(file) {
			if room := declaredIn[used]; room != "" && room != roomOf(name) {
				t.Errorf("%s names %s, which belongs to %s", name, used, room)
			}
		}
	}
}

// declared lists what a file declares at the top: types, functions, constants and variables, but
// not methods, and nothing exported.
func declared(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	unexported := names[:0]
	for _, n := range names {
		if !ast.IsExported(n) {
			unexported = append(unexported, n)
		}
	}
	return unexported
}

// mentioned lists the names that stand for something declared at the top: not fields, methods, or
// names after a dot, nor what the file itself declares within functions.
func mentioned(file *ast.File) (names []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		typed := func(e ast.Expr) {
			ast.Inspect(e, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					names = append(names, id.Name)
				}
				_, dotted := n.(*ast.SelectorExpr)
				return !dotted
			})
		}
		switch n := n.(type) {
		case *ast.Field:
			typed(n.Type)
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok {
				names = append(names, id.Name)
			}
		case *ast.CompositeLit:
			if n.Type != nil {
				typed(n.Type)
			}
		case *ast.TypeAssertExpr:
			if n.Type != nil {
				typed(n.Type)
			}
		case *ast.ValueSpec:
			if n.Type != nil {
				typed(n.Type)
			}
		}
		return true
	})
	return names
}
