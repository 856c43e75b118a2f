package worker

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/worker/enginetest"
	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

var (
	bind    = enginetest.Bind
	bookOf  = enginetest.Book
	filesIn = enginetest.Files
	wanted  = enginetest.Wanted
)

// planOf returns the plan of a job, as in a program that has run nothing before.
func planOf(t testing.TB, name, dir, out string, inputs []string) *mr.Plan {
	runs.Store(0)
	earlierRuns = nil
	p, err := bind(name, dir, out, inputs)
	require.NoError(t, err)
	return p
}

// prepared returns the plan of a job, and the job as Submit prepares it for an engine.
func prepared(t *testing.T, name, out string, o Options, inputs []string) (*mr.Plan, *job) {
	p := planOf(t, name, "", out, inputs)
	require.NoError(t, p.SetupJob())
	j := &job{o: o}
	require.NoError(t, j.prepare(t.Context(), p))
	return p, j
}

// TestMain makes the test program a worker, too: its arguments are then a job, a folder for marks,
// an output and inputs.
func TestMain(m *testing.M) {
	play()
	lookEvery, watchEvery, watchStoreEvery = 20*time.Millisecond, 20*time.Millisecond, 20*time.Millisecond
	Main()
	if !IsWorker() {
		_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // of workers: a second each
		os.Exit(m.Run())
	}
	fmt.Println("user code may print") // Main must keep this text out of the frames
	args := os.Args[1:]
	if args[0] == "several" {
		fmt.Fprintln(os.Stderr, several(args[1], args[2:], Serve))
		os.Exit(4)
	}
	p, err := bind(args[0], args[1], args[2], args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1) // as log.Fatal does
	}
	if args[0] == "late" {
		os.Exit(0)
	}
	_, err = Serve(context.Background(), p)
	fmt.Fprintln(os.Stderr, "Serve has returned", err)
	os.Exit(4)
}

// several is a program that runs three jobs. The first one fails because its output exists. The
// third one reads the output of the second.
func several(dir string, inputs []string, run func(context.Context, *mr.Plan) (*counter.Set, error)) error {
	do := func(name, out string, inputs ...string) (*counter.Set, error) {
		p, err := bind(name, dir, dir+"/"+out, inputs)
		if err != nil {
			return nil, err
		}
		return run(context.Background(), p)
	}
	if _, err := do("sort", ".", inputs...); err == nil || !strings.Contains(err.Error(), "output exists") {
		return fmt.Errorf("the first job: %w", err)
	}
	c, err := do("sort", "sorted", inputs...)
	if err != nil {
		return err
	}
	if n := c.Get(counter.MapInputRecords); n < 1000 {
		return fmt.Errorf("%d records", n)
	}
	_, err = do("wordcount", "counted", dir+"/sorted")
	return err
}
