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

// mustRow is like rowOf for a valid line.
func mustRow(t *testing.T, unit, kind, expected string, ours Sample) *Row {
	t.Helper()
	r, err := rowOf(unit, kind, expected, ours)
	require.NoError(t, err)
	return r
}

// run runs an experiment with these lines in its table of rows, a figure and two tables.
func run(lines string, o Options, body func(*Study)) (*Result, error) {
	text := "# x: X\n\nours\n\n## Figures\n\n| f | t | x | y |\n|-|-|-|-|\n| f | F | x | y |\n\n## Tables\n\n" +
		"| t | t | c |\n|-|-|-|\n| t | T | a; b |\n\n## Rows\n\n| q | u | k | e | c |\n|-|-|-|-|-|\n" + lines
	l := NewLibrary(fstest.MapFS{"x.md": {Data: []byte(text)}})
	return l.Experiment("x", body).Run(context.Background(), o)
}

// shown adds the figure and the table that the text of run announces.
func shown(s *Study) {
	s.Plot("f")
	s.Extra("t")
}

// The first line that matches a quantity defines its row; * matches any text, even an empty one.
func TestRow(t *testing.T) {
	lines := "| a (50 %): b | % | printed | 99 to 100 | as *said* |\n| a*: b | s | own | > 1 | |\n"
	r, err := run(lines, Options{}, func(s *Study) {
		s.Row("a (50 %): b", Sure(99))
		s.Row("a: b", Sure(2))
		s.Row("a of 3: b", Sure(1))
		shown(s)
	})
	require.NoError(t, err)
	require.Len(t, r.Rows, 3)
	require.Equal(t, Row{"a (50 %): b", "%", Printed, 99, "as *said*", Sure(99), r.Rows[0].Bounds}, *r.Rows[0])
	require.Equal(t, "a of 3: b", r.Rows[2].Quantity)
	require.Equal(t, []Verdict{Holds, Holds, Differs},
		[]Verdict{r.Rows[0].Verdict(), r.Rows[1].Verdict(), r.Rows[2].Verdict()})
}

// It is an error to show what the text does not announce, or, in a full run, to omit what it does.
func TestTextAndExperimentAgree(t *testing.T) {
	const line = "| a | | own | > 1 | |\n"
	for _, c := range []struct {
		lines, want string
		o           Options
		body        func(*Study)
	}{
		{line, `"b" does not stand in the table`, Options{}, func(s *Study) { s.Row("b", Sure(1)) }},
		{line, `nothing measures "a"`, Options{}, shown},
		{line, "", Options{Quick: true}, func(*Study) {}},
		{"", `no figure or table "t"`, Options{}, func(s *Study) { s.Plot("t") }},
		{"", `no figure or table "f"`, Options{}, func(s *Study) { s.Table("f") }},
		{"", `"f", or it is shown twice`, Options{}, func(s *Study) { shown(s); s.Plot("f") }},
		{"", `nothing shows the figure or table "f"`, Options{}, func(s *Study) { s.Table("t") }},
		{"", `nothing shows the figure or table "t"`, Options{}, func(s *Study) { s.Plot("f") }},
		{"", "", Options{NoTables: true}, shown},
	} {
		_, err := run(c.lines, c.o, c.body)
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
		}
	}
}

func TestTablesThatAreNone(t *testing.T) {
	for _, line := range []string{
		"| a | s | own | > 1 |", "| a | s | mine | > 1 | |", "| a | s | own | | |", "| a | s | own | 7 | |",
		"| a | s | said | more than 1 | |", "| a | s | context | > x | |", "| a | s | printed | about 7 | |",
		"| a | s | formula | 7 ± | |",
	} {
		_, err := expectations(tableOf(line))
		require.Error(t, err, line)
		require.Panics(t, func() { _, _ = run(line, Options{}, shown) }, line)
	}
}
