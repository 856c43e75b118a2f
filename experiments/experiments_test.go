package experiments

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/experiments/study"
)

// TestAll runs the quick version of every experiment. Each has result rows, a described set-up and
// figures that can be drawn. Unless it measures time, two runs write the same bytes.
func TestAll(t *testing.T) {
	for _, e := range All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			var files [2]map[string][]byte
			for i := range files {
				dir := t.TempDir()
				done, err := study.Write(context.Background(), dir, []study.Experiment{e},
					study.Options{Seed: 1, Quick: true}, io.Discard)
				require.NoError(t, err)
				require.NotEmpty(t, done[0].Result.Rows)
				requireRows(t, done[0].Result.Rows)
				require.NotEmpty(t, done[0].Result.Setup)
				files[i] = read(t, dir)
				if done[0].Result.Measured {
					return
				}
			}
			for name, text := range files[0] {
				require.True(t, bytes.Equal(text, files[1][name]), "%s differs from run to run",
					name)
			}
		})
	}
}

// requireRows requires that rows have different names, and that no verdict holds by one seed alone.
func requireRows(t *testing.T, rows []*study.Row) {
	t.Helper()
	seen := map[string]bool{}
	for _, row := range rows {
		require.False(t, seen[row.Quantity], "two rows are called %s", row.Quantity)
		seen[row.Quantity] = true
		if !row.Ours.Sure && len(row.Ours.Values) < 2 {
			require.NotEqual(t, study.Holds, row.Verdict(), row.Quantity)
		}
	}
}

// read returns the contents of the files below dir by path.
func read(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all, files := map[string][]byte{}, os.DirFS(dir)
	require.NoError(t, fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[path], err = fs.ReadFile(files, path)
		}
		return err
	}))
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

// TestExactRowsHold checks that the rows of formulas and worked examples hold: the papers give all
// their inputs, so that nothing excuses a difference.
func TestExactRowsHold(t *testing.T) {
	for _, name := range []string{
		"delay-fig3", "delay-fig4", "delay-formulas", "hfsp-fig1", "cogrs-fig5",
	} {
		e, ok := Find(name)
		require.True(t, ok)
		r, err := e.Run(context.Background(), study.Options{Seed: 7, Quick: true, Repeat: 3})
		require.NoError(t, err)
		require.NotEmpty(t, r.Rows)
		for _, row := range r.Rows {
			if row.Kind == study.Formula || row.Kind == study.Printed {
				require.Equal(t, study.Holds, row.Verdict(), "%s: %s: ours %v, published %v",
					name, row.Quantity, row.Ours.Mean(), row.Published)
			}
		}
	}
}
