package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// finding is a row of an experiment's result, read from rows.csv: a quantity and its verdict.
type finding struct {
	quantity, kind, verdict string
	ours, low, high         float64
}

// counted reports whether the row has a verdict; rows of kind context have none.
func (f *finding) counted() bool { return f.kind != "context" }

// notices reports whether a row of the sound program notices a fault; with is the same row of the
// faulty program. A row with the verdict "holds" notices it if with has another verdict. Other rows
// notice it if the value of with is outside of their interval, low to high. Without an interval a
// row notices nothing.
func (f *finding) notices(with *finding) bool {
	if f.verdict == "holds" {
		return with.verdict != "holds"
	}
	return with.ours < f.low || with.ours > f.high
}

// readFindings returns the rows in an experiment's rows.csv, or none if the file does not exist.
func readFindings(file string) (list []finding, err error) {
	in, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines, err := csv.NewReader(in).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	for _, line := range lines[1:] {
		at := func(name string) string { return line[column[name]] }
		f := finding{quantity: at("quantity"), kind: at("kind"), verdict: at("verdict")}
		for name, to := range map[string]*float64{"ours": &f.ours, "low": &f.low, "high": &f.high} {
			if *to, err = strconv.ParseFloat(at(name), 64); err != nil {
				return nil, fmt.Errorf("%s: %s of %q: %w", file, name, f.quantity, err)
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// crosses is a table with a line for each row of the experiments and a column for each fault. It
// has a cross where the row notices the fault.
type crosses struct {
	flaws []flaw
	rows  []tableRow
}

// tableRow is a row of the sound program with the faults that it notices, by number from 1.
type tableRow struct {
	experiment string
	finding
	noticed []int
}

// table returns the table of these faults and of the named experiments, from the results in c.dir.
func (c *contest) table(list []flaw, names []string) (*crosses, error) {
	t := &crosses{flaws: list}
	for _, name := range names {
		sound, err := readFindings(c.rows(&flaw{Name: soundName}, name))
		if err != nil {
			return nil, err
		}
		first := len(t.rows)
		for _, f := range sound {
			if f.counted() {
				t.rows = append(t.rows, tableRow{experiment: name, finding: f})
			}
		}
		for i := range list {
			with, err := readFindings(c.rows(&list[i], name))
			if err != nil {
				return nil, err
			}
			addCrosses(t.rows[first:], with, i+1)
		}
	}
	return t, nil
}

// addCrosses adds the number of a fault to the rows of an experiment that notice it. with are the
// rows of the program with that fault.
func addCrosses(rows []tableRow, with []finding, number int) {
	faulty := map[string]*finding{} // by quantity
	for i := range with {
		faulty[with[i].quantity] = &with[i]
	}
	for i := range rows {
		if f := faulty[rows[i].quantity]; f != nil && rows[i].notices(f) {
			rows[i].noticed = append(rows[i].noticed, number)
		}
	}
}

// withoutCross returns the rows that notice no fault.
func (t *crosses) withoutCross() (list []tableRow) {
	for _, r := range t.rows {
		if len(r.noticed) == 0 {
			list = append(list, r)
		}
	}
	return list
}

// summary returns a text with the number of rows that notice a fault, by kind, and the other rows.
func (t *crosses) summary() string {
	var b strings.Builder
	total, noticed := map[string]int{}, map[string]int{}
	for _, r := range t.rows {
		for _, kind := range []string{r.kind, ""} {
			total[kind]++
			if len(r.noticed) > 0 {
				noticed[kind]++
			}
		}
	}
	fmt.Fprintf(&b, "%d of %d rows notice a fault:", noticed[""], total[""])
	for i, kind := range []string{"printed", "said", "formula", "own"} {
		fmt.Fprintf(&b, "%s %s %d of %d", []string{"", ","}[min(i, 1)], kind, noticed[kind], total[kind])
	}
	b.WriteString(".\n")
	for _, r := range t.withoutCross() {
		fmt.Fprintf(&b, "NOTHING   %s: %s (%s, %s)\n", r.experiment, r.quantity, r.kind, r.verdict)
	}
	return b.String()
}

// write writes the table to name.md, with its summary, and to name.csv.
func (t *crosses) write(name string) error {
	var b strings.Builder
	fmt.Fprint(&b, "# Which row of the experiments notices which fault\n\nMade by `make mutants ARGS='-experiments out/faults -keep'`; "+
		"[docs/experiments.md](../docs/experiments.md) says how.\n\n")
	first, _, _ := strings.Cut(t.summary(), "\n")
	fmt.Fprintf(&b, "%s\n\n| | fault | rows that notice it |\n|---|---|---|\n", first)
	for i, f := range t.flaws {
		fmt.Fprintf(&b, "| %d | %s | %d |\n", i+1, f.Name, t.count(i+1))
	}
	last := ""
	for _, r := range t.rows {
		if r.experiment != last {
			last = r.experiment
			fmt.Fprintf(&b, "\n## %s\n\n| row | kind | without a fault | notices |\n|---|---|---|---|\n", last)
		}
		numbers := strings.Trim(fmt.Sprint(r.noticed), "[]")
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.ReplaceAll(r.quantity, "|", "\\|"), r.kind, r.verdict, numbers)
	}
	err := os.WriteFile(name+".md", []byte(b.String()), 0o666)
	return errors.Join(err, t.writeCSV(name+".csv"))
}

// count returns the number of rows that notice the fault with this number.
func (t *crosses) count(number int) (n int) {
	for _, r := range t.rows {
		for _, x := range r.noticed {
			if x == number {
				n++
			}
		}
	}
	return n
}

// writeCSV writes a line for each row and a column for each fault, with x where the row notices it.
func (t *crosses) writeCSV(name string) (err error) {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	head := []string{"experiment", "row", "kind", "verdict"}
	for _, f := range t.flaws {
		head = append(head, f.Name)
	}
	lines := [][]string{head}
	for _, r := range t.rows {
		line := append([]string{r.experiment, r.quantity, r.kind, r.verdict}, make([]string, len(t.flaws))...)
		for _, x := range r.noticed {
			line[3+x] = "x"
		}
		lines = append(lines, line)
	}
	return csv.NewWriter(out).WriteAll(lines)
}
