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
		args      []string
		file      string
		did, part string
	}{
		{
			args: []string{"wordcount", "-parts", "1"}, file: file, did: "7 words, 6 distinct",
			part: "a\t1\ngo\t1\nmoment\t1\non\t1\nto\t2\nwait\t1\n",
		},
		{
			args: []string{"terasort", "-parts", "1"}, file: records, did: "2 records",
			part: string(bytes.Repeat([]byte("a"), 100)) + string(bytes.Repeat([]byte("b"), 100)),
		},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := append(append([]string{}, c.args...), "-j", "2", "-o", out)
		var stderr bytes.Buffer
		require.NoError(t, run(append(args, c.file), &stderr), c.args)
		require.Contains(t, stderr.String(), c.did)
		part, err := os.ReadFile(filepath.Join(out, "part-r-00000"))
		require.NoError(t, err)
		require.Equal(t, c.part, string(part))
	}
}

func TestWrongUse(t *testing.T) {
	for _, args := range [][]string{
		nil,
		{"wordcount"},
		{"wordcount", "-j", "0", "x"},
		{"wordcount", "x", "y"},
		{"wordcount", "does-not-exist"},
		{"tea", os.DevNull},
	} {
		require.Error(t, run(args, &bytes.Buffer{}), args)
	}
}
