package main

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// outcome is how a command line ended.
type outcome struct {
	code      int
	out, errs string
}

// runWrong runs a command line in this process. The environment is env and nothing else; standard input is empty.
func runWrong(args []string, env map[string]string) outcome {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return outcome{code: -1, errs: err.Error()}
	}
	defer null.Close()
	var out, errs bytes.Buffer
	p := &program{stdin: null, stdout: &out, stderr: &errs, getenv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	root := newRoot(p)
	root.SetArgs(args)
	code := p.exit(context.Background(), root.ExecuteContext(context.Background()))
	return outcome{code, out.String(), errs.String()}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}
