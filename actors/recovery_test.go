package actors

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/calls"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// remembering runs f with a cluster that has a State in dir.
func remembering(t *testing.T, dir string, cfg Config, f func(t *testing.T, c *Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		saved, err := state.Open(dir, cfg.Parts)
		require.NoError(t, err)
		cfg.State = saved
		c, err := Start(cfg)
		require.NoError(t, err)
		defer func() {
			require.NoError(t, c.Close())
			require.NoError(t, saved.Close())
			pass(time.Minute)
		}()
		f(t, c)
	})
}

// panicky makes the scheduler panic when it ranks a job: once, and after each of the next restarts
// of the scheduler once more. Its method panics sets the total number.
type panicky struct {
	slog.Handler
	armed atomic.Bool
	times atomic.Int32
}

// in returns cfg with p's order of jobs, the order of submission, and p's log.
func (p *panicky) in(cfg Config) Config {
	cfg.Policy = scheduling.Policy{Order: "panicky", SlowStart: -1}
	cfg.Parts.Orders = map[string]func() scheduling.JobOrder{"panicky": func() scheduling.JobOrder { return p }}
	cfg.Logger = slog.New(p)
	return cfg
}

func (p *panicky) Rank(_ scheduling.View, id scheduling.JobID, _ scheduling.TaskKind) float64 {
	if p.armed.CompareAndSwap(true, false) {
		panic("a fault in the policy")
	}
	return float64(id)
}

// panics sets the number of panics.
func (p *panicky) panics(times int32) {
	p.times.Store(times - 1)
	p.armed.Store(times > 0)
}

func (p *panicky) Enabled(context.Context, slog.Level) bool { return true }

func (p *panicky) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "the scheduler goes on from its log" && p.times.Add(-1) >= 0 {
		p.armed.Store(true)
	}
	return nil
}

func (p *panicky) WithAttrs([]slog.Attr) slog.Handler { return p }

// slow returns a word count with slow maps, which fail at a line that contains "bad".
func slow(reducers int) countJob {
	return mapped(reducers, func(line []byte, emit func(string, int64)) error {
		if err := slowLine(line); err != nil {
			return err
		}
		return words(line, emit)
	})
}

// slowLine takes 100 ms for a line and fails if the line contains "bad".
func slowLine(line []byte) error {
	time.Sleep(100 * time.Millisecond)
	if bytes.Contains(line, []byte("bad")) {
		return errUser
	}
	return nil
}

// After a panic at any time, the JobTracker continues from its log. The job has the same output and
// the same number of attempts as without the panic.
func TestSchedulerContinues(t *testing.T) {
	text := prose(3, 40)
	want := oracle(t, counting(3), text)
	for late := time.Duration(0); late < 5*time.Second; late += 173 * time.Millisecond {
		p := new(panicky)
		cfg := p.in(Config{Nodes: 4, Racks: 2, MapSlots: 1, ReduceSlots: 1, BlockSize: 40})
		remembering(t, t.TempDir(), cfg, func(t *testing.T, c *Cluster) {
			h, out := submitLines(t, c, slow(3), text)
			pass(late)
			before := h.Progress()
			p.panics(2) // two panics, of one call or of two
			r := h.wait(t)
			require.Equal(t, want, out.String())
			maps, reduces := launches(r)
			require.Equal(t, int64(before.Maps.Total), maps, "at %v", late)
			require.Equal(t, int64(3), reduces, "at %v", late)
			require.Equal(t, before.Maps.Total, h.Progress().Maps.Done)
		})
	}
}

// If one message leads to two calls of the scheduler and the second one panics, the effect of the
// first remains: here the loss of a node that a heartbeat reveals.
func TestSchedulerContinuesAfterEarlierCalls(t *testing.T) {
	for step := range 12 {
		p := new(panicky)
		var lost, killed atomic.Int32
		cfg := Config{
			Nodes: 3, MapSlots: 4, ReduceSlots: 1, BlockSize: 40, Expiry: 3*time.Second + time.Duration(step)*50*time.Millisecond,
			Calls: func(call *calls.Call) {
				if call.Op == calls.Expire {
					p.panics(1)
				}
			},
			Events: func(e Event) {
				switch e.Type {
				case event.Lost:
					lost.Add(1)
				case event.Killed:
					killed.Add(1)
				default: // other events do not matter
				}
			},
		}
		remembering(t, t.TempDir(), p.in(cfg), func(t *testing.T, c *Cluster) {
			h, out := submitLines(t, c, slow(2), prose(10, 300))
			pass(300 * time.Millisecond)
			require.NoError(t, c.KillNode("node-01"))
			h.wait(t)
			require.Equal(t, oracle(t, counting(2), prose(10, 300)), out.String())
			require.Equal(t, int32(1), lost.Load())
			at := h.Progress()
			require.Equal(t, int(killed.Load()), at.Maps.Killed+at.Reduces.Killed)
			require.Positive(t, at.Maps.Killed)
			require.Equal(t, at.Maps.Total, at.Maps.Done)
			require.Zero(t, at.Maps.Running)
		})
	}
}

// copyTree copies a directory, which may change meanwhile, except its files "lock".
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return nil // it was just removed
		}
		rel, err := filepath.Rel(from, path)
		require.NoError(t, err)
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		if b, err := os.ReadFile(path); err == nil && d.Name() != "lock" {
			return os.WriteFile(filepath.Join(to, rel), b, 0o666)
		}
		return nil
	}))
}

// binder returns the plan of a job that reads src and writes to to.
type binder func(src mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error)

// reducing binds a slow word count.
func reducing(src mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
	job := slow(4)
	reduce := job.Reduce
	job.Reduce = func(k string, vs iter.Seq[int64], emit func(pair)) error {
		time.Sleep(60 * time.Millisecond)
		return reduce(k, vs, emit)
	}
	return job.Bind(mapreduce.Lines(src), mapreduce.Text[pair](to))
}

// mapping binds a slow job without reduces.
func mapping(src mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
	job := mapreduce.MapOnly[[]byte, []byte]{Name: "copy", Map: func(line []byte, emit func([]byte)) error {
		emit(line)
		return slowLine(line)
	}}
	return job.Bind(mapreduce.Lines(src), mapreduce.Text[[]byte](to))
}

// bindFile returns a plan that reads a file of dir and writes to a resumable directory.
func bindFile(t *testing.T, dir string, s *state.Dir, key string, bind binder) *mapreduce.Plan {
	t.Helper()
	src, err := mapreduce.File(filepath.Join(dir, "in"))
	require.NoError(t, err)
	p, err := bind(src, mapreduce.Dir(filepath.Join(dir, "out")).Resumable(s.Token(key)))
	require.NoError(t, err)
	return p
}

// parts returns the concatenated parts of the output below dir.
func parts(t *testing.T, dir string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "out", "part-*"))
	require.NoError(t, err)
	var all strings.Builder
	for _, name := range list {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		all.Write(b)
	}
	return all.String()
}

// From the files that are on disk at any moment of a job, as after a kill, another cluster
// continues the job. Tasks that had committed do not rerun, and the output is the same. Each
// skipped record is listed once, whether maps that committed before have skipped it or others.
func TestAnotherProcessContinues(t *testing.T) {
	t.Run("with reduces", func(t *testing.T) { testAnotherProcess(t, reducing, false) })
	t.Run("without", func(t *testing.T) { testAnotherProcess(t, mapping, true) })
}

func testAnotherProcess(t *testing.T, job binder, mapOnly bool) {
	home := t.TempDir()
	text, _, bad := spoiled(130)
	cfg, o := Config{Nodes: 2, MapSlots: 2, ReduceSlots: 1, BlockSize: 200}, SubmitOptions{Key: "count", MaxSkips: bad}
	inputFile(t, home, text)
	var moments []string // copies of all files, as a process leaves them that is killed at that moment
	remembering(t, filepath.Join(home, "state"), cfg, func(t *testing.T, c *Cluster) {
		h := c.submit(t, bindFile(t, home, c.env.cfg.State, "count", job), o)
		require.EqualValues(t, 1, h.ID())
		for !isClosed(h.run.done) {
			to := filepath.Join(home, "moments", fmt.Sprint(len(moments)))
			for _, name := range []string{"state", "out", "_out.new"} {
				copyTree(t, filepath.Join(home, name), filepath.Join(to, name))
			}
			inputFile(t, to, text)
			moments = append(moments, to)
			time.Sleep(317 * time.Millisecond)
		}
		h.wait(t)
	})
	want, list := parts(t, home), quarantined(t, home)
	require.NotEmpty(t, want)
	require.Len(t, list, bad)
	require.Greater(t, len(moments), 5)
	kept, resumed := 0, 0 // parts of tasks and skips of maps that did not run again
	for i, at := range moments {
		before, err := filepath.Glob(filepath.Join(at, "*out*", "part-*"))
		require.NoError(t, err)
		done := false
		remembering(t, filepath.Join(at, "state"), cfg, func(t *testing.T, c *Cluster) {
			saved := c.env.cfg.State
			if _, done = saved.Succeeded("count"); done {
				require.Equal(t, len(moments)-1, i)
				return
			}
			kept += len(before)
			h := c.submit(t, bindFile(t, at, saved, "count", job), o)
			require.EqualValues(t, 1, h.ID())
			resumed += h.run.leftOut()
			r := h.wait(t)
			maps, reduces := launches(r)
			if mapOnly {
				failed := r.Counters.Named(counter.GroupJob, "Failed map tasks")
				require.EqualValues(t, h.Progress().Maps.Total-len(before), maps-failed)
			} else {
				require.EqualValues(t, 4-len(before), reduces)
			}
			require.Equal(t, h.Progress().Reduces.Total, h.Progress().Reduces.Done)
			require.Len(t, r.Skipped, bad)
			require.EqualValues(t, bad, r.Counters.Get(counter.MapSkippedRecords))
			require.Empty(t, saved.Skips("count"), "the job is over")
			how, yes := saved.Succeeded("count")
			require.True(t, yes)
			require.Equal(t, h.run.name, how.Name)
		})
		if done {
			continue
		}
		require.Equal(t, want, parts(t, at), "moment %d", i)
		require.Equal(t, list, quarantined(t, at))
		require.NoDirExists(t, filepath.Join(at, "_out.new"))
		require.FileExists(t, filepath.Join(at, "out", "_SUCCESS"))
	}
	require.Positive(t, kept)
	require.True(t, !mapOnly || resumed > 0)
}

// inputFile writes the input of bindFile.
func inputFile(t *testing.T, dir, text string) {
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte(text), 0o600))
}

// The next cluster on a State continues the jobs of a closed one, and keeps their finished maps.
func TestClosedAndWentOn(t *testing.T) {
	home := t.TempDir()
	text := prose(6, 40)
	inputFile(t, home, text)
	cfg := Config{MapSlots: 1, BlockSize: 100}
	remembering(t, filepath.Join(home, "state"), cfg, func(t *testing.T, c *Cluster) {
		h := c.submit(t, bindFile(t, home, c.env.cfg.State, "count", mapping), SubmitOptions{Key: "count"})
		require.NoError(t, c.Cordon("node-00", false))
		pass(2 * time.Second)
		require.Positive(t, h.Progress().Maps.Done)
		_, err := c.Submit(t.Context(), bindFile(t, home, c.env.cfg.State, "other", mapping), SubmitOptions{Key: "other"})
		require.ErrorIs(t, err, cluster.ErrOutputBusy)
	})
	require.DirExists(t, filepath.Join(home, "_out.new"))
	remembering(t, filepath.Join(home, "state"), cfg, func(t *testing.T, c *Cluster) {
		h := c.submit(t, bindFile(t, home, c.env.cfg.State, "count", mapping), SubmitOptions{Key: "count"})
		require.Positive(t, h.Progress().Maps.Done)
		h.wait(t)
	})
	require.NoDirExists(t, filepath.Join(home, "_out.new"))
	saved, err := state.Open(filepath.Join(home, "state"), scheduling.Parts{})
	require.NoError(t, err)
	how, yes := saved.Succeeded("count")
	require.True(t, yes, "a process that comes later knows")
	require.Equal(t, "copy", how.Name)
	require.Greater(t, how.Elapsed, 2*time.Second, "in both clusters")
	durable, err := saved.Former()
	require.NoError(t, err)
	require.Empty(t, durable.Active)
	require.NoError(t, saved.Close())
}

// A second cluster cannot use a State, and Open fails for a directory that is already open.
func TestStateIsTaken(t *testing.T) {
	dir := t.TempDir()
	remembering(t, dir, Config{}, func(t *testing.T, c *Cluster) {
		_, err := Start(c.env.cfg)
		require.ErrorContains(t, err, "a State serves one cluster")
		_, err = state.Open(dir, scheduling.Parts{})
		require.ErrorIs(t, err, state.ErrInUse)
	})
}

// While no job runs, a snapshot replaces a long log. It keeps cordons and the last job's ID.
func TestLongLog(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{Nodes: 3}
	remembering(t, dir, cfg, func(t *testing.T, c *Cluster) {
		saved := c.env.cfg.State
		run := func() scheduling.JobID {
			h, out := submitLines(t, c, counting(2), prose(8, 20))
			h.wait(t)
			require.Equal(t, oracle(t, counting(2), prose(8, 20)), out.String())
			return h.ID()
		}
		require.NoError(t, c.Cordon("node-01", true))
		first := run()
		pass(time.Minute)
		before := saved.Journal().Size()
		long := func(bytes int64) {
			require.NoError(t, c.ask(onTurn(func(*jobTracker) error { saved.LongLog = bytes; return nil })))
		}
		long(before)
		pass(time.Second)
		require.Less(t, saved.Journal().Size(), before/2)
		require.Equal(t, first+1, run())
		long(1 << 40)
		pass(time.Second)
	})
	remembering(t, dir, cfg, func(t *testing.T, c *Cluster) {
		require.NoError(t, c.Inspect(func(v scheduling.View) {
			require.True(t, v.Nodes()[1].Cordoned)
			require.Equal(t, 2, v.Jobs())
		}))
	})
}

// Jobs continue if the log cannot be written. A later process finds what was written before.
func TestLogThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		saved, err := state.Open(dir, scheduling.Parts{})
		require.NoError(t, err)
		var heard bytes.Buffer
		c, err := Start(Config{State: saved, Logger: slog.New(slog.NewTextHandler(&heard, nil))})
		require.NoError(t, err)
		h, out := submitLines(t, c, slow(2), prose(9, 20), SubmitOptions{Key: "a"})
		pass(time.Second)
		require.NoError(t, saved.Journal().Close())
		h.wait(t)
		require.Equal(t, oracle(t, counting(2), prose(9, 20)), out.String())
		require.NoError(t, c.Close())
		require.Error(t, saved.Close())
		require.Equal(t, 1, strings.Count(heard.String(), "the state is not kept any more"), heard.String())
		pass(time.Minute)
		saved, err = state.Open(dir, scheduling.Parts{})
		require.NoError(t, err)
		require.NotZero(t, saved.Awaited("a"))
		require.NoError(t, saved.Close())
	})
}

// Three facts are on disk before anyone acts on them: that a job is accepted, that an attempt may
// commit, and that a job has succeeded.
func TestFactsAreOnDiskFirst(t *testing.T) {
	home := t.TempDir()
	inputFile(t, home, "a\n")
	var events recorder
	remembering(t, filepath.Join(home, "state"), Config{MapSlots: 1, Events: events.add}, func(t *testing.T, c *Cluster) {
		saved := c.env.cfg.State
		pass(time.Minute)
		require.NoError(t, c.Cordon("node-00", true))
		pass(time.Second)
		require.Positive(t, saved.Journal().Unsynced(), "heartbeats may be lost")
		h := c.submit(t, bindFile(t, home, saved, "copy", mapping), SubmitOptions{Key: "copy"})
		require.Zero(t, saved.Journal().Unsynced())
		require.NoError(t, c.Cordon("node-00", false))
		synctest.Wait()
		id := events.of(event.Launched)[0].Attempt
		require.Positive(t, saved.Journal().Unsynced())
		_, err := c.env.sys.Root.RequestFuture(c.env.jobTracker, &commitRequest{attempt: id}, time.Second).Result()
		require.NoError(t, err)
		require.Zero(t, saved.Journal().Unsynced())
		h.wait(t)
		pass(time.Second)
		require.Positive(t, saved.Journal().Unsynced())
		saved.Succeed("another", state.Succeeded{}, c.env.cfg.Logger)
		require.Zero(t, saved.Journal().Unsynced())
	})
}

// Submit rejects a job if another job runs with the same key.
func TestKeyIsTaken(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	for _, dir := range []string{home, other} {
		inputFile(t, dir, "a\n")
	}
	remembering(t, filepath.Join(home, "state"), Config{}, func(t *testing.T, c *Cluster) {
		saved := c.env.cfg.State
		h := c.submit(t, bindFile(t, home, saved, "copy", mapping), SubmitOptions{Key: "copy"})
		_, err := c.Submit(t.Context(), bindFile(t, other, saved, "copy", mapping), SubmitOptions{Key: "copy"})
		require.ErrorContains(t, err, `job_0001 runs under the key "copy"`)
		require.NoDirExists(t, filepath.Join(other, "out"))
		second := c.submit(t, bindFile(t, other, saved, "another", mapping), SubmitOptions{Key: "another"})
		h.wait(t)
		second.wait(t)
	})
}

// If a call of the scheduler panics again after a restart, the running jobs fail with the cause.
// Later jobs run. Jobs of an earlier cluster that were not yet resubmitted can still resume.
func TestWaitingJobsOutliveHopelessPanics(t *testing.T) {
	dir, homes := t.TempDir(), map[string]string{}
	for _, key := range []string{"a", "b"} {
		homes[key] = t.TempDir()
		inputFile(t, homes[key], prose(3, 30))
	}
	submit := func(t *testing.T, c *Cluster, key string) *JobHandle {
		return c.submit(t, bindFile(t, homes[key], c.env.cfg.State, key, reducing), SubmitOptions{Key: key})
	}
	p := new(panicky)
	remembering(t, dir, p.in(Config{Nodes: 2}), func(t *testing.T, c *Cluster) {
		require.EqualValues(t, 1, submit(t, c, "a").ID())
		require.EqualValues(t, 2, submit(t, c, "b").ID())
		pass(time.Second)
	})
	remembering(t, dir, p.in(Config{Nodes: 2}), func(t *testing.T, c *Cluster) {
		first := submit(t, c, "a")
		require.EqualValues(t, 1, first.ID())
		p.panics(1000)
		_, err := first.Wait(t.Context())
		require.ErrorIs(t, err, errScheduler)
		require.ErrorIs(t, err, ErrJobFailed)
		require.ErrorContains(t, err, "a fault in the policy")
		require.Less(t, p.times.Load(), int32(1000-2), "once more is not again and again")
		p.panics(0)
		second := submit(t, c, "b")
		require.EqualValues(t, 2, second.ID(), "it goes on")
		second.wait(t)
		again := submit(t, c, "a")
		require.EqualValues(t, 3, again.ID(), "one that has failed is new")
		again.wait(t)
		require.Equal(t, parts(t, homes["b"]), parts(t, homes["a"]))
	})
}
