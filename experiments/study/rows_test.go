package study

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// tableOf returns the lines of a table of rows.
func tableOf(lines ...string) []string {
	return append([]string{"| quantity | unit | kind | expected | claim |", "|---|---|---|---|---|"}, lines...)
}

// rowOf returns a row of one quantity, x.
func rowOf(unit, kind, expected string, ours Sample) (*Row, error) {
	list, err := expectations(tableOf("| x | " + unit + " | " + kind + " | " + expected + " | |"))
	if err != nil {
		return nil, err
	}
	r := list[0].Row
	r.Ours = ours
	return &r, nil
}

// mustRow is rowOf of a line that can be read.
func mustRow(t *testing.T, unit, kind, expected string, ours Sample) *Row {
	t.Helper()
	r, err := rowOf(unit, kind, expected, ours)
	require.NoError(t, err)
	return r
}

// tables has an experiment with this table.
func tables(lines string, body func(*Study)) (*Result, error) {
	l := NewLibrary(fstest.MapFS{"x.md": {Data: []byte("# x: X\n\nours\n\n## Rows\n\n| q | u | k | e | c |\n|-|-|-|-|-|\n" + lines)}}, nil)
	return l.Experiment("x", body).Run(context.Background(), Options{})
}

// The first line that fits a quantity is its row; * stands for any text, also none.
func TestRow(t *testing.T) {
	r, err := tables("| a (50 %): b | % | printed | 99 to 100 | as *said* |\n| a*: b | s | own | > 1 | |\n", func(s *Study) {
		s.Row("a (50 %): b", Sure(99))
		s.Row("a: b", Sure(2))
		s.Row("a of 3: b", Sure(1))
	})
	require.NoError(t, err)
	require.Len(t, r.Rows, 3)
	require.Equal(t, Row{"a (50 %): b", "%", Printed, 99, "as *said*", Sure(99), r.Rows[0].Bounds}, *r.Rows[0])
	require.Equal(t, "a of 3: b", r.Rows[2].Quantity)
	require.Equal(t, []Verdict{Holds, Holds, Differs},
		[]Verdict{r.Rows[0].Verdict(), r.Rows[1].Verdict(), r.Rows[2].Verdict()})
}

// A quantity without a line is an error, and so is a line without a quantity, unless the run is a
// quick one.
func TestRowsAndTableAgree(t *testing.T) {
	_, err := tables("| a | | own | > 1 | |\n", func(s *Study) { s.Row("b", Sure(1)) })
	require.ErrorContains(t, err, `"b" does not stand in the table`)
	_, err = tables("| a | | own | > 1 | |\n", func(*Study) {})
	require.ErrorContains(t, err, `nothing measures "a"`)
	_, err = tables("| a | | own | > 1 | |\n", func(s *Study) { s.Quick = true })
	require.NoError(t, err)
}

// The numbers of a computed row are the program's.
func TestComputedRow(t *testing.T) {
	r := mustRow(t, "", "formula", "computed", Sure(2))
	r.Expect(3, 0.5)
	require.Equal(t, Differs, r.Verdict())
	r.Expect(2, 0)
	require.Equal(t, Holds, r.Verdict())
}

func TestTablesThatAreNone(t *testing.T) {
	for _, line := range []string{
		"| a | s | own | > 1 |", "| a | s | mine | > 1 | |", "| a | s | own | | |", "| a | s | own | 7 | |",
		"| a | s | said | more than 1 | |", "| a | s | context | > x | |", "| a | s | printed | about 7 | |",
		"| a | s | formula | 7 ± | |",
	} {
		_, err := expectations(tableOf(line))
		require.ErrorContains(t, err, line)
		require.Panics(t, func() { _, _ = tables(line, func(*Study) {}) }, line)
	}
}
