package study

import (
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The numbers of a measured experiment, which differ from run to run, are only in its folder, not
// in the common files.
func TestReportOfMeasuredIsTheSame(t *testing.T) {
	n := 0.0
	list := []Experiment{
		{Text{Name: "clock", Title: "A clock", Source: "ours"}, func(context.Context, Options) (*Result, error) {
			n++
			return &Result{
				Measured: true, Setup: []string{"none"},
				Rows: []*Row{mustRow(t, "", "own", "≥ 1.5", Sure(n))},
				Tables: []*Table{
					{
						Name: "ticks", Title: "Ticks", Columns: []string{"clock", "ticks"},
						Lines: []Line{{"one", []float64{n}}, {"none", []float64{math.NaN()}}},
					},
				},
			}, nil
		}},
	}
	var files [2]map[string][]byte
	for i := range files {
		dir := t.TempDir()
		_, err := Write(context.Background(), dir, list, Options{}, io.Discard)
		require.NoError(t, err)
		files[i] = map[string][]byte{}
		for _, name := range []string{
			"report.html", "clock/result.md", "clock/ticks.csv", "clock/rows.csv",
		} {
			files[i][name], err = os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
		}
	}
	require.Equal(t, string(files[0]["report.html"]), string(files[1]["report.html"]))
	require.Contains(t, string(files[1]["clock/result.md"]), "| one | 2 |\n| none | – |")
	require.Equal(t, "clock,ticks\none,2\nnone,NaN\n", string(files[1]["clock/ticks.csv"]))
	require.Contains(t, string(files[1]["clock/rows.csv"]), ",2,2,2,0,1.5,+Inf,holds")
}
