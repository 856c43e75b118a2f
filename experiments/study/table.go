package study

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// Table is numbers that no row is judged by, side by side: mostly how a result moves with a choice
// that the paper leaves open.
type Table struct {
	Name    string // file name without extension
	Title   string
	Columns []string // the first heads the labels
	Lines   []Line
}

// Line is a line of a Table.
type Line struct {
	Label  string
	Values []float64 // one for each column but the first; NaN is shown as a dash
}

// Add appends a line.
func (t *Table) Add(label string, values ...float64) {
	t.Lines = append(t.Lines, Line{label, values})
}

// write writes the table as Markdown.
func (t *Table) write(w io.Writer) error {
	head := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = cell(c)
	}
	fmt.Fprintf(w, "\n%s:\n\n| %s |\n|%s\n", t.Title, strings.Join(head, " | "),
		strings.Repeat("---|", len(head)))
	for _, l := range t.Lines {
		fmt.Fprintf(w, "| %s |", cell(l.Label))
		for _, v := range l.Values {
			fmt.Fprintf(w, " %s |", tableNumber(v))
		}
		fmt.Fprintln(w)
	}
	return nil
}

// writeCSV writes the table, heads first.
func (t *Table) writeCSV(w io.Writer) error {
	rows := [][]string{t.Columns}
	for _, l := range t.Lines {
		row := []string{l.Label}
		for _, v := range l.Values {
			row = append(row, Number(v))
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}
