package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommandsAskedFor: a command line is answered alike whether all commands are made for it or
// those that it asks for.
func TestCommandsAskedFor(t *testing.T) {
	lines := [][]string{{}, {"--help"}, {"-h"}, {"--version"}, {"run", "wordcountt"}, {"run", "--list"}, {"run", "help"}}
	for _, c := range commands() {
		require.Equal(t, c.name, c.make(new(program)).Name())
		lines = append(lines, []string{c.name, "--help"}, []string{c.name, "--no-such-flag"})
	}
	for _, job := range jobMakers() {
		require.Equal(t, job.name, job.make(new(program), nil).Name())
		lines = append(lines, []string{"run", job.name, "--help"}, []string{"run", "--nodes", "2", job.name, "--help"})
	}
	answer := func(asked, args []string) string {
		var text bytes.Buffer
		p := &program{stdout: &text, stderr: &text, asked: asked}
		p.getenv = func(string) (string, bool) { return "", false }
		root := newRoot(p)
		root.SetArgs(args)
		if err := root.Execute(); err != nil {
			text.WriteString(err.Error())
		}
		return text.String()
	}
	for _, line := range lines {
		require.Equal(t, len(line) > 0 && line[0] == "config", askedFor(line) == nil, "%q", line)
		require.Equal(t, answer(nil, line), answer(askedFor(line), line), "%q", line)
	}
	for _, line := range [][]string{
		{"help", "run"},
		{"config", "show", "run"},
		{"__complete", "run", ""},
		{"completion", "bash"},
		{"wordcount"},
		{"--no-such-flag"},
		{"--help", "run"},
	} {
		require.Nil(t, askedFor(line), "%q: others matter", line)
	}
}

// TestSmallRunCollectsNoGarbage: what a small run allocates stays below the 4 MB at which Go first
// collects. The maps that the actor library makes, if it is let, do not.
func TestSmallRunCollectsNoGarbage(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in"), "a word or two\n")
	cmd := exec.Command("tarry", "run", "wordcount", "in", "-o", "out", "--map-slots", "1", "--reduce-slots", "1")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GODEBUG=gctrace=1")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.NotContains(t, string(text), "gc 1 @")
}
