package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/experiments"
)

func TestExperimentWritesItsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	w := runHere(t, []string{"experiment", "delay-formulas", "delay-fig3", "--quick", "-o", dir}, nil)
	require.Equal(t, 0, w.code, w.errs)
	require.Empty(t, w.out)
	require.Contains(t, w.errs, "2 experiments in")
	report, err := os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	require.Contains(t, string(report), "delay-fig3")
	require.Contains(t, string(report), "delay-formulas")
	require.FileExists(t, filepath.Join(dir, "delay-fig3", "fig3.svg"))
}

func TestExperimentList(t *testing.T) {
	w := runHere(t, []string{"experiment", "list"}, nil)
	require.Equal(t, 0, w.code)
	require.Equal(t, 1+len(experiments.All()), strings.Count(w.out, "\n"))
	w = runHere(t, []string{"experiment", "list", "--json"}, nil)
	require.Equal(t, 0, w.code)
	dec := json.NewDecoder(strings.NewReader(w.out))
	for _, want := range experiments.All() {
		var got listedExperiment
		require.NoError(t, dec.Decode(&got))
		require.Equal(t, listedExperiment{want.Name, want.Title, want.Source}, got)
	}
}

func TestExperimentExitCodes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "names of experiments"},
		{[]string{"no-such", "-o", file}, exitUsage, `no experiment "no-such"`},
		{[]string{"delay-fig3"}, exitUsage, "-o DIR"},
		{[]string{"delay-fig3", "--repeat", "-1", "-o", "x"}, exitUsage, "--repeat"},
		{[]string{"delay-fig3", "-o", file}, exitConfig, "is a file"},
	} {
		w := runHere(t, append([]string{"experiment"}, c.args...), nil)
		require.Equal(t, c.code, w.code, "%q", c.args)
		require.Empty(t, w.out)
		require.Contains(t, w.errs, c.want)
	}
}
