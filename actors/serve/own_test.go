package serve

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
)

const secretLine = "rootsecretrootsecret root"

// ownBench starts a server whose root contains its own secrets and state.
func ownBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"tokens", "certs/key.pem", "d/other/key2.pem"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(secretLine+"\n"), 0o600))
	}
	b := startIn(t, dir, func(cfg *Config) {
		cfg.State = filepath.Join(dir, "d", "state")
		cfg.Secrets = []string{filepath.Join(dir, "tokens"), filepath.Join(dir, "certs/key.pem"), filepath.Join(dir, "d/other/key2.pem")}
	})
	b.write("in.txt", "a\n")
	return b
}

func (b *bench) link(how func(old, new string) error, old, name string) {
	b.t.Helper()
	require.NoError(b.t, os.MkdirAll(filepath.Dir(filepath.Join(b.dir, name)), 0o700))
	require.NoError(b.t, how(old, filepath.Join(b.dir, name)))
}

// A job cannot read files of tokens or keys, or the state, under any name or link.
func TestSecretsAreNoInput(t *testing.T) {
	b := ownBench(t)
	require.NoError(t, b.Put(t.Context(), "stored", strings.NewReader(secretLine)))
	b.link(os.Symlink, "tokens", "link")
	b.link(os.Symlink, "link", "links/../link2")
	b.link(os.Symlink, "../certs", "links/certs")
	b.link(os.Symlink, "d/state", "statelink")
	b.link(os.Link, filepath.Join(b.dir, "tokens"), "hard/hard")
	b.link(os.Link, filepath.Join(b.dir, "d/state/store/stored"), "hardstate")
	b.link(os.Link, filepath.Join(b.dir, "in.txt"), "hardin")
	for _, in := range []string{
		"tokens", b.dir + "/tokens", "./d/../tokens", "link", "link2", "links/certs/key.pem", "hard/hard", "hard", "hard/*", "tok*",
		"{in.txt,tokens}", "certs", ".", b.dir, "d", "**", "**/key.pem", "links/certs", "d/state", "d/state/store/stored",
		"statelink", "statelink/store/*", "hardstate", "d/state/**",
	} {
		_, err := b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{in, "-o", "dfs:out"}}, "")
		refused(t, err, "outside-roots")
		require.ErrorContains(t, err, "belongs to the server", in)
		require.NotContains(t, err.Error(), secretLine)
	}
	for n, in := range []string{"in.txt", "hardin", "dfs:stored", "in*"} {
		b.wait(b.submit("count", in, "-o", "dfs:fine"+string(rune('0'+n))).ID)
	}
}

// A job cannot write to the state, or to directories that contain secrets or the state.
func TestSecretsAreNoOutput(t *testing.T) {
	b := ownBench(t)
	b.link(os.Symlink, "d/state", "statelink")
	b.link(os.Symlink, "certs", "certslink")
	b.link(os.Rename, filepath.Join(b.dir, "certs/key.pem"), "certs/part-r-00000") // as if a job had written it
	b.s.roots.own.paths = append(b.s.roots.own.paths, filepath.Join(b.dir, "certs/part-r-00000"))
	for _, out := range []string{
		"d/state", "d/state/x", "d/state/store/x/y", "statelink/x", "statelink", "certs", "certslink", "d", "d/x/../state/x", "tokens", "tokens/x",
	} {
		_, err := b.Submit(t.Context(), api.Submission{Job: "count", Args: []string{"in.txt", "--overwrite", "-o", out}}, "")
		require.Error(t, err, out)
		if !strings.HasPrefix(out, "tokens") { // tokens is a file, with another error
			refused(t, err, "outside-roots")
			require.ErrorContains(t, err, "belongs to the server", out)
		}
	}
	require.FileExists(t, filepath.Join(b.dir, "certs/part-r-00000"))
}

// waiting submits a word count that waits, because other jobs hold all slots.
func (b *bench) waiting(args ...string) api.Job {
	b.t.Helper()
	b.write("hold.txt", "a\n")
	for n := range 4 {
		b.runs(b.submit("held", "hold.txt", "-o", "held"+string(rune('0'+n))).ID)
	}
	return b.submit("count", args...)
}

// A link created while a job waits cannot lead the job to a secret or out of a root.
func TestLinksThatAreLaidWhileAJobWaits(t *testing.T) {
	for _, hard := range []bool{false, true} {
		b := ownBench(t)
		in, tokens := filepath.Join(b.dir, "like.txt"), filepath.Join(b.dir, "tokens")
		b.write("like.txt", strings.Repeat("x", len(secretLine))+"\n")
		j := b.waiting("like.txt", "-o", "dfs:out")
		info, err := os.Stat(in)
		require.NoError(t, err)
		require.NoError(t, os.Chtimes(tokens, info.ModTime(), info.ModTime())) // the file looks unchanged
		require.NoError(t, os.Remove(in))
		if hard {
			b.link(os.Link, tokens, "like.txt")
		} else {
			b.link(os.Symlink, "tokens", "like.txt")
		}
		close(b.gate)
		end, err := b.Wait(t.Context(), j.ID, nil)
		require.NoError(t, err)
		require.Equal(t, api.Failed, end.State)
		require.Contains(t, end.Error, "belongs to the server")
	}

	b := start(t, nil)
	b.write("in.txt", "a\n")
	outside := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(b.dir, "results"), 0o700))
	j := b.waiting("in.txt", "-o", "results/out")
	require.NoError(t, os.Rename(filepath.Join(b.dir, "results"), filepath.Join(b.dir, "away")))
	b.link(os.Symlink, outside, "results")
	close(b.gate)
	end, err := b.Wait(context.WithoutCancel(t.Context()), j.ID, nil)
	require.NoError(t, err)
	require.Equal(t, api.Failed, end.State)
	require.Contains(t, end.Error, "symbolic link")
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
	_, text := b.do(http.MethodGet, "/api/v1/jobs/"+"1", "", nil)
	require.NotContains(t, text, outside)
}
