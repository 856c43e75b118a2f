//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/internal/gen"
)

// killCase is a command that is killed and started again. It reads ../in.txt and writes below out.
type killCase struct {
	name    string
	args    []string
	earlier bool // an earlier output exists, which the command replaces
}

func killCases() []killCase {
	slots := []string{"--map-slots", "1", "--nodes", "2", "--block-size", "128KiB"}
	run := func(args ...string) []string { return append(append([]string{"run"}, args...), slots...) }
	return []killCase{
		{"wordcount", run("wordcount", "../in.txt", "-o", "out/a", "--reduces", "5"), false},
		{"sort", run("sort", "../in.txt", "-o", "out/a", "--reduces", "4", "--overwrite"), true},
		{"map-only", run("grep", "a.*e", "../in.txt", "--output", "out/a"), false},
		{"stages", run("grep", "--count-matches", "[a-e]+", "../in.txt", "--output", "out/a", "--reduces", "3"), false},
	}
}

// A command with --state is killed at random moments, or when certain files appear, and restarted.
// At the end its output equals that of an undisturbed command. LONG_TESTS=1 tries this 40 times for
// each command instead of twice.
func TestKilled(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	text := gen.Config{Kind: "text", Bytes: 1_500_000, Seed: 1, Words: 3000}
	require.NoError(t, gen.WriteFile(t.Context(), filepath.Join(home, "in.txt"), text, false))
	times := 2
	if os.Getenv("LONG_TESTS") != "" {
		times = 40
	}
	for _, c := range killCases() {
		t.Run(c.name, func(t *testing.T) {
			want, took := undisturbed(t, home, c)
			for i := range times {
				seed := uint64(i)
				if os.Getenv("LONG_TESTS") != "" {
					seed = rand.Uint64()
				}
				k := &killed{t: t, c: c, rng: rand.New(rand.NewPCG(seed, 1)), took: took, dir: filepath.Join(home, fmt.Sprint(c.name, i))}
				k.play(want)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
				require.NoError(t, os.RemoveAll(k.dir))
			}
		})
	}
}

// undisturbed returns the command's output files without --state, and its run time with --state.
func undisturbed(t *testing.T, home string, c killCase) (want map[string]string, took time.Duration) {
	t.Helper()
	k := &killed{t: t, c: c, dir: filepath.Join(home, c.name)}
	k.prepare()
	k.run(k.command(c.args...))
	want = k.output()
	require.NoError(t, os.RemoveAll(filepath.Join(k.dir, "out")))
	k.prepare()
	began := time.Now()
	k.run(k.command(append(c.args, "--state", "state")...))
	took = time.Since(began)
	k.check(want)
	return want, took
}

// killed is a command in its own directory that the test kills and restarts.
type killed struct {
	t    *testing.T
	c    killCase
	rng  *rand.Rand
	took time.Duration
	dir  string
}

func (k *killed) prepare() {
	require.NoError(k.t, os.MkdirAll(filepath.Join(k.dir, "tmp"), 0o700))
	if k.c.earlier {
		require.NoError(k.t, os.MkdirAll(filepath.Join(k.dir, "out", "a"), 0o777))
		write(k.t, filepath.Join(k.dir, "out", "a", "part-r-00000"), "earlier")
		write(k.t, filepath.Join(k.dir, "out", "a", "_SUCCESS"), "")
	}
}

func (k *killed) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tarry", args...)
	cmd.Dir = k.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(k.dir, "tmp"))
	return cmd
}

// run runs a command, which must succeed, and returns what it prints.
func (k *killed) run(cmd *exec.Cmd) string {
	text, err := cmd.CombinedOutput()
	require.NoError(k.t, err, string(text))
	return string(text)
}

// output returns the contents of all output files by name.
func (k *killed) output() map[string]string {
	files := map[string]string{}
	root := filepath.Join(k.dir, "out")
	require.NoError(k.t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		files[rel] = string(b)
		return err
	}))
	return files
}

// play kills the command one to three times, then lets it end. Another start must change nothing.
func (k *killed) play(want map[string]string) {
	k.prepare()
	for kills := 1 + k.rng.IntN(3); kills > 0; kills-- {
		cmd := k.command(append(k.c.args, "--state", "state")...)
		var text bytes.Buffer
		cmd.Stderr = &text
		require.NoError(k.t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			require.NoError(k.t, err, text.String())
		case <-k.moment():
			_ = cmd.Process.Kill() // it may have ended
			<-ended
		}
	}
	k.run(k.command(append(k.c.args, "--state", "state")...))
	k.check(want)
	before, err := os.Stat(filepath.Join(k.dir, "out", "a", "_SUCCESS"))
	require.NoError(k.t, err)
	said := k.run(k.command(append(k.c.args, "--state", "state")...))
	require.Contains(k.t, said, "succeeded earlier")
	after, err := os.Stat(filepath.Join(k.dir, "out", "a", "_SUCCESS"))
	require.NoError(k.t, err)
	require.True(k.t, os.SameFile(before, after))
	k.check(want)
}

// moment returns a channel that fires when to kill: after a random time, or when a file appears.
func (k *killed) moment() <-chan time.Time {
	if k.rng.IntN(2) == 0 {
		return time.After(time.Duration(k.rng.Float64() * 1.2 * float64(k.took)))
	}
	patterns := []string{
		"state/log-*", "state/log-*.new", "state/stages/0/part-*", "state/stages/0/_SUCCESS",
		"out/*/_temporary", "out/*/_temporary/*r*", "out/*/part-*0", "out/*/part-*1*", "out/*/part-*2*", "out/*/_SUCCESS",
	}
	pattern := filepath.Join(k.dir, patterns[k.rng.IntN(len(patterns))])
	later := time.Duration(k.rng.IntN(3000)) * time.Microsecond
	now := make(chan time.Time, 1)
	go func() {
		defer func() { now <- time.Time{} }()
		for end := time.Now().Add(2 * k.took); time.Now().Before(end); time.Sleep(100 * time.Microsecond) {
			if list, _ := filepath.Glob(pattern); len(list) > 0 {
				time.Sleep(later)
				return
			}
		}
	}()
	return now
}

// check requires exactly the wanted output files, and no temporary files except logs of the state.
func (k *killed) check(want map[string]string) {
	got := k.output()
	require.Len(k.t, got, len(want))
	for name, text := range want {
		require.True(k.t, got[name] == text, "%s differs: %d bytes, want %d", name, len(got[name]), len(text))
	}
	list, err := os.ReadDir(filepath.Join(k.dir, "out"))
	require.NoError(k.t, err)
	require.Len(k.t, list, 1)
	for _, dir := range []string{"tmp", "state"} {
		list, err := os.ReadDir(filepath.Join(k.dir, dir))
		require.NoError(k.t, err)
		for _, e := range list {
			require.True(k.t, dir == "state" && strings.HasPrefix(e.Name(), "log-") && !strings.HasSuffix(e.Name(), ".new"), "%s/%s", dir, e.Name())
		}
	}
}
