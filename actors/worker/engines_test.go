package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/worker/enginetest"
)

// engineTest is an engine to test if the environment variable that variable names is set: to its
// Options.On. internal/tools/engines/test.sh starts external engines and sets the variable.
type engineTest struct {
	name, variable string
	retries        bool // it retries failed tasks
	copies         bool // it is configured to start speculative attempts
	brief          bool // runs only one job; a similar engine runs the others
}

var engineTests = []engineTest{
	{"processes", "", true, false, false}, // TestProcesses runs its jobs
	{"streaming in one process", "TARRY_TEST_LIGHT", false, false, false},
	{"streaming on YARN", "TARRY_TEST_YARN", true, true, false},
	{"spark in one process", "TARRY_TEST_SPARK", false, false, true},
	{"spark with executors", "TARRY_TEST_SPARK_CLUSTER", true, false, true},
	{"spark on hosts", "TARRY_TEST_SPARK_HOSTS", true, true, false},
	{"slurm", "TARRY_TEST_SLURM", true, false, false},
}

// on returns the engine's name for Options.On, or skips the test if its variable is not set.
func (e engineTest) on(t *testing.T) string {
	if e.variable == "" {
		return "processes:2"
	}
	on := os.Getenv(e.variable)
	if on == "" {
		t.Skipf("%s is not set: %s is not tested", e.variable, e.name)
	}
	if command := os.Getenv(e.variable + "_HADOOP"); command != "" {
		t.Setenv(HadoopVariable, command)
	}
	return on
}

// A program writes the same bytes on every engine, also if workers are killed.
func TestOnEngines(t *testing.T) {
	h, dir := realHosts(t), t.TempDir()
	inputs := enginetest.Inputs(t, dir)
	if h != nil { // tasks run as another user, who must read these files
		forAll(t, dir)
		require.NoError(t, filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chmod(name, 0o755))
		}))
	}
	for _, e := range engineTests {
		t.Run(e.name, func(t *testing.T) {
			on := e.on(t)
			for _, name := range []string{
				"wordcount", "sort", "terasort", "secondary sort", "index", "floats", "routed", "join", "grep", "one key", "largest",
				"nothing", "kill map", "kill reduce", "slow",
			} {
				if e.variable == "" || !e.retries && strings.HasPrefix(name, "kill") || !e.copies && name == "slow" || e.brief && name != "wordcount" {
					continue
				}
				t.Run(name, func(t *testing.T) {
					want, _ := wanted(t, name, 2, 2*blockBytes, inputs(name))
					var log bytes.Buffer
					out, _, err := submit(t, name, Options{On: on, Reduces: 2, BlockSize: 2 * blockBytes, Log: &log}, inputs(name))
					require.NoError(t, err)
					require.Equal(t, want, filesIn(t, out))
					if e.variable == "TARRY_TEST_YARN" {
						require.NotContains(t, log.String(), "job_local")
					}
				})
			}
			if e.variable == "TARRY_TEST_LIGHT" {
				t.Run("a line for others", func(t *testing.T) {
					want, _ := wanted(t, "wordcount", 1, 2*blockBytes, inputs("wordcount"))
					sh := &shell{Cmd: exec.Command("sh")}
					o := Options{On: "streaming-command", Reduces: 1, BlockSize: 2 * blockBytes, Print: sh}
					out, _, err := submit(t, "wordcount", o, inputs("wordcount"))
					require.NoError(t, err, "%s", sh.said.String())
					require.Equal(t, want, filesIn(t, out))
				})
			}
			if e.brief {
				return
			}
			t.Run("wrong", func(t *testing.T) { wrongOn(t, on, inputs("wordcount")) })
			t.Run("a thousand maps", func(t *testing.T) { thousandOn(t, on, inputs("sort")) })
		})
	}
}

// wrongOn runs jobs that must fail on the engine: with an error of one line and without output.
func wrongOn(t *testing.T, on string, books []string) {
	failed := func(out string, err error, want ...string) {
		t.Helper()
		for _, w := range want {
			require.ErrorContains(t, err, w)
		}
		require.NotContains(t, err.Error(), "\n")
		require.NoDirExists(t, out)
	}
	for name, want := range map[string]string{"bad input": "no number", "map fails": "never works"} {
		out, _, err := submit(t, name, Options{On: on, Reduces: 2, MaxAttempts: 2}, books)
		failed(out, err, want)
	}
	out, err := submitAsAnother(t, on, books)
	this, programErr := thisProgram()
	require.NoError(t, programErr)
	failed(out, err, "/elsewhere/program", "00000000deadbeef", this.Sum)
	t.Run("full disk", func(t *testing.T) {
		if os.Getenv(hostsVariable) != "" && (on == os.Getenv("TARRY_TEST_SPARK_HOSTS") || on == "slurm" || on == os.Getenv("TARRY_TEST_YARN")) {
			t.Skip("TestOnEnginesFaults fills the disks of hosts")
		}
		disk := enginetest.SmallDisk(t, "100k")
		out, _, err := submitTo(t, disk+"/out", "sort", Options{On: on, Reduces: 2, BlockSize: 2 * blockBytes, MaxAttempts: 2}, books)
		failed(out, err, "no space left on device", disk)
	})
}

// submitAsAnother submits a job whose plan names another program, so that workers must reject it.
func submitAsAnother(t *testing.T, on string, inputs []string) (out string, err error) {
	out = filepath.Join(t.TempDir(), "out")
	e, err := parseEngine(on)
	require.NoError(t, err)
	p, j := prepared(t, "sort", out,
		Options{On: on, Reduces: 2, MaxAttempts: 2, SpillDir: t.TempDir(), Args: append([]string{"sort", "", out}, inputs...)}, inputs)
	work := j.task(mapTask, 0, 0)
	f, err := work.readPlan()
	require.NoError(t, err)
	f.Programs = []program{{Path: "/elsewhere/program", Sum: "00000000deadbeef"}}
	b, err := json.Marshal(f)
	require.NoError(t, err)
	require.NoError(t, j.temp.write(planName, b))
	err = e.run(t.Context(), j)
	require.NoError(t, p.AbortJob())
	return out, err
}

// thousandOn requires the right output from a job of 1,000 maps and 100 reduces on the engine.
func thousandOn(t *testing.T, on string, books []string) {
	if much := os.Getenv("TARRY_TEST_THOUSAND"); much != "all" && (much == "" || !strings.HasPrefix(on, "processes")) {
		t.Skip("TARRY_TEST_THOUSAND=all tries it: minutes, and half an hour on YARN and Slurm")
	}
	const block = 120
	p, err := bind("sort", "", filepath.Join(t.TempDir(), "out"), books)
	require.NoError(t, err)
	splits, err := p.Splits(t.Context(), p.Job().BlocksOf(block))
	require.NoError(t, err)
	require.Greater(t, len(splits), 990)
	require.Less(t, len(splits), 1010)
	want, _ := wanted(t, "sort", 100, block, books)
	out, _, err := submit(t, "sort", Options{On: on, Reduces: 100, BlockSize: block}, books)
	require.NoError(t, err)
	require.Equal(t, want, filesIn(t, out))
}

// shell is a writer that, when closed, starts its command with the written text as standard input.
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

// The Python program that the package submits to Spark has valid syntax.
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
