package study

// Table is a table of numbers that decide no row. Most show how a result depends on a choice that
// the paper does not give.
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

// Add appends a line and returns the table. It ignores a nil table.
func (t *Table) Add(label string, values ...float64) *Table {
	if t != nil {
		t.Lines = append(t.Lines, Line{label, values})
	}
	return t
}

// cells returns the lines of the table as text, without the head.
func (t *Table) cells() (all [][]string) {
	for _, l := range t.Lines {
		line := []string{l.Label}
		for _, v := range l.Values {
			line = append(line, tableNumber(v))
		}
		all = append(all, line)
	}
	return all
}

// csv returns the table as lines, heads first.
func (t *Table) csv() [][]string {
	rows := [][]string{t.Columns}
	for _, l := range t.Lines {
		row := []string{l.Label}
		for _, v := range l.Values {
			row = append(row, Number(v))
		}
		rows = append(rows, row)
	}
	return rows
}
