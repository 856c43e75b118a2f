package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/worker"
	"github.com/tarry-mr/tarry/scheduling"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata/script")

// briefExit lets the race detector sleep 10 ms, not a second, at the end of each process.
const briefExit = "atexit_sleep_ms=10"

// TestMain lets scripts and tests run this test binary as the command tarry.
func TestMain(m *testing.M) {
	worker.Main()
	if err := os.Setenv("GORACE", briefExit); err != nil {
		panic(err)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGCONT) // starts the signal goroutine outside of synctest
	testscript.Main(m, map[string]func(){"tarry": func() { os.Exit(Main(os.Args[1:], scheduling.Parts{})) }})
}

// TestScripts runs command lines as users do, with arguments, files and pipes. The scripts check
// exit codes, output and files.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("LC_ALL", "C")
			e.Setenv("GORACE", briefExit)
			e.Setenv("TMPDIR", e.WorkDir+"/.tmp")
			return os.MkdirAll(e.WorkDir+"/.tmp", 0o700)
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "full":
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			case "hangup": // nohup makes children ignore SIGHUP
				return !signal.Ignored(syscall.SIGHUP), nil
			case "long":
				return os.Getenv("LONG_TESTS") != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": scriptExits,
			"lines": scriptLines,
		},
	})
}

// scriptExits is the script command `exits CODE COMMAND...`: COMMAND must exit with CODE.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if err != nil {
		code = -1
		if e, ok := err.(*exec.ExitError); ok { //nolint:errorlint // from Exec as it is
			code = e.ExitCode()
		}
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("exit code %d (%v), want %s", code, err, args[0])
	}
}

// scriptLines is the script command `lines N FILE`. FILE, or stdout or stderr, must have N lines.
func scriptLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines N FILE")
	}
	if n := bytes.Count([]byte(ts.ReadFile(args[1])), []byte("\n")); fmt.Sprint(n) != args[0] {
		ts.Fatalf("%s has %d lines, want %s:\n%s", args[1], n, args[0], ts.ReadFile(args[1]))
	}
}

// outcome is what a command line did: exit code, standard output and error, and time.
type outcome struct {
	code      int
	out, errs string
	took      time.Duration
}

// runHere runs a command line in this process, with env as its whole environment and with empty
// standard input.
func runHere(t *testing.T, args []string, env map[string]string) outcome {
	t.Helper()
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	var out, errs bytes.Buffer
	getenv := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	p := &program{stdin: null, stdout: &out, stderr: &errs, getenv: getenv}
	began := time.Now()
	code := p.answer(context.Background(), newRoot(p), args)
	return outcome{code, out.String(), errs.String(), time.Since(began)}
}

// write makes a file.
func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}
