package sweep

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	d, err := Parse("theta=0,.05,1e-3")
	require.NoError(t, err)
	require.Equal(t, Dimension{"theta", []string{"0", ".05", "1e-3"}}, d)
	for text, want := range map[string]string{
		"theta": "want NAME", "=1": "want NAME", "theta=": "an empty value", "theta=1,,2": "an empty value",
		"theta=1,2,1": "value 1 twice", "": "want NAME",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

// A grid has each combination once, and as many as are counted.
func TestPoints(t *testing.T) {
	require.Equal(t, [][]string{{"0", "a"}, {"0", "b"}, {"1", "a"}, {"1", "b"}},
		Points([]Dimension{{"x", []string{"0", "1"}}, {"y", []string{"a", "b"}}}))
	rapid.Check(t, func(r *rapid.T) {
		var list []Dimension
		for i, n := range rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4).Draw(r, "sizes") {
			d := Dimension{Name: fmt.Sprint(i)}
			for v := range n {
				d.Values = append(d.Values, fmt.Sprint(v))
			}
			list = append(list, d)
		}
		points := Points(list)
		seen := map[string]bool{}
		for _, p := range points {
			require.Len(r, p, len(list))
			require.False(r, seen[fmt.Sprint(p)])
			seen[fmt.Sprint(p)] = true
		}
		require.Equal(r, min(len(points), 11), Size(list, 10))
	})
}

func table() *Table {
	return &Table{
		Dimensions: []string{"theta"}, Figures: []string{"mean_s", "killed"},
		Runs: []Run{
			{[]string{"0"}, 1, []float64{1, 0}},
			{[]string{"0"}, 2, []float64{3, 0}},
			{[]string{"a,b"}, 1, []float64{0.1, 7}},
		},
	}
}

func TestFiles(t *testing.T) {
	var runs, summary bytes.Buffer
	require.NoError(t, table().WriteRuns(&runs))
	require.Equal(t, "theta,seed,mean_s,killed\n0,1,1,0\n0,2,3,0\n\"a,b\",1,0.1,7\n", runs.String())
	require.NoError(t, table().WriteSummary(&summary))
	rows, err := csv.NewReader(&summary).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"theta", "figure", "runs", "mean", "low95", "high95"},
		{"0", "mean_s", "2", "2", "-10.706", "14.706"}, // 2 ± 12.706 × 1
		{"0", "killed", "2", "0", "0", "0"},
		{"a,b", "mean_s", "1", "0.1", "", ""},
		{"a,b", "killed", "1", "7", "", ""},
	}, rows)
	list := table().Summaries()
	require.Len(t, list, 2)
	require.InDelta(t, 12.706, *list[0].Figures["mean_s"].Half, 1e-9)
	require.Nil(t, list[1].Figures["mean_s"].Half)
}

// What is kept is had again, whole or not at all.
func TestStore(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	require.NoError(t, err)
	tab := table()
	_, there := s.Load("k", tab.Figures)
	require.False(t, there)
	odd := Run{[]string{"0"}, 1, []float64{1.0 / 3, 1e-300}}
	require.NoError(t, s.Save("k", tab.Dimensions, tab.Figures, odd))
	got, there := s.Load("k", tab.Figures)
	require.True(t, there)
	require.Equal(t, odd.Figures, got)
	_, there = s.Load("k", []string{"mean_s", "new"})
	require.False(t, there, "a figure that an older program did not have")

	file := filepath.Join(dir, "runs", "k.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, damaged := range []string{"", string(text[:len(text)/2]), "{}"} {
		require.NoError(t, os.WriteFile(file, []byte(damaged), 0o600))
		_, there = s.Load("k", tab.Figures)
		require.False(t, there, damaged)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "runs", "other.json"), text, 0o600))
	_, there = s.Load("other", tab.Figures)
	require.False(t, there, "that of another run")
	saved := make(chan error)
	for range 8 { // points that differ in words only
		go func() { saved <- s.Save("same", tab.Dimensions, tab.Figures, odd) }()
	}
	for range 8 {
		require.NoError(t, <-saved)
	}
	left, err := filepath.Glob(filepath.Join(dir, "runs", "*.new"))
	require.NoError(t, err)
	require.Empty(t, left)
}
