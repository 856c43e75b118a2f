//go:build unix

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/internal/gen"
)

// killedServer is a server with --state that the test kills and restarts.
type killedServer struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	client *api.Client
	ids    map[string]int64 // IDs of jobs by key, for answered submissions
}

// servedJobs returns the jobs that the server runs, by key: with reduces and without, in several
// stages, and with output in the block store.
func servedJobs() map[string][]string {
	return map[string][]string{
		"words":  {"wordcount", "in.txt", "--output", "out/words", "--reduces", "5"},
		"lines":  {"grep", "a.*e", "in.txt", "--output", "out/lines"},
		"stages": {"grep", "--count-matches", "[a-e]+", "in.txt", "--output", "out/stages", "--reduces", "3"},
		"stored": {"sort", "dfs:in", "--output", "dfs:sorted", "--reduces", "3"},
	}
}

// A server with --state is killed at random moments, while jobs are submitted and run, and is
// restarted. At the end each job exists once, and its output equals that of tarry run.
// LONG_TESTS=1 tries this 40 times.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	text := gen.Config{Kind: "text", Bytes: 1_500_000, Seed: 1, Words: 3000}
	require.NoError(t, gen.WriteFile(t.Context(), filepath.Join(home, "in.txt"), text, false))
	want := map[string]string{}
	for key, args := range servedJobs() {
		args = slices.Clone(args)
		args[slices.Index(args, "--output")+1] = filepath.Join(home, "want", key)
		cmd := exec.Command("tarry", append([]string{"run"}, slices.Replace(args, 0, len(args), plainInput(args)...)...)...)
		cmd.Dir = home
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, string(text))
		want[key] = joinedParts(t, filepath.Join(home, "want", key))
	}
	times := 3
	if os.Getenv("LONG_TESTS") != "" {
		times = 40
	}
	for i := range times {
		k := &killedServer{t: t, dir: filepath.Join(home, fmt.Sprint(i)), ids: map[string]int64{}}
		require.NoError(t, os.Mkdir(k.dir, 0o700))
		require.NoError(t, os.Link(filepath.Join(home, "in.txt"), filepath.Join(k.dir, "in.txt")))
		k.play(rand.New(rand.NewPCG(uint64(i), 1)), want)
		if t.Failed() {
			t.Fatalf("seed %d", i)
		}
	}
}

// plainInput replaces the block store's input dfs:in in args by in.txt, the file with its content.
func plainInput(args []string) []string {
	for i := range args {
		if args[i] == "dfs:in" {
			args[i] = "in.txt"
		}
	}
	return args
}

// joinedParts returns the concatenated parts of an output, which must be complete and not empty.
func joinedParts(t *testing.T, dir string) string {
	t.Helper()
	require.FileExists(t, filepath.Join(dir, "_SUCCESS"))
	names, err := filepath.Glob(filepath.Join(dir, "part-*"))
	require.NoError(t, err)
	var text strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		text.Write(b)
	}
	require.NotEmpty(t, text.String(), dir)
	return text.String()
}

// start starts the server and waits until it answers.
func (k *killedServer) start() {
	k.t.Helper()
	k.cmd, k.client = startServer(k.t, k.dir, "--state", "state", "--nodes", "2", "--map-slots", "1", "--block-size", "128KiB")
}

// startServer starts a server in a directory and waits until it answers. The server's standard
// error is that of the test.
func startServer(t *testing.T, dir string, args ...string) (*exec.Cmd, *api.Client) {
	t.Helper()
	cmd := exec.Command("tarry", append([]string{"serve", "--listen", "127.0.0.1:0", "--quiet"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // if the test fails early
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return cmd, &api.Client{Base: strings.TrimSpace(url)}
}

// submit submits all jobs, each under its key. It returns false if the server has ended.
func (k *killedServer) submit(ctx context.Context) bool {
	text, err := os.Open(filepath.Join(k.dir, "in.txt"))
	require.NoError(k.t, err)
	defer text.Close()
	if ignoreExists(k.client.Put(ctx, "in/in.txt", text)) != nil {
		return false
	}
	for key, args := range servedJobs() {
		j, err := k.client.Submit(ctx, api.Submission{Job: args[0], Args: args[1:], Directory: k.dir}, key)
		if err != nil {
			_, refused := errors.AsType[*api.Problem](err)
			require.False(k.t, refused, "%s: %v", key, err)
			return false
		}
		if was := k.ids[key]; was != 0 {
			require.Equal(k.t, was, j.ID, "the job that was answered is still there")
		}
		k.ids[key] = j.ID
	}
	return true
}

// ignoreExists returns nil if err, the error of a Put, says that the file exists; otherwise err.
func ignoreExists(err error) error {
	if p, refused := errors.AsType[*api.Problem](err); refused && p.Code == "exists" {
		return nil
	}
	return err
}

// play kills the server one to three times, then lets all jobs end and checks them.
func (k *killedServer) play(rng *rand.Rand, want map[string]string) {
	ctx, cancel := context.WithTimeout(k.t.Context(), 3*time.Minute)
	defer cancel()
	for kills := 1 + rng.IntN(3); kills > 0; kills-- {
		k.start()
		after := time.Duration(rng.IntN(600)) * time.Millisecond
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			time.Sleep(after)
			_ = k.cmd.Process.Kill() // it may have ended
		}()
		k.submit(ctx)
		<-gone
		_ = k.cmd.Wait() // it was killed
	}
	began := time.Now()
	k.start()
	k.t.Logf("the server answers %v after its start", time.Since(began).Round(time.Millisecond))
	require.True(k.t, k.submit(ctx))
	for key, id := range k.ids {
		j, err := k.client.Wait(ctx, id, nil)
		require.NoError(k.t, err)
		require.Equal(k.t, api.Succeeded, j.State, "%s: %s", key, j.Error)
	}
	list, err := k.client.Jobs(ctx, "", "")
	require.NoError(k.t, err)
	require.Len(k.t, list, len(want), "none is lost, none is there twice")
	for key, text := range want {
		require.True(k.t, text == k.output(ctx, key), "the output of %s differs", key)
	}
	require.NoError(k.t, k.cmd.Process.Signal(os.Interrupt))
	_ = k.cmd.Wait() // a signal ended it, so Wait returns an error
	for _, left := range []string{"out/*/_temporary", "state/stages/*", "state/part/*", "state/store/*/_temporary", "out/_*"} {
		found, err := filepath.Glob(filepath.Join(k.dir, left))
		require.NoError(k.t, err)
		require.Empty(k.t, found)
	}
}

// output returns the output of the job with this key, from its directory or the block store.
func (k *killedServer) output(ctx context.Context, key string) string {
	if key != "stored" {
		return joinedParts(k.t, filepath.Join(k.dir, "out", key))
	}
	list, err := k.client.Files(ctx, "sorted")
	require.NoError(k.t, err)
	var all strings.Builder
	for _, f := range list {
		if !strings.Contains(f.Name, "/part-") {
			continue
		}
		content, err := k.client.Get(ctx, f.Name)
		require.NoError(k.t, err)
		_, err = io.Copy(&all, content)
		require.NoError(k.t, err)
		require.NoError(k.t, content.Close())
	}
	return all.String()
}
