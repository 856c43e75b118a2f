package study

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
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
		fmt.Fprintf(log, "%-16s %v\n", e.Name, r.Counts())
	}
	err := writeFile(filepath.Join(dir, "report.md"),
		func(w io.Writer) error { return writeReport(w, done, o) })
	if err == nil {
		err = writeFile(filepath.Join(dir, "report.html"),
			func(w io.Writer) error { return writePage(w, done, o) })
	}
	return done, err
}

// writeOne writes an experiment's folder: result.md, rows.csv, each table as CSV and each figure as
// SVG and CSV.
func writeOne(dir string, e Experiment, r *Result, o Options) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	err := writeFile(filepath.Join(dir, "result.md"), func(w io.Writer) error {
		if o.Quick {
			fmt.Fprint(w, quick)
		}
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
		picture, err := f.svg()
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name+".svg"), picture, 0o666)
		}
		if err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		if err := writeFile(filepath.Join(dir, f.Name+".csv"), f.writeCSV); err != nil {
			return err
		}
	}
	return nil
}

// quick is the first line of what a quick run writes.
const quick = "**Quick run**: smaller versions with few seeds, so that most rows cannot be told. " +
	"Figures to be cited come from a full run.\n\n"

// writeReport writes the page that ties all outcomes together.
func writeReport(w io.Writer, done []Outcome, o Options) error {
	if o.Quick {
		fmt.Fprint(w, quick)
	}
	var all Counts
	for _, d := range done {
		if !d.Result.Measured {
			all.Add(d.Result.Counts())
		}
	}
	fmt.Fprintf(w, "# Published figures beside ours\n\nSeed %d. %v.\n\n", o.Seed, all)
	fmt.Fprint(w, "*Printed* is a number of a paper, *said* a claim in its words; these two are "+
		"what is published. *Formula* follows from a text, *own* is a question of ours. A row "+
		"*holds* if the whole 95 % interval of ours lies where it should, *differs* if none of "+
		"it does; else we *cannot tell*. Columns count holds / differs / cannot tell.\n\n")
	fmt.Fprint(w, "| experiment | source | printed | said | formula | own |\n"+
		"|---|---|---|---|---|---|\n")
	for _, d := range done {
		if d.Result.Measured {
			fmt.Fprintf(w, "| [%s](%s/result.md) | %s | measured | | | |\n", d.Title, d.Name,
				cell(d.Source))
			continue
		}
		c := d.Result.Counts()
		fmt.Fprintf(w, "| [%s](#%s) | %s | %s | %s | %s | %s |\n", d.Title, d.Name,
			cell(d.Source), c.Cell(Printed), c.Cell(Said), c.Cell(Formula), c.Cell(Own))
	}
	fmt.Fprint(w,
		"\n*Measured* experiments take times of a clock, which differ from run to run; their "+
			"numbers are in their own folders and are not counted here.\n")
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
	if o.NoTables {
		line += " --no-tables"
	}
	return line
}

// writeSection writes one outcome; figures are looked for under prefix.
func writeSection(w io.Writer, d Outcome, o Options, head, prefix string) error {
	fmt.Fprintf(w, "\n<a id=\"%s\"></a>\n%s %s\n\nSource: %s. Command: `%s`.\n",
		d.Name, head, d.Title, d.Source, command(d.Name, o))
	if err := list(w, "Found", d.Result.Findings); err != nil {
		return err
	}
	var rows [][]string
	for _, r := range d.Result.Rows {
		rows = append(rows, r.cells())
	}
	fmt.Fprintln(w)
	writeTable(w, rowHead, rows)
	for i := range d.Result.Tables {
		t := &d.Result.Tables[i]
		fmt.Fprintf(w, "\n%s:\n\n", t.Title)
		writeTable(w, t.Columns, t.cells())
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

// interval is the interval of ours, a dash if there is none.
func (r Row) interval() string {
	low, high := r.Ours.Interval()
	switch {
	case r.Ours.Sure:
		return ""
	case math.IsNaN(low):
		return "–"
	}
	return r.show(low) + " to " + r.show(high)
}

// seeds is how many seeds ours is of, a dash for what has no chance in it.
func (r Row) seeds() string {
	if r.Ours.Sure {
		return "–"
	}
	return strconv.Itoa(len(r.Ours.Values))
}

// verdict is the verdict with the bounds that decided it.
func (r Row) verdict() string {
	low, high, from, to := r.Bounds.Low, r.Bounds.High, "≥ ", "≤ "
	if r.Bounds.Strict {
		from, to = "> ", "< "
	}
	switch v := r.Verdict().String(); {
	case r.Kind == Context:
		return ""
	case math.IsInf(low, -1):
		return v + " (" + to + Number(high) + ")"
	case math.IsInf(high, 1):
		return v + " (" + from + Number(low) + ")"
	default:
		return v + " (" + Number(low) + " to " + Number(high) + ")"
	}
}

// rowHead heads the cells of rows.
var rowHead = []string{"quantity", "kind", "published", "ours", "95 % interval", "seeds", "verdict"}

// cells are the row as texts.
func (r Row) cells() []string {
	return []string{
		r.Quantity, r.Kind.String(), r.published(), r.show(r.Ours.Mean()), r.interval(), r.seeds(), r.verdict(),
	}
}

// writeTable writes a table as Markdown.
func writeTable(w io.Writer, head []string, lines [][]string) {
	line := func(cells []string) {
		fmt.Fprint(w, "|")
		for _, text := range cells {
			fmt.Fprintf(w, " %s |", cell(text))
		}
		fmt.Fprintln(w)
	}
	line(head)
	fmt.Fprintf(w, "|%s\n", strings.Repeat("---|", len(head)))
	for _, l := range lines {
		line(l)
	}
}

// cell keeps a text from ending its table cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// writeCSV writes the rows: low and high are the interval of ours, from and to where a row holds;
// seeds are 0 for what has no chance in it.
func (r *Result) writeCSV(w io.Writer) error {
	rows := [][]string{{
		"quantity", "unit", "kind", "published", "claim", "ours", "low", "high", "seeds", "from",
		"to", "verdict",
	}}
	for _, x := range r.Rows {
		low, high := x.Ours.Interval()
		seeds := len(x.Ours.Values)
		if x.Ours.Sure {
			seeds = 0
		}
		rows = append(rows, []string{
			x.Quantity, x.Unit, x.Kind.String(), Number(x.Published), x.Claim,
			Number(x.Ours.Mean()), Number(low), Number(high), strconv.Itoa(seeds),
			Number(x.Bounds.Low), Number(x.Bounds.High), x.Verdict().String(),
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
