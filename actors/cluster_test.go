package actors

import (
	"context"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// Start rejects a bad configuration before it allocates memory, and names all of its mistakes.
func TestConfigErrorsAreAllNamed(t *testing.T) {
	_, err := Start(Config{Nodes: 2, Racks: 3, MapSlots: -1, ReduceSlots: -2, Replication: 5, Scheduler: "lottery", Memory: -1})
	require.ErrorIs(t, err, dfs.ErrReplication)
	require.ErrorIs(t, err, scheduling.ErrUnknownPolicy)
	for _, want := range []string{"3 racks for 2 nodes", "-1 map slots", "-2 reduce slots", "replication 5", "lottery", "-1 bytes"} {
		require.ErrorContains(t, err, want)
	}
	network := func(c NetworkConfig) Config { return Config{Network: c} }
	for _, x := range []struct {
		want string
		cfg  Config
	}{
		{`reduce placement "far"`, Config{ReducePlacement: "far"}},
		{"expiry", Config{HeartbeatInterval: time.Second, Expiry: time.Second}},
		{"at most", Config{Nodes: maxNodes + 1}},
		{"at most", Config{Nodes: 1 << 30}},
		{"at most", Config{MapSlots: maxSlots + 1}},
		{"at most", Config{ReduceSlots: maxSlots + 1}},
		{"node link", network(NetworkConfig{NodeLink: -1})},
		{"node link", network(NetworkConfig{NodeLink: math.NaN()})},
		{"node link", network(NetworkConfig{NodeLink: math.Inf(1)})},
		{"over-subscription", network(NetworkConfig{NodeLink: 1, Oversubscription: 0.5})},
	} {
		_, err := Start(x.cfg)
		require.ErrorContains(t, err, x.want)
	}
	require.NoError(t, network(NetworkConfig{NodeLink: 1e6, Oversubscription: 1}).Validate())
}

// A rejected job leaves no output, no blocks in the store and no memory of the budget.
func TestSubmitErrorsLeaveNothing(t *testing.T) {
	c := start(t, Config{IdleMemory: -1})
	dir := t.TempDir()
	bind := func(out string) *mapreduce.Plan {
		p, err := counting(1).Bind(mapreduce.Lines(mapreduce.Bytes("x", []byte("a b"))), mapreduce.Text[pair](mapreduce.Dir(out)))
		require.NoError(t, err)
		return p
	}
	_, err := c.Submit(context.Background(), bind(dir), SubmitOptions{})
	require.ErrorIs(t, err, mapreduce.ErrOutputExists)
	require.DirExists(t, dir, "what was there stays")

	_, err = c.Submit(context.Background(), bind(filepath.Join(dir, "out")), SubmitOptions{Priority: 9})
	require.ErrorIs(t, err, scheduling.ErrBadJob)
	require.NoDirExists(t, filepath.Join(dir, "out"))
	_, err = c.FS().Stat("_jobs/2")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Zero(t, c.env.memory.Used())

	h := c.submit(t, bind(filepath.Join(dir, "out")), SubmitOptions{})
	h.wait(t)
	require.FileExists(t, filepath.Join(dir, "out", "_SUCCESS"))
	got, err := os.ReadFile(filepath.Join(dir, "out", "part-r-00000"))
	require.NoError(t, err)
	require.Equal(t, "a\t1\nb\t1\n", string(got))
}

func TestTruncatedInputFailsTheJobNotTheProcess(t *testing.T) {
	c := start(t, Config{BlockSize: 1 << 20})
	path := filepath.Join(t.TempDir(), "big")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("some words\n", 400_000)), 0o600))
	src, err := mapreduce.File(path)
	require.NoError(t, err)
	job := mapped(1, func(line []byte, emit func(string, int64)) error {
		if err := os.Truncate(path, 0); err != nil {
			return err
		}
		return words(line, emit)
	})
	p, err := job.Bind(mapreduce.Lines(src), mapreduce.Text[pair](mapreduce.Dir(filepath.Join(t.TempDir(), "out"))))
	require.NoError(t, err)
	res, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
	require.ErrorIs(t, err, ErrJobFailed)
	require.ErrorIs(t, err, mapreduce.ErrInputChanged)
	require.EqualValues(t, 1, res.Counters.Named(counter.GroupJob, "Failed map tasks"), "not tried again")
}

func TestEndedJobsAreForgotten(t *testing.T) {
	c := start(t, Config{Nodes: 2, Replication: 1})
	before := runtime.NumGoroutine()
	for range 50 {
		c.submit(t, wordCount(t, "a b", 1), SubmitOptions{User: "u"}).wait(t)
	}
	require.Empty(t, c.env.registry.runs())
	require.NoError(t, c.ask(onTurn(func(jt *jobTracker) error {
		require.Empty(t, jt.runs)
		return nil
	})))
	entries, err := c.FS().ReadDir("_jobs")
	require.NoError(t, err)
	require.Empty(t, entries)
	c.requireNothingHeld(t)
	require.LessOrEqual(t, runtime.NumGoroutine(), before+2*2, "a goroutine a slot, none a job")
}

func TestCloseKillsWhatRuns(t *testing.T) {
	c, err := Start(Config{})
	require.NoError(t, err)
	h, _ := submitLines(t, c, tasked(1, untilKilled), "a\n")
	require.Equal(t, scheduling.JobRunning, h.Progress().State)
	require.NoError(t, c.Close())
	_, err = h.Wait(context.Background())
	require.ErrorIs(t, err, ErrJobKilled)
	require.ErrorContains(t, err, "the cluster is closed")
	require.NoError(t, c.Close())
	require.NoError(t, h.Kill("again"))
	_, err = c.Admit(SubmitOptions{})
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, c.Cordon("node-00", true), ErrClosed)
	_, err = c.Submit(context.Background(), wordCount(t, "a", 1), SubmitOptions{})
	require.ErrorIs(t, err, ErrClosed)
}

// untilKilled returns a map that works until its attempt is killed.
func untilKilled(task *mapreduce.Task) (mapper, error) {
	return mapper{Map: func([]byte, func(string, int64)) error {
		<-task.Context().Done()
		return task.Context().Err()
	}}, nil
}

func first[A, B any](a A, _ B) A { return a }

func TestNodesAreNamed(t *testing.T) {
	c := start(t, Config{Nodes: 3, Racks: 2, MapSlots: 2, ReduceSlots: 1})
	require.Equal(t, []string{"node-00", "node-01", "node-02"}, c.Nodes())
	require.ErrorIs(t, c.KillNode("node-09"), scheduling.ErrUnknownNode)
	require.ErrorIs(t, c.Cordon("node-09", true), scheduling.ErrUnknownNode)
	require.ErrorIs(t, c.StartNode("node-09"), scheduling.ErrUnknownNode)
	require.NoError(t, c.StopNode("node-01"))
	require.Equal(t, []string{"node-00", "node-02"}, c.Nodes())
	require.ErrorIs(t, c.StopNode("node-01"), scheduling.ErrUnknownNode)
	require.NoError(t, c.StartNode("node-01"))
	require.NoError(t, c.StartNode("node-01"), "it runs")
}

// Close waits at most the task timeout for user code that completes a job's output, and its error
// names the job. If that code returns earlier, or the timeout is off, Close waits for it. Callers
// of Wait get the job's result when the job has ended.
func TestCloseWaitsAtMostTheTimeout(t *testing.T) {
	for limit, after := range map[time.Duration]time.Duration{
		time.Minute: time.Hour, time.Hour: time.Minute, -1: 20 * time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			c, err := Start(Config{TaskTimeout: limit})
			require.NoError(t, err)
			release := make(chan struct{})
			p, contents, err := userPlan(t, "create success", func() error { <-release; return nil })
			require.NoError(t, err)
			h := c.submit(t, p, SubmitOptions{})
			pass(time.Second)
			time.AfterFunc(after, func() { close(release) })
			began := time.Now()
			err = c.Close()
			if took := time.Since(began); limit == time.Minute {
				require.ErrorIs(t, err, ErrTaskTimeout)
				require.ErrorContains(t, err, `the end of job_0001 "faults" does not return`)
				require.GreaterOrEqual(t, took, limit)
				require.Less(t, took, limit+30*time.Second)
			} else {
				require.NoError(t, err)
				require.Equal(t, after, took)
			}
			h.wait(t)
			require.Contains(t, contents(), "out/_SUCCESS")
			pass(time.Minute)
		})
	}
}

// Close waits for a Submit whose job is being prepared. This Submit returns ErrClosed, and nothing
// of its job remains.
func TestCloseWaitsForSubmits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := Start(Config{IdleMemory: -1})
		require.NoError(t, err)
		release := make(chan struct{})
		p, contents, err := userPlan(t, "setup", func() error { <-release; return nil })
		require.NoError(t, err)
		ended, closed := make(chan error, 1), make(chan error, 1)
		go func() {
			h, err := c.Submit(t.Context(), p, SubmitOptions{})
			if err == nil {
				_, err = h.Wait(t.Context())
			}
			ended <- err
		}()
		synctest.Wait()
		go func() { closed <- c.Close() }()
		pass(20 * time.Minute)
		require.Empty(t, closed, "a job is under way")
		require.Empty(t, ended)
		close(release)
		require.ErrorIs(t, <-ended, ErrClosed)
		require.NoError(t, <-closed)
		require.Empty(t, contents())
		require.Zero(t, c.env.memory.Used())
		pass(time.Minute)
	})
}

// An abandoned attempt that ends after its job leaves nothing in the block store.
func TestLateAttemptAndTheBlockStore(t *testing.T) {
	bubble(t, Config{MaxAttempts: 2, MapSlots: 1}, func(t *testing.T, c *Cluster) {
		release, first := make(chan struct{}), true
		job := mapreduce.MapOnly[string, string]{Map: func(line string, emit func(string)) error {
			if emit(line); first {
				first = false
				<-release
			}
			return nil
		}}
		p, err := job.Bind(mapreduce.LineStrings(mapreduce.Bytes("text", []byte("a\nb\n"))), mapreduce.Text[string](mapreduce.InDFS(c.FS(), "out")))
		require.NoError(t, err)
		c.submit(t, p, SubmitOptions{}).wait(t)
		before, err := fs.ReadDir(c.FS(), "out")
		require.NoError(t, err)
		close(release)
		pass(time.Minute)
		after, err := fs.ReadDir(c.FS(), "out")
		require.NoError(t, err)
		require.Equal(t, len(before), len(after), "%v", after)
	})
}

// An abandoned attempt that ends after its job does not change the output of a successful job,
// wherever it hangs. After a killed job it creates none.
func TestLateAttemptAndTheOutput(t *testing.T) {
	for place, succeeds := range map[string]bool{"map": true, "reduce": true, "begin": true, "write": true, "close map": false} {
		bubble(t, Config{MaxAttempts: 2, MapSlots: 1, ReduceSlots: 1}, func(t *testing.T, c *Cluster) {
			release, first := make(chan struct{}), true
			p, contents, err := userPlan(t, place, func() error {
				if first || !succeeds {
					first = false
					<-release
				}
				return nil
			})
			require.NoError(t, err)
			_, err = c.submit(t, p, SubmitOptions{}).Wait(t.Context())
			require.Equal(t, succeeds, err == nil, "%v", err)
			before := contents()
			require.Equal(t, succeeds, len(before) > 0)
			close(release)
			pass(time.Minute)
			require.Equal(t, before, contents(), place)
		})
	}
}
