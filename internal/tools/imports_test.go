// Package tools has tools for developing Tarry, and tests of its imports, documents and comments.
package tools

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/tarry-mr/tarry/"

// pkg is a package as `go list` describes it: what its files import, and those of its tests.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// row is a line of a table of allowed imports.
type row struct {
	line         string
	of           []string // the packages that the line is about, or a library
	imports      []string
	testsImports []string
	used         map[string]bool
}

// packages returns the packages of the module with their imports, once for each of four systems.
func packages(t *testing.T) []pkg {
	var all []pkg
	for _, system := range []string{"linux/amd64", "darwin/arm64", "windows/amd64", "js/wasm"} {
		os, arch, _ := strings.Cut(system, "/")
		cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports", module+"...")
		cmd.Env = append(cmd.Environ(), "GOOS="+os, "GOARCH="+arch)
		out, err := cmd.Output()
		require.NoError(t, err)
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p pkg
			err := d.Decode(&p)
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			all = append(all, p)
		}
	}
	return all
}

// table returns the lines of a page's table whose first line is header. From up to three columns it
// reads the names in back quotes.
func table(t *testing.T, page, header string, columns ...int) []*row {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), "\n"+header+"\n")
	require.True(t, found, "%s has no line %q", page, header)
	quoted := regexp.MustCompile("`([^`]+)`")
	var rows []*row
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if strings.HasPrefix(cells[0], "---") {
			continue
		}
		names := make([][]string, 3)
		for i, c := range columns {
			for _, m := range quoted.FindAllStringSubmatch(cells[c], -1) {
				names[i] = append(names[i], m[1])
			}
		}
		rows = append(rows, &row{strings.TrimSpace(cells[0]), names[0], names[1], names[2], map[string]bool{}})
	}
	require.NotEmpty(t, rows)
	return rows
}

// match returns the name that covers the package path: path itself, or `X/...` for it or one below
// X.
func match(names []string, path string) string {
	for _, n := range names {
		above, all := strings.CutSuffix(n, "/...")
		if n == path || all && (path == above || strings.HasPrefix(path, above+"/")) {
			return n
		}
	}
	return ""
}

// Each package imports exactly the packages of this module that the table of imports.md allows.
func TestImports(t *testing.T) {
	rows := table(t, "imports.md", "| package | may import | its tests, too |", 0, 1, 2)
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		var of *row
		for _, r := range rows {
			if name := match(r.of, path); name != "" {
				require.Nil(t, of, "%s has two rows in internal/tools/imports.md", path)
				of = r
				r.used[name] = true
			}
		}
		require.NotNil(t, of, "%s has no row in internal/tools/imports.md", path)
		check := func(imports, allowed []string, whose string) {
			for _, imported := range imports {
				imported, ours := strings.CutPrefix(imported, module)
				if !ours || imported == path {
					continue
				}
				name := match(allowed, imported)
				require.NotEmpty(t, name, "%s%s imports %s; internal/tools/imports.md allows it %v", path, whose, imported, allowed)
				of.used[name] = true
			}
		}
		check(p.Imports, of.imports, "")
		both := slices.Concat(of.imports, of.testsImports)
		check(p.TestImports, both, "'s test")
		check(p.XTestImports, both, "'s test")
	}
	for _, r := range rows {
		for _, names := range [][]string{r.of, r.imports, r.testsImports} {
			for _, name := range names {
				require.True(t, r.used[name], "internal/tools/imports.md, %s: nothing needs %s any more", r.line, name)
			}
		}
	}
}

// Each module that go.mod requires has a line in docs/decisions/0001-dependencies.md, and only the
// packages in that line import it.
func TestLibraries(t *testing.T) {
	rows := table(t, "../../docs/decisions/0001-dependencies.md", "| module | for | why this one | imported by |", 0, 3)
	mod, err := exec.Command("go", "mod", "edit", "-json").Output()
	require.NoError(t, err)
	var required struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	require.NoError(t, json.Unmarshal(mod, &required))
	list := packages(t)
	for _, m := range required.Require {
		if m.Indirect {
			continue
		}
		at := slices.IndexFunc(rows, func(r *row) bool { return r.of[0] == m.Path })
		require.GreaterOrEqual(t, at, 0, "%s has no line in docs/decisions/0001-dependencies.md", m.Path)
		of := rows[at]
		of.used[m.Path] = true
		for _, p := range list {
			for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
				if imported != m.Path && !strings.HasPrefix(imported, m.Path+"/") {
					continue
				}
				name := match(of.imports, strings.TrimPrefix(p.ImportPath, module))
				if name == "" && !slices.Contains(p.Imports, imported) {
					name = match(of.imports, "tests")
				}
				require.NotEmpty(t, name, "%s imports %s, which is for %v alone", p.ImportPath, imported, of.imports)
				of.used[name] = true
			}
		}
	}
	for _, r := range rows {
		for _, name := range slices.Concat(r.of, r.imports) {
			require.True(t, r.used[name], "docs/decisions/0001-dependencies.md, %s: nothing needs %s any more", r.line, name)
		}
	}
}
