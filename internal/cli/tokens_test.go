//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// After SIGHUP, the server refuses tokens that are no longer in its file, without a restart. If the
// file is invalid, the former tokens remain valid.
func TestServerReloadsTokens(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tokens")
	put := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	put("annsecretannsecret ann\nbobsecretbobsecret bob\n")
	cmd, client := startServer(t, dir, "--tokens", "tokens")
	as := func(token string) bool {
		c := &api.Client{Base: client.Base, Token: token}
		_, err := c.Server(t.Context())
		return err == nil
	}
	require.True(t, as("annsecretannsecret"))
	require.True(t, as("bobsecretbobsecret"))
	put("annsecretannsecret ann\nevesecretevesecret eve\n")
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool { return as("evesecretevesecret") }, 30*time.Second, 10*time.Millisecond)
	require.False(t, as("bobsecretbobsecret"))
	put("zoesecretzoesecret zoe\nshort bob\n")
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	put("annsecretannsecret ann\nbobsecretbobsecret bob\n")
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool { return as("bobsecretbobsecret") }, 30*time.Second, 10*time.Millisecond)
	require.False(t, as("zoesecretzoesecret"))
	stopServer(t, func() error { return cmd.Process.Signal(os.Interrupt) }, cmd.Wait)
}

// A user with a token cannot read the tokens of others by a job. The server rejects its tokens and
// state as inputs, both without --root and with a root that contains them.
func TestTokensAreNoInput(t *testing.T) {
	for _, c := range []struct {
		root []string
		says string
	}{{nil, "this server has no roots"}, {[]string{"--root", "."}, "belongs to the server"}} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "tokens"), []byte("annsecretannsecret ann\nrootsecretrootsecret root\n"), 0o600))
		cmd, client := startServer(t, dir, append(c.root, "--tokens", "tokens", "--state", "state")...)
		ann := &api.Client{Base: client.Base, Token: "annsecretannsecret"}
		for _, in := range []string{"tokens", ".", "state/jobs", filepath.Join(dir, "tokens")} {
			_, err := ann.Submit(t.Context(), api.Submission{Job: "grep", Args: []string{".", in, "--output", "dfs:x"}, Directory: dir}, "")
			require.ErrorContains(t, err, c.says)
			require.NotContains(t, err.Error(), "rootsecret")
		}
		stopServer(t, func() error { return cmd.Process.Signal(os.Interrupt) }, cmd.Wait)
	}
}
