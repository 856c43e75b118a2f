//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// asked runs the program and gives what it prints, and its exit code.
func asked(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command("tarry", args...)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// The scheduler of a server is shown and changed from the command line: settings and weights, all of
// a command's or none, each refusal with its reason and the exit code of a wrong command line.
func TestPolicyCommands(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "pools.xml"), pool("1"))
	cmd, client := startServer(t, dir, "--allocations", "pools.xml")
	policy := func(code int, args ...string) string {
		t.Helper()
		out, got := asked(t, append([]string{"policy", "--server", client.Base}, args...)...)
		require.Equal(t, code, got, out)
		return out
	}
	require.Regexp(t, `(?m)^locality\.waits +5s/10s `, policy(0, "set", "locality.rule=wait", "waits=5s/10s", "locality.auto=false"))
	require.Regexp(t, `(?m)^locality\.rule +wait `, policy(0, "show", "locality"))
	require.NotContains(t, policy(0, "show", "locality"), "preemption")
	require.Contains(t, policy(2, "show", "nothing"), "no such setting")
	require.Contains(t, policy(2, "set", "theta=0.1", "nonsense=1"), "nonsense")
	require.Contains(t, policy(2, "set", "theta"), "want KEY=VALUE")
	require.Contains(t, policy(2, "set", "a=1", "a=2"), "twice")
	require.Regexp(t, `(?m)^a +0 +2\.5 +fair `, policy(0, "weight", "a=2.5"))
	for _, bad := range []string{"a=0", "a=-1", "a=NaN", "a=Inf", "a=x", "a", "=1"} {
		policy(2, "weight", bad)
	}
	require.Regexp(t, `(?m)^a +0 +2\.5 +fair `, policy(0, "pools"))
	require.Contains(t, policy(0, "reload"), "the files in force are those of")
	require.Contains(t, policy(0, "--json", "show", "reduce.theta"), `{"key":"reduce.theta","value":"`)
	stopServer(t, func() error { return cmd.Process.Signal(os.Interrupt) }, cmd.Wait)
}

// A page of two runs has both; a file that is no record is named, whichever it is.
func TestViewOfTwoRuns(t *testing.T) {
	dir := t.TempDir()
	good, bad, page := filepath.Join(dir, "good.jsonl"), filepath.Join(dir, "bad.jsonl"), filepath.Join(dir, "page.html")
	_, code := asked(t, "sim", "--workload", "facebook-io", "--jobs", "2", "--nodes", "3", "-q", "--events", good)
	require.Zero(t, code)
	require.NoError(t, os.WriteFile(bad, []byte("no\n"), 0o600))
	out, code := asked(t, "view", good, good, "-o", page)
	require.Zero(t, code, out)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), `data-name="good.jsonl"`))
	for _, files := range [][]string{{good, bad}, {bad, good}} {
		out, code = asked(t, append([]string{"view", "--overwrite", "-o", page}, files...)...)
		require.NotZero(t, code)
		require.Contains(t, out, "bad.jsonl:1: not an event")
		require.NoFileExists(t, page)
	}
	out, code = asked(t, "view", "-", "-", "-o", page)
	require.Equal(t, 2, code, out)
}
