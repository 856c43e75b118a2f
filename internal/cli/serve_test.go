//go:build unix

package cli

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

// stopServer ends a server as Ctrl-C does.
func stopServer(t *testing.T, stop func() error, wait func() error) {
	t.Helper()
	require.NoError(t, stop())
	_ = wait() // a signal ended it, so wait returns an error
}

// pool returns an allocation file with the pool "a" of this weight, for hot reloads.
func pool(weight string) string {
	return "<allocations>\n<pool name='a'><weight>" + weight + "</weight></pool></allocations>"
}

// A server reloads its allocation file when a client or SIGHUP asks for it. If anything in the file
// is wrong, it keeps the old allocations, and reports the error until the file is correct again.
func TestServerReloads(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pools.xml")
	write(t, file, pool("1"))
	cmd, client := startServer(t, dir, "--allocations", "pools.xml")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	state := func() (weight float64, reload api.Reload) {
		p, err := client.Policy(ctx)
		require.NoError(t, err)
		for _, x := range p.Pools {
			if x.Name == "a" {
				weight = x.Weight
			}
		}
		return weight, *p.Reload
	}
	weight, _ := state()
	require.Equal(t, 1.0, weight)
	write(t, file, pool("3"))
	got, err := client.Reload(ctx)
	require.NoError(t, err)
	require.NotNil(t, got.Time)
	weight, _ = state()
	require.Equal(t, 3.0, weight)
	write(t, file, pool("0"))
	_, err = client.Reload(ctx)
	require.ErrorContains(t, err, "pools.xml:2: pool a: weight: 0")
	weight, reload := state()
	require.Equal(t, 3.0, weight, "the server keeps the old one")
	require.Contains(t, reload.Error, "weight: 0")
	write(t, file, pool("5"))
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool { w, r := state(); return w == 5 && r.Error == "" }, 30*time.Second, 20*time.Millisecond)
	stopServer(t, func() error { return cmd.Process.Signal(os.Interrupt) }, cmd.Wait)
}
