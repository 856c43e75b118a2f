package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/worker/enginetest"
	mr "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// submit runs a job on an engine, and returns its output's folder.
func submit(t testing.TB, name string, o Options, inputs []string) (string, *counter.Set, error) {
	return submitTo(t, filepath.Join(t.TempDir(), "out"), name, o, inputs)
}

func submitTo(t testing.TB, out, name string, o Options, inputs []string) (string, *counter.Set, error) {
	dir := t.TempDir()
	o.Args = append([]string{name, dir, out}, inputs...)
	o.SpillDir = t.TempDir()
	if os.Getenv(hostsVariable) != "" { // tasks run as another user, who must read these files
		for _, d := range []string{dir, o.SpillDir, filepath.Dir(out)} {
			forAll(t, d)
		}
	}
	c, err := Submit(context.Background(), planOf(t, name, dir, out, inputs), o)
	left, _ := os.ReadDir(o.SpillDir)
	require.Empty(t, left)
	return out, c, err
}

const blockBytes = 30_000

// Every kind of job writes the same bytes in several processes as in one goroutine, and counts each
// record once, also if workers are killed.
func TestProcesses(t *testing.T) {
	inputsOf := enginetest.Inputs(t, t.TempDir())
	for _, name := range []string{
		"wordcount", "sort", "terasort", "secondary sort", "index", "grep", "floats", "routed", "join", "descending", "largest",
		"one key", "nothing", "kill map", "kill reduce",
	} {
		t.Run(name, func(t *testing.T) {
			inputs := inputsOf(name)
			want, local := wanted(t, name, 3, blockBytes, inputs)
			out, c, err := submit(t, name, Options{On: "processes:3", Reduces: 3, BlockSize: blockBytes, Memory: 64 << 20}, inputs)
			require.NoError(t, err)
			require.Equal(t, want, filesIn(t, out))
			for _, id := range []counter.ID{counter.MapInputRecords, counter.MapOutputRecords, counter.ReduceInputGroups, counter.ReduceOutputRecords} {
				require.Equal(t, local.Get(id), c.Get(id), id)
			}
		})
	}
}

// Processes skip bad records up to the maximum of the whole job, and list them as one process does.
// With more bad records the job fails and leaves no output.
func TestProcessesSkip(t *testing.T) {
	books := enginetest.Inputs(t, t.TempDir())("bad lines")
	want := filepath.Join(t.TempDir(), "want")
	p, err := bind("bad lines", t.TempDir(), want, books)
	require.NoError(t, err)
	c, err := mr.RunLocal(t.Context(), p, mr.LocalOptions{Reduces: 3, Blocks: p.Job().BlocksOf(blockBytes), MaxSkips: 1e6})
	require.NoError(t, err)
	n := int(c.Get(counter.MapSkippedRecords))
	require.Greater(t, n, 100)
	o := Options{On: "processes:3", Reduces: 3, BlockSize: blockBytes, MaxSkips: n}
	out, c, err := submit(t, "bad lines", o, books)
	require.NoError(t, err)
	require.EqualValues(t, n, c.Get(counter.MapSkippedRecords))
	require.Contains(t, filesIn(t, out), "_skipped.jsonl")
	require.Equal(t, filesIn(t, want), filesIn(t, out))
	for _, most := range []int{n - 1, 3} { // limits below the job's bad records, and below those of one map
		o.MaxSkips = most
		out, _, err = submit(t, "bad lines", o, books)
		require.ErrorContains(t, err, cluster.ErrTooManySkips.Error())
		require.NotContains(t, err.Error(), "\n")
		require.NoDirExists(t, out)
	}
}

// In a program of several jobs, a worker runs only its own job. Submit rejects concurrent jobs.
func TestSeveralRuns(t *testing.T) {
	dir := t.TempDir()
	book := bookOf(t, t.TempDir(), "a", 100_000)
	runs.Store(0)
	earlierRuns = nil
	err := several(dir, []string{book}, func(ctx context.Context, p *mr.Plan) (*counter.Set, error) {
		o := Options{On: "processes:2", Reduces: 2, BlockSize: blockBytes, Args: []string{"several", dir, book}}
		return Submit(ctx, p, o)
	})
	require.NoError(t, err)
	want, _ := wanted(t, "wordcount", 2, blockBytes, []string{book})
	require.Equal(t, want, filesIn(t, filepath.Join(dir, "counted")))

	submitting.Store(true)
	defer submitting.Store(false)
	p, err := bind("sort", "", filepath.Join(dir, "other"), []string{book})
	require.NoError(t, err)
	_, err = Submit(t.Context(), p, Options{On: "processes:2"})
	require.ErrorIs(t, err, errTogether)
}

// A job that cannot succeed fails with an error of one line that names the cause, and without
// output. Errors that would recur get no further attempts.
func TestProcessesFail(t *testing.T) {
	book := []string{bookOf(t, t.TempDir(), "a", 1000)}
	host, err := os.Hostname()
	require.NoError(t, err)
	on := "m-00000-0 on " + host + ": "
	for name, want := range map[string]string{
		"bad input":   on + book[0],
		"map fails":   "a map failed 2 times: " + on,
		"panic":       "enginetest/jobs.go:",
		"late":        "before its task did",
		"other types": "the one that submitted it",
		"crash":       "a map failed 2 times: " + on + "panic: away from the map (enginetest/jobs.go:",
		"exit":        "a map failed 2 times: " + on + "the user's code has ended the process, with code 7",
		"exit well":   on + "the program ended, with code 0,",
		"end":         "user code ended its goroutine (runtime.Goexit, as t.Fatal does) at enginetest/jobs.go:",
		"missing":     on + "the user's code has ended the process, with code 1 (as by os.Exit): open " + book[0] + ".here: no such file or directory",
		"hang":        "task timeout: no progress for 300ms, in " + book[0] + ", bytes 0 to ",
	} {
		var log bytes.Buffer
		out, _, err := submit(t, name, Options{On: "processes:2", MaxAttempts: 2, TaskTimeout: 300 * time.Millisecond, Log: &log}, book)
		require.ErrorContains(t, err, want, name)
		require.NotContains(t, err.Error(), "\n")
		require.NoDirExists(t, out)
		again := strings.Contains("map fails panic crash exit end hang missing", name)
		require.Equal(t, again, log.Len() > 0, "%s: tried again: %s", name, log.String())
		if name == "hang" {
			require.ErrorContains(t, err, ", at enginetest/jobs.go:")
		}
	}
}

// The task timeout also applies to a suspended worker: it is killed, and the task is retried.
func TestStoppedWorkers(t *testing.T) {
	book := []string{bookOf(t, t.TempDir(), "a", 1000)}
	for _, name := range []string{"stop map", "stop reduce"} {
		want, _ := wanted(t, name, 2, blockBytes, book)
		var log bytes.Buffer
		o := Options{On: "processes:2", Reduces: 2, BlockSize: blockBytes, TaskTimeout: 100 * time.Millisecond, Log: &log}
		out, _, err := submit(t, name, o, book)
		require.NoError(t, err, name)
		require.Equal(t, want, filesIn(t, out), name)
		require.Contains(t, log.String(), "task timeout: its process gave no sign of life", name)
	}
}

// Jobs on an empty input, with more reduces than keys, write the right output in one process.
func TestProcessesSmall(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for _, name := range []string{"wordcount", "sort", "grep"} {
		want, _ := wanted(t, name, 5, blockBytes, []string{empty})
		out, _, err := submit(t, name, Options{On: "processes:1", Reduces: 5, BlockSize: blockBytes}, []string{empty})
		require.NoError(t, err)
		require.Equal(t, want, filesIn(t, out))
	}
}

// Submit rejects jobs with inputs or outputs that other processes cannot reach.
func TestStays(t *testing.T) {
	text := mr.Text[[]byte]
	grep := mr.MapOnly[[]byte, []byte]{Map: func(b []byte, emit func([]byte)) error { emit(b); return nil }}
	out := filepath.Join(t.TempDir(), "out")
	var c mr.Collected[[]byte]
	for want, bind := range map[string]func() (*mr.Plan, error){
		"slice: records":        func() (*mr.Plan, error) { return grep.Bind(mr.Slice([][]byte{{1}}), text(mr.Dir(out))) },
		"pipe: a stream cannot": func() (*mr.Plan, error) { return grep.Bind(mr.Lines(mr.Stream("pipe", os.Stdin)), text(mr.Dir(out))) },
		"give it a directory": func() (*mr.Plan, error) {
			return grep.Bind(mr.Lines(mr.Bytes("b", nil)), text(mr.Writer("w", &bytes.Buffer{})))
		},
		"output memory": func() (*mr.Plan, error) { return grep.Bind(mr.Lines(mr.Bytes("b", nil)), c.Output()) },
	} {
		p, err := bind()
		require.NoError(t, err)
		_, err = Submit(t.Context(), p, Options{On: "processes:1"})
		require.ErrorIs(t, err, cluster.ErrStays)
		require.ErrorContains(t, err, want)
		require.NoDirExists(t, out)
		require.NoError(t, p.Claim(), "nothing has begun")
	}
}

// Arguments may be longer than an environment variable (128 KiB on Linux), such as the names of two
// thousand files, with spaces, quotes, line feeds and letters of all scripts.
func TestLongArguments(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sp ace's \"ü\" ñ\n$x")
	require.NoError(t, os.Mkdir(dir, 0o700))
	var books []string
	for i := range 2000 {
		name := filepath.Join(dir, fmt.Sprintf("a name that is somewhat longer than names mostly are, of file %d", i))
		require.NoError(t, os.WriteFile(name, []byte("one line\n"), 0o600))
		books = append(books, name)
	}
	want, _ := wanted(t, "sort", 2, blockBytes, books)
	out, _, err := submitTo(t, dir+"/out", "sort", Options{On: "processes:2", Reduces: 2, BlockSize: 10 << 20}, books)
	require.NoError(t, err)
	require.Equal(t, want, filesIn(t, out))
}

// If an input changes after the job has begun, the job fails and its error names the file.
func TestInputsChange(t *testing.T) {
	book := bookOf(t, t.TempDir(), "a", 100_000)
	for _, how := range []string{"grows", "another"} {
		out, _, err := submit(t, how, Options{On: "processes:1", Reduces: 2, BlockSize: blockBytes}, []string{book})
		require.ErrorContains(t, err, book, how)
		require.ErrorContains(t, err, mr.ErrInputChanged.Error())
		require.NotContains(t, err.Error(), "\n")
		require.NoDirExists(t, out)
	}
}

// A run fails if another run is writing the same output, or if the output exists.
func TestOutputIsTaken(t *testing.T) {
	book := []string{bookOf(t, t.TempDir(), "a", 1000)}
	out := filepath.Join(t.TempDir(), "out")
	p, err := bind("sort", "", out, book)
	require.NoError(t, err)
	require.NoError(t, p.SetupJob())
	_, _, err = submitTo(t, out, "sort", Options{On: "processes:1"}, book)
	require.ErrorContains(t, err, "another run is writing it")
	require.NoError(t, p.AbortJob())
	_, _, err = submitTo(t, out, "sort", Options{On: "processes:1"}, book)
	require.NoError(t, err)
	_, _, err = submitTo(t, out, "sort", Options{On: "processes:1"}, book)
	require.ErrorIs(t, err, mr.ErrOutputExists)
}

// If the context ends, Submit ends hanging workers, kills the job at its engine and removes its
// files.
func TestInterrupted(t *testing.T) {
	for _, on := range []string{"processes:1", "yarn"} {
		book, dir := []string{bookOf(t, t.TempDir(), "a", 1000)}, t.TempDir()
		out := filepath.Join(t.TempDir(), "out")
		playEngines(t)
		ctx, stop := context.WithCancelCause(t.Context())
		enough := errors.New("enough of this")
		go func() {
			for ctx.Err() == nil {
				if _, err := os.Stat(dir + "/hangs"); err == nil {
					stop(enough)
				}
				time.Sleep(time.Millisecond)
			}
		}()
		o := Options{On: on, SpillDir: t.TempDir(), Args: append([]string{"hang", dir, out}, book...)}
		_, err := Submit(ctx, planOf(t, "hang", dir, out, book), o)
		require.ErrorIs(t, err, enough)
		require.NoDirExists(t, out)
		left, err := filepath.Glob(os.Getenv("TMPDIR") + "/tarry-Hadoop-*")
		require.NoError(t, err)
		require.Empty(t, left, "its logs are nobody's")
		if on == "yarn" {
			require.Contains(t, remembered("commands"), "JobClient -kill job_17_0001")
			continue // its workers, which run in this test's hosts, may still be ending
		}
		spills, err := os.ReadDir(o.SpillDir)
		require.NoError(t, err)
		require.Empty(t, spills)
	}
}

// Check accepts the documented names of engines, and rejects other spellings.
func TestEngines(t *testing.T) {
	for _, on := range []string{
		"processes:4", "local[2]", "local[*]", "local[2,4]", "local-cluster[2,1,1024]", "spark://a:7077", "spark://a:1,b:2", "spark:yarn",
		"k8s://https://a",
	} {
		require.NoError(t, Check(on, &Settings{}), on)
	}
	for _, on := range []string{
		"", "processes", "processes:", "processes:0", "processes:-1", "processes:x", "mars", "prism", "beam://", "beam://host:1",
		"local", "local[", "local[x]", "local[]", "local-cluster[2]", "spark://", "spark://a", "k8s://",
	} {
		require.Error(t, Check(on, &Settings{}), on)
	}
}
