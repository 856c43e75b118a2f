package experiments

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAll runs the quick version of every experiment: each has rows, a set-up and figures that can be drawn, and what it
// writes is the same each time, unless it is measured.
func TestAll(t *testing.T) {
	for _, e := range All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			var files [2]map[string][]byte
			for i := range files {
				dir := t.TempDir()
				done, err := Write(context.Background(), dir, []Experiment{e}, Options{Seed: 1, Quick: true}, io.Discard)
				require.NoError(t, err)
				require.NotEmpty(t, done[0].Result.Rows)
				require.NotEmpty(t, done[0].Result.Setup)
				files[i] = read(t, dir)
				if done[0].Result.Measured {
					return
				}
			}
			for name, text := range files[0] {
				require.True(t, bytes.Equal(text, files[1][name]), "%s differs from run to run", name)
			}
		})
	}
}

// TestReportOfMeasuredIsTheSame has an experiment whose numbers never repeat: they show in its folder alone.
func TestReportOfMeasuredIsTheSame(t *testing.T) {
	n := 0.0
	list := []Experiment{{"clock", "A clock", "ours", func(context.Context, Options) (*Result, error) {
		n++
		return &Result{
			Measured: true, Setup: []string{"none"},
			Rows:   []Row{{Quantity: "ticks", Ours: n, Band: AtLeast(1.5)}},
			Tables: []Table{{Name: "ticks", Title: "Ticks", Columns: []string{"clock", "ticks"}, Lines: []Line{{"one", []float64{n}}, {"none", []float64{math.NaN()}}}}},
		}, nil
	}}}
	var files [2]map[string][]byte
	for i := range files {
		dir := t.TempDir()
		_, err := Write(context.Background(), dir, list, Options{}, io.Discard)
		require.NoError(t, err)
		files[i] = read(t, dir)
	}
	require.Equal(t, string(files[0]["report.md"]), string(files[1]["report.md"]))
	require.Contains(t, string(files[0]["report.md"]), "clock/result.md")
	require.Contains(t, string(files[1]["clock/result.md"]), "| one | 2 |\n| none | – |")
	require.Equal(t, "clock,ticks\none,2\nnone,NaN\n", string(files[1]["clock/ticks.csv"]))
	require.Contains(t, string(files[1]["clock/rows.csv"]), ",2,1.5,+Inf,holds")
}

// read returns the files below dir by their path.
func read(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		all[rel], err = os.ReadFile(path)
		return err
	})
	require.NoError(t, err)
	return all
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range All() {
		require.Regexp(t, `^[a-z0-9-]+$`, e.Name)
		require.False(t, seen[e.Name], "two experiments are called %s", e.Name)
		seen[e.Name] = true
		found, ok := Find(e.Name)
		require.True(t, ok)
		require.Equal(t, e.Title, found.Title)
	}
	_, ok := Find("no-such-experiment")
	require.False(t, ok)
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want Verdict
	}{
		{Row{Ours: 5, Band: Within(4, 1)}, Holds},
		{Row{Ours: 5.1, Band: Within(4, 1)}, Differs},
		{Row{Ours: 2.9, Band: Within(4, 1)}, Differs},
		{Row{Ours: 7, Band: AtLeast(7)}, Holds},
		{Row{Ours: 6.9, Band: AtLeast(7)}, Differs},
		{Row{Ours: 7.1, Band: AtMost(7)}, Differs},
		{Row{Ours: 1, Band: Context()}, ContextOnly},
		{Row{Ours: math.NaN(), Band: AtLeast(0)}, Differs},
	} {
		require.Equal(t, c.want, c.row.Verdict(), "%+v", c.row)
	}
}

// TestExactRowsHold holds the formulas and worked examples, of which the papers give every number, to their rows.
func TestExactRowsHold(t *testing.T) {
	for _, name := range []string{"delay-fig3", "delay-fig4", "delay-formulas", "hfsp-fig1", "cogrs-fig5"} {
		e, ok := Find(name)
		require.True(t, ok)
		r, err := e.Run(context.Background(), Options{Seed: 7, Quick: true})
		require.NoError(t, err)
		require.NotEmpty(t, r.Rows)
		for _, row := range r.Rows {
			require.NotEqual(t, Differs, row.Verdict(), "%s: %s: ours %v, published %v", name, row.Quantity, row.Ours, row.Published)
		}
	}
}
