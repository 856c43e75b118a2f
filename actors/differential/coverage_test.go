//go:build !race

package differential

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the prefix of file names in a coverage profile.
const module = "github.com/tarry-mr/tarry/"

// place is a function of the engine or, if text is not empty, its first line that contains text.
type place struct{ file, function, text string }

// placeOf parses a place such as "combine/batch.go probe: i, end", which is a file, a function and
// perhaps text. The file is below mapreduce/internal, mapreduce or the module.
func placeOf(s string) (p place) {
	s, p.text, _ = strings.Cut(s, ": ")
	p.file, p.function, _ = strings.Cut(s, " ")
	for _, dir := range []string{"mapreduce/internal/", "mapreduce/", ""} {
		if _, err := os.Stat(filepath.Join("../..", dir, p.file)); err == nil {
			p.file = dir + p.file
			return p
		}
	}
	return p
}

// lines returns the source lines of the place: those of the function's body, or one.
func (p place) lines() (from, to int, err error) {
	name := filepath.Join("../..", p.file)
	source, err := os.ReadFile(name)
	if err != nil {
		return 0, 0, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return 0, 0, err
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != p.function || f.Body == nil {
			continue
		}
		from, to = set.Position(f.Body.Lbrace).Line, set.Position(f.Body.Rbrace).Line
		if p.text == "" {
			return from, to, nil
		}
		for i, line := range strings.Split(string(source), "\n")[from-1 : to] {
			if strings.Contains(line, p.text) {
				return from + i, from + i, nil
			}
		}
		return 0, 0, fmt.Errorf("%s: %s has no line with %q: name the path by its new text", p.file, p.function, p.text)
	}
	return 0, 0, fmt.Errorf("%s has no function %s: name the path by its new place, or remove it", p.file, p.function)
}

// block is a range of lines with one entry in the coverage profile.
type block struct{ from, to int }

// alone is the environment variable that makes a child process run only one case of TestPaths.
const alone = "TARRY_PATH"

// executed runs a case of TestPaths in its own process and returns the executed blocks by file. The
// coverage of this process would include other cases.
func executed(t *testing.T, name string) map[string][]block {
	profile := filepath.Join(t.TempDir(), "profile")
	child := exec.Command(os.Args[0], "-test.run=^TestPaths$", "-test.coverprofile="+profile)
	child.Env = append(os.Environ(), alone+"="+name)
	out, err := child.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile(profile)
	require.NoError(t, err)
	blocks := map[string][]block{}
	for line := range strings.Lines(string(text)) {
		name, rest, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, module)), ":")
		span := strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == '.' || r == ' ' })
		if !ok || len(span) != 6 {
			continue
		}
		n := make([]int, len(span))
		for i := range span {
			n[i], err = strconv.Atoi(span[i])
			require.NoError(t, err)
		}
		if n[5] > 0 {
			blocks[name] = append(blocks[name], block{n[0], n[2]})
		}
	}
	return blocks
}

// taken returns an error unless the place was executed.
func (p place) taken(blocks map[string][]block) error {
	from, to, err := p.lines()
	if err != nil {
		return err
	}
	for _, b := range blocks[p.file] {
		if p.text == "" && b.from >= from && b.to <= to || p.text != "" && b.from <= from && b.to >= to {
			return nil
		}
	}
	if p.text != "" {
		return fmt.Errorf("%s:%d: %s was not executed: %s", p.file, from, p.function, p.text)
	}
	return fmt.Errorf("%s:%d: %s was not entered", p.file, from, p.function)
}
