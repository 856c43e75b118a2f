package bench

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// replicate writes size bytes of text: the file realText, or all Go sources of the distribution in
// order of their names, again and again, cut at the end and closed by a newline. From the second
// time on letters are misspelled.
func replicate(ctx context.Context, out io.Writer, realText string, size int64) (err error) {
	sources := []string{realText}
	if realText == "" {
		if sources, err = goSources(ctx); err != nil {
			return err
		}
	}
	wrong := newMisspeller(out)
	for left, w := size-1, out; left > 0; w = wrong {
		before := left
		for _, source := range sources {
			n, err := appendFile(w, source, left)
			if err != nil {
				return err
			}
			left -= n
		}
		if left == before {
			return fmt.Errorf("bench: no text in %s", strings.Join(sources, ", "))
		}
	}
	_, err = io.WriteString(out, "\n")
	return err
}

// appendFile copies at most limit bytes of the named file to w.
func appendFile(w io.Writer, name string, limit int64) (int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(w, io.LimitReader(f, limit))
}

// goSources returns the names of the Go files of the distribution.
func goSources(ctx context.Context) ([]string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("bench: go env GOROOT: %w", err)
	}
	var names []string
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"),
		func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".go" {
				names = append(names, path)
			}
			return err
		})
	return names, err
}

// misspellEvery is the mean distance in bytes of the letters that a misspeller changes.
const misspellEvery = 1400

// misspeller copies text with a letter changed here and there, always the same ones. Text repeated
// as it is would have no more words at 1 GiB than at 100 MB; a vocabulary that keeps growing is
// what makes counting words hard.
type misspeller struct {
	to   io.Writer
	rng  *rand.Rand
	skip int // bytes before the next change
	text []byte
}

func newMisspeller(to io.Writer) *misspeller {
	return &misspeller{to: to, rng: rand.New(rand.NewPCG(1, misspellEvery))}
}

// Write writes p with its changes; p itself stays as it is.
func (m *misspeller) Write(p []byte) (int, error) {
	m.text = append(m.text[:0], p...)
	for ; m.skip < len(p); m.skip += 1 + m.rng.IntN(2*misspellEvery) {
		if c := m.text[m.skip] | 0x20; c >= 'a' && c <= 'z' {
			m.text[m.skip] = 'a' + byte(m.rng.IntN(26))
		}
	}
	m.skip -= len(p)
	return m.to.Write(m.text)
}
