package study

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// announced holds the rows, figures and tables that the text of an experiment lists, the latter two
// by name. show removes a figure or a table when the experiment adds it.
type announced struct {
	rows  []expectation
	shown map[string][]string
}

// announcedIn parses the three Markdown tables of a text: Rows, Figures and Tables.
func announcedIn(lists map[string][]string) (a announced, err error) {
	a.shown = map[string][]string{}
	for title, n := range map[string]int{"Figures": figureCells, "Tables": tableCells} {
		lines, err := cellsOf(lists[title], n)
		if err != nil {
			return a, err
		}
		for _, cells := range lines {
			a.shown[cells[0]] = cells
		}
	}
	a.rows, err = expectations(lists["Rows"])
	return a, err
}

// The numbers of cells in a line of the text's Figures, and of its Tables.
const figureCells, tableCells = 4, 3

func (a announced) clone() announced { return announced{slices.Clone(a.rows), maps.Clone(a.shown)} }

// cellsOf returns the cells of each line of a Markdown table after its head, n per line.
func cellsOf(table []string, n int) (lines [][]string, err error) {
	for _, line := range table[min(2, len(table)):] {
		cells := strings.Split(line, "|")
		if len(cells) != n+2 { // with the empty ones at both ends
			return nil, fmt.Errorf("%s: %d cells, want %d", line, len(cells)-2, n)
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		lines = append(lines, cells[1:n+1])
	}
	return lines, nil
}

// show returns the n cells that the text has for a figure or table which the experiment adds. The
// experiment fails if the text has none, or if it adds the figure or table twice.
func (s *Study) show(name string, n int) []string {
	cells := s.announced.shown[name]
	if len(cells) != n {
		s.Check(fmt.Errorf("the text has no figure or table %q, or it is shown twice", name))
	}
	delete(s.announced.shown, name)
	return cells
}

// missing returns an error if a full run has not added every row, figure and table of the text.
func (s *Study) missing() error {
	if s.Quick || s.NoTables {
		return nil
	}
	for i := range s.announced.rows {
		if e := &s.announced.rows[i]; !e.measured {
			return fmt.Errorf("rows: nothing measures %q", e.Quantity)
		}
	}
	for name := range s.announced.shown {
		return fmt.Errorf("nothing shows the figure or table %q", name)
	}
	return nil
}
