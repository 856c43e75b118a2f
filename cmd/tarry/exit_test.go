package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSignalsAreCaughtFirst: before what takes long to set up, for a signal in that time ends a
// program without its exit code.
func TestSignalsAreCaughtFirst(t *testing.T) {
	cmd := exec.Command("tarry", "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err)
	var order []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "init" {
			order = append(order, f[1])
		}
	}
	caught := -1
	for i, name := range order {
		switch {
		case strings.HasSuffix(name, "/internal/early"):
			caught = i
		case strings.HasPrefix(name, "github.com/prometheus"), strings.HasPrefix(name, "google.golang.org/protobuf"):
			require.GreaterOrEqual(t, caught, 0, "%s was set up before", name)
		}
	}
	require.GreaterOrEqual(t, caught, 0, order)
}
