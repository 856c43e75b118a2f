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
		var files map[string][]byte
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
		err = save(dir, map[string][]byte{"report.html": page})
	}
	return done, err
}

// files returns the files of an experiment's folder: result.md, rows.csv, each table as CSV and
// each figure as SVG and CSV.
func (d Outcome) files(o Options) (map[string][]byte, error) {
	result, err := resultOf(d, o)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"result.md": result, "rows.csv": textOf(d.Result.csv())}
	for _, t := range d.Result.Tables {
		files[t.Name+".csv"] = textOf(t.csv())
	}
	for _, f := range d.Result.Figures {
		files[f.Name+".csv"] = textOf(f.csv())
		if files[f.Name+".svg"], err = f.svg(); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// textOf returns lines as CSV.
func textOf(lines [][]string) []byte {
	var b bytes.Buffer
	_ = csv.NewWriter(&b).WriteAll(lines) // a buffer takes everything
	return b.Bytes()
}

// save writes files, by name, into a folder and creates it if needed. It removes a file that it
// cannot finish.
func save(dir string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			os.Remove(path)
			return err
		}
	}
	return nil
}
