package study

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Outcome is an experiment with what came out of it.
type Outcome struct {
	Experiment
	Result *Result
}

// file is one of those that are written.
type file struct {
	name    string
	content []byte
}

// Write runs the experiments one after the other and writes everything into dir, which is made if
// it is missing; files of the same names are replaced. The progress line of each goes to log. It
// returns the outcomes; an experiment that fails ends the run with its name in the error.
func Write(
	ctx context.Context, dir string, list []Experiment, o Options, log io.Writer,
) ([]Outcome, error) {
	if err := save(dir, nil); err != nil {
		return nil, fmt.Errorf("experiments: %w", err)
	}
	var done []Outcome
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		r, err := e.Run(ctx, o)
		var files []file
		if err == nil {
			files, err = Outcome{e, r}.files(o)
		}
		if err == nil {
			err = save(filepath.Join(dir, e.Name), files)
		}
		if err != nil {
			return done, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		done = append(done, Outcome{e, r})
		fmt.Fprintf(log, "%-16s %v\n", e.Name, r.Counts())
	}
	page, err := pageOf(done, o)
	if err == nil {
		err = save(dir, []file{{"report.html", page}})
	}
	return done, err
}

// files are those of an experiment's folder: result.md, rows.csv, each table as CSV and each figure
// as SVG and CSV.
func (d Outcome) files(o Options) ([]file, error) {
	list := []file{{"result.md", resultOf(d, o)}, csvFile("rows", d.Result.csv())}
	for _, t := range d.Result.Tables {
		list = append(list, csvFile(t.Name, t.csv()))
	}
	for _, f := range d.Result.Figures {
		picture, err := f.svg()
		if err != nil {
			return nil, err
		}
		list = append(list, file{f.Name + ".svg", picture}, csvFile(f.Name, f.csv()))
	}
	return list, nil
}

// csvFile is a file of lines.
func csvFile(name string, lines [][]string) file {
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(lines) // a buffer takes everything
	return file{name + ".csv", b.Bytes()}
}

// save writes files into a folder, which is made if it is missing. One that cannot be finished is
// removed.
func save(dir string, files []file) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(dir, f.name)
		if err := os.WriteFile(name, f.content, 0o666); err != nil {
			os.Remove(name)
			return err
		}
	}
	return nil
}
