package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(file, []byte("to wait\na moment\nto go on\n"), 0o600))
	records := filepath.Join(dir, "records")
	require.NoError(t,
		os.WriteFile(records,
			append(bytes.Repeat([]byte("b"), 100), bytes.Repeat([]byte("a"), 100)...), 0o600))
	for _, c := range []struct {
		args         []string
		file, stdout string
		did, part    string
	}{
		{
			args: []string{"wordcount", "-parts", "1"}, file: file, did: "7 words, 6 distinct",
			part: "a\t1\ngo\t1\nmoment\t1\non\t1\nto\t2\nwait\t1\n",
		},
		{
			args: []string{"sort", "-parts", "1"}, file: file, did: "3 lines",
			part: "a moment\nto go on\nto wait\n",
		},
		{
			args: []string{"terasort", "-parts", "1"}, file: records, did: "2 records",
			part: string(bytes.Repeat([]byte("a"), 100)) + string(bytes.Repeat([]byte("b"), 100)),
		},
		{args: []string{"grep"}, file: file, did: "2 lines match", stdout: "to wait\nto go on\n"},
		{args: []string{"grep", "-c", "-e"}, file: file, did: "1 lines match", stdout: "1\n"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := append(append([]string{}, c.args...), "-j", "2", "-o", out)
		if c.args[0] == "grep" {
			args = append(args, map[bool]string{true: "m.m", false: "to"}[len(c.args) > 1])
		}
		var stdout, stderr bytes.Buffer
		require.NoError(t, run(append(args, c.file), &stdout, &stderr), c.args)
		require.Equal(t, c.stdout, stdout.String())
		require.Contains(t, stderr.String(), c.did)
		if c.part != "" {
			part, err := os.ReadFile(filepath.Join(out, "part-r-00000"))
			require.NoError(t, err)
			require.Equal(t, c.part, string(part))
		}
	}
}

func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{
		nil,
		{"wordcount"},
		{"wordcount", "-j", "0", "x"},
		{"grep", "x"},
		{"wordcount", "does-not-exist"},
		{"tea", os.DevNull},
	} {
		require.Error(t, run(args, &bytes.Buffer{}, &bytes.Buffer{}), args)
	}
}
