package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tarry-mr/tarry/internal/gen"
)

// Inputs are the files that the contests read.
type Inputs struct {
	Zipf  string // text of a Zipf vocabulary
	Real  string // real text
	Tera  string // TeraSort records
	Tera4 string // four times as many; empty unless asked for
	Small string // a few lines of text, whatever the size asked for
}

// smallSize is the size of Inputs.Small.
const smallSize = 4 << 10

// MakeInputs makes the inputs of the given size in dir, generated or from real text, and leaves those alone
// that are there already: the name tells size and source. realText is the file to replicate; empty means the
// Go distribution's sources.
func MakeInputs(ctx context.Context, dir string, size int64, realText string, long bool, log io.Writer) (Inputs, error) {
	in := Inputs{
		Zipf: filepath.Join(dir, fmt.Sprintf("zipf-%d.txt", size)),
		Real: filepath.Join(dir, fmt.Sprintf("real-%s-%d.txt", sourceName(realText), size)),
		Tera: filepath.Join(dir, fmt.Sprintf("tera-%d.dat", size)),

		Small: filepath.Join(dir, fmt.Sprintf("zipf-%d.txt", smallSize)),
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return in, err
	}
	errs := []error{
		generate(ctx, gen.Text, in.Zipf, size, log),
		generate(ctx, gen.Text, in.Small, smallSize, log),
		generate(ctx, gen.Tera, in.Tera, size, log),
	}
	if long {
		in.Tera4 = filepath.Join(dir, fmt.Sprintf("tera-%d.dat", 4*size))
		errs = append(errs, generate(ctx, gen.Tera, in.Tera4, 4*size, log))
	}
	if _, err := os.Stat(in.Real); err != nil {
		fmt.Fprintf(log, "making %s\n", in.Real)
		errs = append(errs, replicate(ctx, in.Real, realText, size))
	}
	return in, errors.Join(errs...)
}

func sourceName(realText string) string {
	if realText == "" {
		return "go"
	}
	base := filepath.Base(realText)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

func generate(ctx context.Context, kind gen.Kind, path string, size int64, log io.Writer) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	fmt.Fprintf(log, "making %s\n", path)
	return gen.WriteFile(ctx, path, gen.Config{Kind: kind, Bytes: size, Seed: 1}, false)
}

// replicate writes size bytes of text to path: the file realText, or all Go sources of the distribution in
// order of their names, again and again, cut at the end and closed by a newline.
func replicate(ctx context.Context, path, realText string, size int64) (err error) {
	sources := []string{realText}
	if realText == "" {
		if sources, err = goSources(ctx); err != nil {
			return err
		}
	}
	half := path + ".half"
	f, err := os.Create(half)
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		if err != nil {
			os.Remove(half)
		}
	}()
	for left := size - 1; left > 0; {
		before := left
		for _, source := range sources {
			n, err := appendFile(f, source, left)
			if err != nil {
				return err
			}
			left -= n
		}
		if left == before {
			return fmt.Errorf("bench: no text in %s", strings.Join(sources, ", "))
		}
	}
	if _, err := f.WriteString("\n"); err != nil {
		return err
	}
	return os.Rename(half, path)
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
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".go" {
			names = append(names, path)
		}
		return err
	})
	return names, err
}
