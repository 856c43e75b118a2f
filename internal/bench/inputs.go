package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
