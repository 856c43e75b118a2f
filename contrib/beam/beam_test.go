package beam

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/actors/worker/enginetest"
)

// The test program is also the worker. Its arguments are a job, a folder in which each attempt
// leaves a file, an output and inputs. Tests submit several plans, so a worker skips those of other
// tests.
func TestMain(m *testing.M) {
	worker.Main()
	if on := os.Getenv(submitOn); on != "" && !worker.IsWorker() {
		submitAlone(on)
	}
	if !worker.IsWorker() {
		os.Exit(m.Run())
	}
	args := os.Args[1:]
	for {
		p, err := enginetest.Bind(args[0], args[1], args[2], args[3:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		_, _ = worker.Serve(context.Background(), p) // returns only for plans of other jobs
	}
}

const blockBytes = 60_000

// submitOn is the variable with the engine to which the test program submits its arguments' job.
const submitOn = "TARRY_TEST_SUBMIT"

func submitAlone(on string) {
	args := os.Args[1:]
	p, err := enginetest.Bind(args[0], args[1], args[2], args[3:])
	if err == nil {
		_, err = worker.Submit(context.Background(), p, worker.Options{On: on, Reduces: 3, BlockSize: blockBytes})
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(0)
}

func submit(t *testing.T, on, name string, inputs []string) (out string, err error) {
	out = filepath.Join(t.TempDir(), "out")
	return out, submitTo(t, out, on, name, blockBytes, 3, inputs)
}

func submitTo(t *testing.T, out, on, name string, block int64, reduces int, inputs []string) error {
	dir := t.TempDir()
	p, err := enginetest.Bind(name, dir, out, inputs)
	require.NoError(t, err)
	spills := t.TempDir()
	_, err = worker.Submit(t.Context(), p, worker.Options{
		On: on, Reduces: reduces, BlockSize: block, Memory: 64 << 20, SpillDir: spills, TaskTimeout: 20 * time.Second,
		Args: append([]string{name, dir, out}, inputs...),
	})
	left, _ := os.ReadDir(spills)
	require.Empty(t, left)
	return err
}

// Each job writes the same bytes on prism, in this process and as a job server, as without Beam. It
// does so even if a worker is killed.
func TestBeam(t *testing.T) {
	for _, on := range []string{"prism", "beam://" + server(t)} {
		t.Run(on[:5], func(t *testing.T) {
			inputs := enginetest.Inputs(t, t.TempDir())
			for _, name := range []string{
				"wordcount", "sort", "terasort", "secondary sort", "index", "floats", "routed", "join", "grep", "largest",
				"one key", "nothing", "kill map", "kill reduce",
			} {
				t.Run(name, func(t *testing.T) {
					want, _ := enginetest.Wanted(t, name, 3, blockBytes, inputs(name))
					out, err := submit(t, on, name, inputs(name))
					require.NoError(t, err)
					require.Equal(t, want, enginetest.Files(t, out))
				})
			}
			t.Run("wrong", func(t *testing.T) { wrongOn(t, on, inputs) })
			t.Run("a thousand maps", func(t *testing.T) {
				if os.Getenv("TARRY_TEST_THOUSAND") == "" {
					t.Skip("TARRY_TEST_THOUSAND=some tries it: minutes")
				}
				const block = 120
				want, _ := enginetest.Wanted(t, "sort", 100, block, inputs("sort"))
				out := filepath.Join(t.TempDir(), "out")
				require.NoError(t, submitTo(t, out, on, "sort", block, 100, inputs("sort")))
				require.Equal(t, want, enginetest.Files(t, out))
			})
		})
	}
}

// wrongOn runs jobs that must fail on an engine: each error is one line, and no output remains.
func wrongOn(t *testing.T, on string, inputs func(name string) []string) {
	failed := func(out string, err error, want ...string) {
		t.Helper()
		for _, w := range want {
			require.ErrorContains(t, err, w)
		}
		require.NotContains(t, err.Error(), "\n")
		require.NoDirExists(t, out)
	}
	for name, want := range map[string]string{
		"bad input": "no number", "map fails": "never works", "crash": "panic: away from the map (enginetest/jobs.go:", "exit": "with code 7",
	} {
		out, err := submit(t, on, name, inputs(name))
		failed(out, err, want)
	}
	t.Run("full disk", func(t *testing.T) {
		disk := enginetest.SmallDisk(t, "100k")
		err := submitTo(t, disk+"/out", on, "sort", blockBytes, 3, inputs("sort"))
		failed(disk+"/out", err, "no space left on device", disk)
	})
	t.Run("another program", func(t *testing.T) {
		this, err := os.Executable()
		require.NoError(t, err)
		b, err := os.ReadFile(this)
		require.NoError(t, err)
		dir := t.TempDir()
		program, out := filepath.Join(dir, "program"), filepath.Join(dir, "out")
		require.NoError(t, os.WriteFile(program, b, 0o700))
		cmd := exec.Command(program, append([]string{"rebuilt", dir, out}, inputs("wordcount")...)...)
		cmd.Env = append(os.Environ(), submitOn+"="+on)
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", said)
		failed(out, errors.New(strings.TrimSpace(string(said))), program+" (", " is not the one that submitted the job")
	})
}

// If the caller cancels the context, hanging workers end, and no output or spill remains.
func TestInterrupted(t *testing.T) {
	dir, book := t.TempDir(), enginetest.Book(t, t.TempDir(), "a", 1000)
	out := filepath.Join(t.TempDir(), "out")
	p, err := enginetest.Bind("hang", dir, out, []string{book})
	require.NoError(t, err)
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough of this")
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(dir + "/hangs"); err == nil {
				stop(enough)
			}
			runtime.Gosched()
		}
	}()
	spills := t.TempDir()
	_, err = worker.Submit(ctx, p, worker.Options{
		On: "prism", Reduces: 1, MaxAttempts: 1, SpillDir: spills, Args: []string{"hang", dir, out, book},
	})
	require.ErrorIs(t, err, enough)
	require.NoDirExists(t, out)
	left, err := os.ReadDir(spills)
	require.NoError(t, err)
	require.Empty(t, left)
}

// Two example programs, rebuilt with an import of this package, write the same on prism as alone.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	users, orders := filepath.Join(dir, "users.csv"), filepath.Join(dir, "orders.csv")
	require.NoError(t, os.WriteFile(users, []byte("Name,ID\nann,1\n\"b, ob\",2\ncid,3\n"), 0o600))
	require.NoError(t, os.WriteFile(orders, []byte("User,Item\n2,tea\n1,milk\n2,rice\n9,salt\n"), 0o600))
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	brought := filepath.Join(dir, "beam.go.txt")
	require.NoError(t, os.WriteFile(brought, []byte("package main\n\nimport _ \"github.com/tarry-mr/tarry/contrib/beam\"\n"), 0o600))
	for name, args := range map[string]string{
		"sort": "OUT examples/testdata/scores.tsv", "join": users + " " + orders + " OUT",
	} {
		t.Run(name, func(t *testing.T) {
			overlay, program := filepath.Join(dir, name+".json"), filepath.Join(dir, name)
			b, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, "examples", name, "beam.go"): brought}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(overlay, b, 0o600))
			text, err := exec.Command("go", "build", "-overlay", overlay, "-o", program, "github.com/tarry-mr/tarry/examples/"+name).CombinedOutput()
			require.NoError(t, err, "%s", text)
			run := func(on string) map[string]string {
				out := filepath.Join(t.TempDir(), "out")
				cmd := exec.Command(program, strings.Fields(strings.ReplaceAll(args, "OUT", out))...)
				cmd.Dir, cmd.Env = root, append(os.Environ(), worker.OnVariable+"="+on)
				text, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", text)
				return enginetest.Files(t, out)
			}
			want := run("")
			require.NotEmpty(t, want)
			require.Equal(t, want, run("prism"))
		})
	}
}

// server starts prism in its own process, as a job server, and returns the address.
func server(t *testing.T) string {
	program := filepath.Join(t.TempDir(), "prism")
	text, err := exec.Command("go", "build", "-o", program, "github.com/apache/beam/sdks/v2/go/cmd/prism").CombinedOutput()
	require.NoError(t, err, "%s", text)
	free, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	require.NoError(t, free.Close())
	var said bytes.Buffer
	cmd := exec.Command(program, "-job_port", fmt.Sprint(port), "-serve_http=false")
	cmd.Stdout, cmd.Stderr = &said, &said
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address := fmt.Sprintf("localhost:%d", port)
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, dialTimeout*4, dialTimeout/100, "no server: %s", &said)
	return address
}

// If no job server answers, the run fails at once with an error of one line.
func TestNoServer(t *testing.T) {
	free, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	on := "beam://" + free.Addr().String()
	require.NoError(t, free.Close())
	_, err = submit(t, on, "wordcount", []string{enginetest.Book(t, t.TempDir(), "a", 1000)})
	require.ErrorContains(t, err, on+": no job server: ")
	require.NotContains(t, err.Error(), "\n")
	require.Error(t, worker.Check("beam://", &worker.Settings{}))
}
