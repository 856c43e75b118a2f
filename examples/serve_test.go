//go:build unix

package examples

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// A program with its own server runs its job for any client, and ends when a client asks it to.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in.txt"), []byte("a bee\nant by\n"), 0o600))
	cmd := exec.Command(program(t, "serve"), "127.0.0.1:0", dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill() }() // if a line above fails
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client := &api.Client{Base: strings.TrimSpace(url)}
	job, err := client.Submit(ctx, api.Submission{Job: "longest", Args: []string{"in.txt", "-o", "out"}}, "")
	require.NoError(t, err)
	job, err = client.Wait(ctx, job.ID, nil)
	require.NoError(t, err)
	require.Equal(t, api.Succeeded, job.State, job.Error)
	require.Equal(t, "a\tant\nb\tbee\n", parts(t, filepath.Join(dir, "out")))
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait())
}
