package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/experiments"
)

// runExperiment runs `tarry experiment` with these arguments.
func runExperiment(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	p := &program{stdout: &out, stderr: &errs, getenv: func(string) (string, bool) { return "", false }}
	code = p.main(append([]string{"experiment"}, args...))
	return code, out.String(), errs.String()
}

func TestExperimentWritesItsFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	code, out, errs := runExperiment("delay-formulas", "delay-fig3", "--quick", "-o", dir)
	require.Equal(t, 0, code, errs)
	require.Empty(t, out)
	require.Contains(t, errs, "2 experiments in")
	report, err := os.ReadFile(filepath.Join(dir, "report.md"))
	require.NoError(t, err)
	require.Contains(t, string(report), "delay-fig3")
	require.Contains(t, string(report), "delay-formulas")
	require.FileExists(t, filepath.Join(dir, "delay-fig3", "fig3.svg"))
}

func TestExperimentList(t *testing.T) {
	code, out, _ := runExperiment("list")
	require.Equal(t, 0, code)
	require.Equal(t, 1+len(experiments.All()), strings.Count(out, "\n"))
	code, out, _ = runExperiment("list", "--json")
	require.Equal(t, 0, code)
	dec := json.NewDecoder(strings.NewReader(out))
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
		code, out, errs := runExperiment(c.args...)
		require.Equal(t, c.code, code, "%q", c.args)
		require.Empty(t, out)
		require.Contains(t, errs, c.want)
	}
}
