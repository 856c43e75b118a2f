package study

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// announced contains what a text says that an experiment shows: its rows, and the lines of its
// figures and tables by name. A figure or a table is removed when it is shown.
type announced struct {
	rows            []expectation
	figures, tables map[string][]string
}

// announcedIn reads the three tables of a text.
func announcedIn(lists map[string][]string) (a announced, err error) {
	if a.rows, err = expectations(lists["Rows"]); err != nil {
		return a, err
	}
	if a.figures, err = byName(lists["Figures"], 4); err != nil {
		return a, err
	}
	a.tables, err = byName(lists["Tables"], 3)
	return a, err
}

func (a announced) clone() announced {
	return announced{slices.Clone(a.rows), maps.Clone(a.figures), maps.Clone(a.tables)}
}

// cellsOf returns the lines of a Markdown table after its head, each of n cells.
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

// byName returns the lines of a table by their first cells.
func byName(table []string, n int) (map[string][]string, error) {
	all := map[string][]string{}
	lines, err := cellsOf(table, n)
	for _, cells := range lines {
		all[cells[0]] = cells
	}
	return all, err
}

// show returns the line of a figure or a table. Without one, or at its second use, the experiment
// fails.
func (s *Study) show(lines map[string][]string, name string) []string {
	cells, ok := lines[name]
	if !ok {
		s.Check(fmt.Errorf("the text has no figure or table %q, or it is shown twice", name))
	}
	delete(lines, name)
	return cells
}

// missing returns an error if a full run has not shown all that the text announces.
func (s *Study) missing() error {
	if s.Quick || s.NoTables {
		return nil
	}
	for i := range s.announced.rows {
		if e := &s.announced.rows[i]; !e.measured {
			return fmt.Errorf("rows: nothing measures %q", e.Quantity)
		}
	}
	for _, lines := range []map[string][]string{s.announced.figures, s.announced.tables} {
		for name := range lines {
			return fmt.Errorf("nothing shows the figure or table %q", name)
		}
	}
	return nil
}
