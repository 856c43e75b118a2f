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

// Outcome is an experiment with its result.
type Outcome struct {
	Experiment
	Result *Result
}

// file is an output file, by name and content.
type file struct {
	name    string
	content []byte
}

// Write runs the experiments one after another and writes the results into dir. It creates dir if
// needed and replaces files of the same names. It writes a line for each experiment to log, and
// returns the outcomes. The first failure ends the run; the error has the experiment's name.
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

// files returns the files of an experiment's folder: result.md, rows.csv, each table as CSV and
// each figure as SVG and CSV.
func (d Outcome) files(o Options) ([]file, error) {
	result, err := resultOf(d, o)
	if err != nil {
		return nil, err
	}
	list := []file{{"result.md", result}, csvFile("rows", d.Result.csv())}
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

// csvFile returns the file name.csv with these lines.
func csvFile(name string, lines [][]string) file {
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(lines) // a buffer takes everything
	return file{name + ".csv", b.Bytes()}
}

// save writes files into a folder and creates it if needed. It removes a file that it cannot
// finish.
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
