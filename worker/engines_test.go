package worker

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// engineTests are the engines that are not ours. Each is tried where the variable is set to what
// Options.On is to be; scripts/test-engines.sh installs and starts them, and sets it.
var engineTests = []struct {
	name, variable string
	retries        bool // it tries again what fails
}{
	{"streaming in one process", "TARRY_TEST_LIGHT", false},
	{"streaming on YARN", "TARRY_TEST_YARN", true},
	{"spark in one process", "TARRY_TEST_SPARK", false},
	{"spark with executors", "TARRY_TEST_SPARK_CLUSTER", true},
	{"slurm", "TARRY_TEST_SLURM", true},
}

// The same program writes the same bytes on every engine, workers killed or not.
func TestOnEngines(t *testing.T) {
	dir := t.TempDir()
	books := []string{bookOf(t, dir, "a", 100_000), bookOf(t, dir, "b", 20_000)}
	tera := bookOf(t, dir, "tera", 150_000)
	require.NoError(t, os.Truncate(tera, 150_000))
	for _, e := range engineTests {
		t.Run(e.name, func(t *testing.T) {
			on := os.Getenv(e.variable)
			if on == "" {
				t.Skipf("%s is not set: %s is not tested", e.variable, e.name)
			}
			if command := os.Getenv(e.variable + "_HADOOP"); command != "" {
				t.Setenv(HadoopVariable, command)
			}
			for _, name := range []string{
				"wordcount", "sort", "terasort", "index", "floats", "routed", "join", "grep", "kill map", "kill reduce",
			} {
				if !e.retries && strings.HasPrefix(name, "kill") {
					continue
				}
				t.Run(name, func(t *testing.T) {
					inputs := books
					if name == "terasort" {
						inputs = []string{tera}
					}
					want, _ := wanted(t, name, 2, 2*blockBytes, inputs)
					if name == "floats" {
						want = inAttempts(t, name, 2, 2*blockBytes, inputs)
					}
					var log bytes.Buffer
					out, _, err := submit(t, name, Options{On: on, Reduces: 2, BlockSize: 2 * blockBytes, Log: &log}, inputs)
					require.NoError(t, err)
					require.Equal(t, want, filesIn(t, out))
					if e.variable == "TARRY_TEST_YARN" {
						require.NotContains(t, log.String(), "job_local")
					}
				})
			}
			if e.variable == "TARRY_TEST_LIGHT" {
				t.Run("a line for others", func(t *testing.T) {
					want, _ := wanted(t, "wordcount", 1, 2*blockBytes, books)
					sh := &shell{Cmd: exec.Command("sh")}
					out, _, err := submit(t, "wordcount", Options{On: "streaming-command", Reduces: 1, BlockSize: 2 * blockBytes, Print: sh}, books)
					require.NoError(t, err, "%s", sh.said.String())
					require.Equal(t, want, filesIn(t, out))
				})
			}
			t.Run("bad input", func(t *testing.T) {
				out, _, err := submit(t, "bad input", Options{On: on, Reduces: 2}, books)
				require.ErrorContains(t, err, "no number")
				require.NotContains(t, err.Error(), "\n")
				require.NoDirExists(t, out)
			})
		})
	}
}

// shell runs what it is given, once that ends.
type shell struct {
	*exec.Cmd
	text, said bytes.Buffer
}

// Write implements io.Writer.
func (s *shell) Write(p []byte) (int, error) { return s.text.Write(p) }

// Close implements io.Closer.
func (s *shell) Close() error {
	s.Stdin, s.Cmd.Stdout, s.Cmd.Stderr = &s.text, &s.said, &s.said
	return s.Start()
}

// What the Python file is, Python takes.
func TestSparkProgramCompiles(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	cmd := exec.Command(python, "-c", "import ast, sys; ast.parse(sys.stdin.read())")
	cmd.Stdin = bytes.NewReader(sparkProgram)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
