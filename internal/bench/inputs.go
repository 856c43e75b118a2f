package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
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
	Tera4 string // four times as many TeraSort records; empty unless MakeInputs makes long inputs
	// Tables are the files of joins and aggregates.
	Tables Tables
}

// MakeInputs makes the inputs of the given size in dir, generated or from real text. It keeps those
// that dir has already: file names contain size and source. realText is the file to replicate;
// empty means the sources of the Go distribution. long adds Tera4.
func MakeInputs(
	ctx context.Context, dir string, size int64, realText string, long bool, log io.Writer,
) (Inputs, error) {
	in := Inputs{
		Zipf: filepath.Join(dir, fmt.Sprintf("zipf-%d.txt", size)),
		Real: filepath.Join(dir, fmt.Sprintf("real-%s-%d.txt", sourceName(realText), size)),
		Tera: filepath.Join(dir, fmt.Sprintf("tera-%d.dat", size)),
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return in, err
	}
	errs := []error{
		generate(ctx, gen.Text, in.Zipf, size, log),
		generate(ctx, gen.Tera, in.Tera, size, log),
	}
	if long {
		in.Tera4 = filepath.Join(dir, fmt.Sprintf("tera-%d.dat", 4*size))
		errs = append(errs, generate(ctx, gen.Tera, in.Tera4, 4*size, log))
	}
	errs = append(errs, makeFile(in.Real, log, func(w io.Writer) error {
		return replicate(ctx, w, realText, size)
	}))
	tables, err := makeTables(dir, size, log)
	in.Tables = tables
	return in, errors.Join(append(errs, err)...)
}

func sourceName(realText string) string {
	if realText == "" {
		return "go"
	}
	base := filepath.Base(realText)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// generate makes a file by package gen.
func generate(ctx context.Context, kind gen.Kind, path string, size int64, log io.Writer) error {
	return makeFile(path, log, func(w io.Writer) error {
		return gen.Write(ctx, w, gen.Config{Kind: kind, Bytes: size, Seed: 1})
	})
}

// makeFile makes a file with what write writes, unless there is one. The name never refers to an
// incomplete file.
func makeFile(path string, log io.Writer, write func(w io.Writer) error) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	fmt.Fprintf(log, "making %s\n", path)
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if err := errors.Join(write(w), w.Flush(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}

// Tables are the input files of joins and aggregates: a row per line, with columns separated by
// tabs.
type Tables struct {
	Sales  string // a group (one of 1,000), an item (one of 10,000), an amount below a million
	Orders string // a fifth as many rows as Sales: a user, an amount
	Users  string // a tenth as many rows as Orders: a user, each once, in random order, and a city
}

// makeTables writes the tables to dir, except those that exist.
func makeTables(dir string, size int64, log io.Writer) (Tables, error) {
	rows := int(size / 21) // that take about size bytes
	users := max(rows/50, 1)
	t := Tables{
		Sales:  filepath.Join(dir, fmt.Sprintf("sales-%d.tsv", rows)),
		Orders: filepath.Join(dir, fmt.Sprintf("orders-%d.tsv", rows/5)),
		Users:  filepath.Join(dir, fmt.Sprintf("users-%d.tsv", users)),
	}
	names := rand.New(rand.NewPCG(1, 0)).Perm(2 * users) // user numbers: half of them occur
	errs := []error{
		makeTable(t.Sales, rows, log, func(w io.Writer, rng *rand.Rand, _ int) {
			fmt.Fprintf(w, "g%d\t%d\t%d\n", rng.IntN(1000), rng.IntN(10_000), rng.IntN(1_000_000))
		}),
		makeTable(t.Orders, rows/5, log, func(w io.Writer, rng *rand.Rand, _ int) {
			fmt.Fprintf(w, "%d\t%d\n", rng.IntN(2*users), rng.IntN(1_000_000))
		}),
		makeTable(t.Users, users, log, func(w io.Writer, rng *rand.Rand, i int) {
			fmt.Fprintf(w, "%d\tcity%d\n", names[i], rng.IntN(5000))
		}),
	}
	return t, errors.Join(errs...)
}

// makeTable makes a file of rows, each of which row writes, unless there is one.
func makeTable(path string, rows int, log io.Writer, row func(w io.Writer, rng *rand.Rand, i int)) error {
	return makeFile(path, log, func(w io.Writer) error {
		rng := rand.New(rand.NewPCG(1, uint64(rows)))
		for i := range rows {
			row(w, rng, i)
		}
		return nil // makeFile's Flush returns the first error of w
	})
}

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
