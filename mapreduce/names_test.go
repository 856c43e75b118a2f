package mapreduce_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each exported name of the package is used by an example: in a godoc example or in examples/. For
// a type its constructor may be.
func TestNamesHaveExamples(t *testing.T) {
	var examples strings.Builder
	for _, pattern := range []string{"example*_test.go", "*/example*_test.go", "../actors/example*_test.go", "../examples/*/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			examples.Write(text)
		}
	}
	used := func(name, before string) {
		if !regexp.MustCompile(before + name + `\b`).MatchString(examples.String()) {
			t.Errorf("no example uses %s", name)
		}
	}
	receiver := regexp.MustCompile(`^\*?[A-Z]`) // of an exported type
	const ofPackage = `\b(mr|mapreduce)\.(New)?`
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				switch {
				case !d.Name.IsExported():
				case d.Recv == nil:
					used(d.Name.Name, ofPackage)
				case receiver.MatchString(types.ExprString(d.Recv.List[0].Type)):
					used(d.Name.Name, `\.`)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() {
							used(s.Name.Name, ofPackage)
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							if n.IsExported() {
								used(n.Name, ofPackage)
							}
						}
					}
				}
			}
		}
	}
}
