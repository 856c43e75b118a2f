package actors

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

func TestWordCountOnOneNode(t *testing.T) {
	c := start(t, Config{})
	text := prose(1, 500)
	p, out := bindLines(t, counting(3), text)
	h := c.submit(t, p, SubmitOptions{User: "ada"})
	r := h.wait(t)
	require.Equal(t, oracle(t, counting(3), text), out.String())
	require.Equal(t, scheduling.JobSucceeded, r.State)
	require.Equal(t, int64(500), r.Counters.Get(counter.MapInputRecords))
	maps, reduces := launches(r)
	require.EqualValues(t, 1, maps)
	require.EqualValues(t, 3, reduces)

	pr := h.Progress()
	require.Equal(t, scheduling.JobSucceeded, pr.State)
	require.Equal(t, TaskCounts{Total: 1, Done: 1}, pr.Maps)
	require.Equal(t, TaskCounts{Total: 3, Done: 3}, pr.Reduces)
	require.Equal(t, 1.0, pr.MapFraction)
	require.Equal(t, 1.0, pr.ReduceFraction)
	require.Equal(t, int64(500), pr.Records)
	require.Equal(t, int64(len(text)), pr.Bytes)
	require.Equal(t, pr.InputBytes, pr.Bytes)
	require.Equal(t, 1, pr.NodeLocal)
	require.Equal(t, r.Elapsed, pr.Elapsed)
}

func TestConfigErrorsAreAllNamed(t *testing.T) {
	_, err := Start(Config{Nodes: 2, Racks: 3, MapSlots: -1, ReduceSlots: -2, Replication: 5, Scheduler: "lottery", Memory: -1})
	require.ErrorIs(t, err, dfs.ErrReplication)
	require.ErrorIs(t, err, scheduling.ErrUnknownPolicy)
	for _, want := range []string{"3 racks for 2 nodes", "-1 map slots", "-2 reduce slots", "replication 5", "lottery", "-1 bytes"} {
		require.ErrorContains(t, err, want)
	}
	_, err = Start(Config{ReducePlacement: "far"})
	require.ErrorContains(t, err, `reduce placement "far"`)
	_, err = Start(Config{HeartbeatInterval: time.Second, Expiry: time.Second})
	require.ErrorContains(t, err, "expiry")
}

func TestSubmitErrorsLeaveNothing(t *testing.T) {
	c := start(t, Config{})
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
	job := counting(1)
	job.Map = func(line []byte, emit func(string, int64)) error {
		if err := os.Truncate(path, 0); err != nil {
			return err
		}
		return words(line, emit)
	}
	p, err := job.Bind(mapreduce.Lines(src), mapreduce.Text[pair](mapreduce.Dir(filepath.Join(t.TempDir(), "out"))))
	require.NoError(t, err)
	res, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
	require.ErrorIs(t, err, ErrJobFailed)
	require.ErrorIs(t, err, mapreduce.ErrInputChanged)
	require.EqualValues(t, 1, res.Counters.Named(counter.GroupJob, "Failed map tasks"), "not tried again")
}

func TestStoredFilesAreInput(t *testing.T) {
	c := start(t, Config{Nodes: 4, Racks: 2, BlockSize: 500})
	text := prose(3, 200)
	require.NoError(t, c.FS().WriteFile("in/text", []byte(text)))
	data, err := c.FS().OpenSource("in/text")
	require.NoError(t, err)
	src, err := mapreduce.Stored(data)
	require.NoError(t, err)
	var out mapreduce.Collected[pair]
	p, err := counting(2).Bind(mapreduce.Lines(src), out.Output())
	require.NoError(t, err)
	r := c.submit(t, p, SubmitOptions{}).wait(t)
	maps, _ := launches(r)
	require.Greater(t, maps, int64(5))
	_, err = c.FS().Stat("in/text")
	require.NoError(t, err, "the job's end leaves the file")
}

func TestStreamIsInput(t *testing.T) {
	c := start(t, Config{Nodes: 3})
	text := prose(4, 300)
	var out bytes.Buffer
	p, err := counting(2).Bind(mapreduce.Lines(mapreduce.Stream("-", strings.NewReader(text))), mapreduce.Text[pair](mapreduce.Writer("out", &out)))
	require.NoError(t, err)
	h := c.submit(t, p, SubmitOptions{})
	h.wait(t)
	require.Equal(t, oracle(t, counting(2), text), out.String())
	require.Equal(t, 1, h.Progress().AnyPlace)
}

// One map reads several small files that are neighbors in the input and on the same nodes.
func TestManySmallFiles(t *testing.T) {
	require.Equal(t, 67, mapsOfSmallFiles(t, Config{Nodes: 1}), "15 files, each counted 16 KiB larger than it is, make a block of 256 KiB")
	require.Equal(t, 1000, mapsOfSmallFiles(t, Config{Nodes: 5, Racks: 2, BlockSize: 100}))
	require.InDelta(t, 950, mapsOfSmallFiles(t, Config{Nodes: 5, Racks: 2}), 45, "few neighbors have the same nodes")
}

// mapsOfSmallFiles counts the words of a thousand files, and returns the number of maps used.
func mapsOfSmallFiles(t *testing.T, cfg Config) int {
	c := start(t, cfg)
	dir := t.TempDir()
	var all strings.Builder
	for i := range 1000 {
		line := fmt.Sprintf("file%d of many\n", i%7)
		all.WriteString(line)
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%04d", i)), []byte(line), 0o600))
	}
	srcs, err := mapreduce.Files(dir)
	require.NoError(t, err)
	var out bytes.Buffer
	p, err := counting(2).Bind(mapreduce.Lines(srcs...), mapreduce.Text[pair](mapreduce.Writer("out", &out)))
	require.NoError(t, err)
	h := c.submit(t, p, SubmitOptions{})
	h.wait(t)
	require.Equal(t, oracle(t, counting(2), all.String()), out.String())
	return h.Progress().Maps.Done
}

func TestEndedJobsAreForgotten(t *testing.T) {
	c := start(t, Config{})
	before := runtime.NumGoroutine()
	for range 50 {
		c.submit(t, wordCount(t, "a b", 1), SubmitOptions{User: "u"}).wait(t)
	}
	<-c.registry.whenIdle()
	require.Empty(t, c.registry.runs())
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
	job := counting(1)
	job.Map, job.MapTask = nil, untilKilled
	h := c.submit(t, first(bindLines(t, job, "a\n")), SubmitOptions{})
	require.Equal(t, scheduling.JobRunning, h.Progress().State)
	require.NoError(t, c.Close())
	_, err = h.Wait(context.Background())
	require.ErrorIs(t, err, ErrJobKilled)
	require.ErrorContains(t, err, "the cluster is closed")
	require.NoError(t, c.Close())
	require.NoError(t, h.Kill("again"))
	require.ErrorIs(t, c.Cordon("node-00", true), ErrClosed)
	_, err = c.Submit(context.Background(), wordCount(t, "a", 1), SubmitOptions{})
	require.ErrorIs(t, err, ErrClosed)
}

// untilKilled returns a map that works until its attempt is killed.
func untilKilled(task *mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) {
	return mapreduce.Mapper[[]byte, string, int64]{Map: func([]byte, func(string, int64)) error {
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
