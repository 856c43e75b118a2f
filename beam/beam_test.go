package beam

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/worker"
	"github.com/tarry-mr/tarry/worker/enginetest"
)

// The test's own program is the worker: its arguments are a job, a folder for marks, an output and inputs.
// It submits one job after the other, so that each of its workers goes by those before its own.
func TestMain(m *testing.M) {
	if !worker.Asked() {
		os.Exit(m.Run())
	}
	args := os.Args[1:]
	for {
		p, err := enginetest.Bind(args[0], args[1], args[2], args[3:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		_, _ = worker.Serve(context.Background(), p) // what is not its own has ended as it has
	}
}

const blockBytes = 60_000

func submit(t *testing.T, on, name string, inputs []string) (out string, err error) {
	out, dir := filepath.Join(t.TempDir(), "out"), t.TempDir()
	p, err := enginetest.Bind(name, dir, out, inputs)
	require.NoError(t, err)
	spills := t.TempDir()
	_, err = worker.Submit(t.Context(), p, worker.Options{
		On: on, Reduces: 3, BlockSize: blockBytes, Memory: 64 << 20, SpillDir: spills,
		Args: append([]string{name, dir, out}, inputs...),
	})
	left, _ := os.ReadDir(spills)
	require.Empty(t, left)
	return out, err
}

// Jobs write the same bytes on prism in this process, and on a server of prism by what all job servers
// speak, as in one process, with a worker killed and not.
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
					if name == "floats" {
						want = enginetest.InAttempts(t, name, 3, blockBytes, inputs(name))
					}
					out, err := submit(t, on, name, inputs(name))
					require.NoError(t, err)
					require.Equal(t, want, enginetest.Files(t, out))
				})
			}
			for name, want := range map[string]string{"bad input": "no number", "map fails": "never works"} {
				out, err := submit(t, on, name, inputs(name))
				require.ErrorContains(t, err, want)
				require.NotContains(t, err.Error(), "\n")
				require.NoDirExists(t, out)
			}
		})
	}
}

// server is the address of a job server of prism, as a process of its own.
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
	}, connecting*4, connecting/100, "no server: %s", &said)
	return address
}

// A server that is not there is one line, at once.
func TestNoServer(t *testing.T) {
	free, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	on := "beam://" + free.Addr().String()
	require.NoError(t, free.Close())
	_, err = submit(t, on, "wordcount", []string{enginetest.Book(t, t.TempDir(), "a", 1000)})
	require.ErrorContains(t, err, on+": no job server: ")
	require.NotContains(t, err.Error(), "\n")
	require.Error(t, worker.Check("beam://"))
}
