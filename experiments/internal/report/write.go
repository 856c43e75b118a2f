package report

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Outcome is an experiment with what came out of it.
type Outcome struct {
	Experiment
	Result *Result
}

// Write runs the experiments and writes what comes out into dir; see experiments.Write.
func Write(
	ctx context.Context, dir string, list []Experiment, o Options, log io.Writer,
) ([]Outcome, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("experiments: %w", err)
	}
	var done []Outcome
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		r, err := e.Run(ctx, o)
		if err != nil {
			return done, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		if err := writeOne(filepath.Join(dir, e.Name), e, r, o); err != nil {
			return done, fmt.Errorf("experiment %s: %w", e.Name, err)
		}
		done = append(done, Outcome{e, r})
		holds, differs := r.Counts()
		fmt.Fprintf(log, "%-24s %3d hold %3d differ   %s\n", e.Name, holds, differs, e.Title)
	}
	return done,
		writeFile(filepath.Join(dir, "report.md"),
			func(w io.Writer) error { return writeReport(w, done, o) })
}

// writeOne writes an experiment's folder: result.md, rows.csv, each table as CSV and each figure as
// SVG, PNG and CSV.
func writeOne(dir string, e Experiment, r *Result, o Options) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	err := writeFile(filepath.Join(dir, "result.md"), func(w io.Writer) error {
		return writeSection(w, Outcome{e, r}, o, "#", "")
	})
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, "rows.csv"), r.writeCSV); err != nil {
		return err
	}
	for i := range r.Tables {
		if err := writeFile(filepath.Join(dir, r.Tables[i].Name+".csv"),
			r.Tables[i].writeCSV); err != nil {
			return err
		}
	}
	for i := range r.Figures {
		f := &r.Figures[i]
		if err := f.save(dir); err != nil {
			return err
		}
		if err := writeFile(filepath.Join(dir, f.Name+".csv"), f.writeCSV); err != nil {
			return err
		}
	}
	return nil
}

// writeReport writes the page that ties all outcomes together.
func writeReport(w io.Writer, done []Outcome, o Options) error {
	fmt.Fprintf(w, "# Published figures beside ours\n\nSeed %d", o.Seed)
	if o.Quick {
		fmt.Fprint(w, ", quick versions (smaller, noisier)")
	}
	fmt.Fprint(w,
		". A row *holds* if our number lies in its band, *differs* if not; *context* rows are "+
			"not judged.\n\n")
	fmt.Fprint(w,
		"| experiment | source | rows that hold | rows that differ |\n|---|---|---|---|\n")
	for _, d := range done {
		if d.Result.Measured {
			fmt.Fprintf(w, "| [%s](%s/result.md) | %s | measured | |\n", d.Title, d.Name,
				cell(d.Source))
			continue
		}
		holds, differs := d.Result.Counts()
		fmt.Fprintf(w, "| [%s](#%s) | %s | %d | %d |\n", d.Title, d.Name, cell(d.Source), holds,
			differs)
	}
	fmt.Fprint(w,
		"\n*Measured* experiments take times of a clock, which differ from run to run; their "+
			"numbers are in their own folders.\n")
	for _, d := range done {
		if d.Result.Measured {
			continue
		}
		if err := writeSection(w, d, o, "##", d.Name+"/"); err != nil {
			return err
		}
	}
	return nil
}

// command is the command line that gives the outcome again. The folder is any, so that the same
// flags write the same bytes.
func command(name string, o Options) string {
	line := "tarry experiment " + name + " -o " + name
	if o.Quick {
		line += " --quick"
	}
	if o.Seed != 0 {
		line += fmt.Sprintf(" --seed %d", o.Seed)
	}
	if o.Repeat != 0 {
		line += fmt.Sprintf(" --repeat %d", o.Repeat)
	}
	return line
}

// writeSection writes one outcome; figures are looked for under prefix.
func writeSection(w io.Writer, d Outcome, o Options, head, prefix string) error {
	fmt.Fprintf(w, "\n<a id=\"%s\"></a>\n%s %s\n\nSource: %s. Command: `%s`.\n",
		d.Name, head, d.Title, d.Source, command(d.Name, o))
	fmt.Fprint(w,
		"\n| quantity | published | ours | difference | verdict |\n|---|---|---|---|---|\n")
	for _, r := range d.Result.Rows {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", cell(r.Quantity), cell(r.published()),
			r.show(r.Ours), r.difference(), r.verdict())
	}
	for i := range d.Result.Tables {
		if err := d.Result.Tables[i].write(w); err != nil {
			return err
		}
	}
	for _, f := range d.Result.Figures {
		fmt.Fprintf(w, "\n![%s](%s%s.svg)\n", f.Title, prefix, f.Name)
	}
	if err := list(w, "Set-up", d.Result.Setup); err != nil {
		return err
	}
	return list(w, "Notes", d.Result.Notes)
}

func list(w io.Writer, title string, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n%s:\n\n- %s\n", title, strings.Join(lines, "\n- "))
	return err
}

func (r Row) published() string {
	switch {
	case math.IsNaN(r.Published):
		return r.Claim
	case r.Claim == "":
		return r.show(r.Published)
	}
	return r.show(r.Published) + " (" + r.Claim + ")"
}

func (r Row) show(v float64) string {
	s := Number(math.Round(v*1e4) / 1e4)
	if r.Unit != "" {
		s += " " + r.Unit
	}
	return s
}

func (r Row) difference() string {
	if math.IsNaN(r.Published) {
		return ""
	}
	return r.show(r.Ours - r.Published)
}

// verdict is the verdict with the band that decided it.
func (r Row) verdict() string {
	v := string(r.Verdict())
	switch low, high := r.Band.Low, r.Band.High; {
	case math.IsNaN(low) || math.IsNaN(high):
		return v
	case math.IsInf(low, -1):
		return v + " (≤ " + Number(high) + ")"
	case math.IsInf(high, 1):
		return v + " (≥ " + Number(low) + ")"
	default:
		return v + " (" + Number(low) + " to " + Number(high) + ")"
	}
}

// cell keeps a text from ending its table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// writeCSV writes the rows: quantity, unit, published, claim, ours, verdict.
func (r *Result) writeCSV(w io.Writer) error {
	rows := [][]string{{"quantity", "unit", "published", "claim", "ours", "low", "high", "verdict"}}
	for _, x := range r.Rows {
		rows = append(rows, []string{
			x.Quantity, x.Unit, Number(x.Published), x.Claim, Number(x.Ours), Number(x.Band.Low),
			Number(x.Band.High), string(x.Verdict()),
		})
	}
	return csv.NewWriter(w).WriteAll(rows)
}

// writeFile writes a file as a whole: what cannot be finished is removed.
func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			os.Remove(name)
		}
	}()
	return write(f)
}
