package actors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// spoiled returns lines of which some contain "bad", the good ones alone, and the number of bad
// ones.
func spoiled(lines int) (all, good string, bad int) {
	var a, g strings.Builder
	for i := range lines {
		line := fmt.Sprintf("w%d w%d\n", i%7, i%13)
		if i%50 == 7 {
			bad++
			line = fmt.Sprintf("w1 w2 bad w%d\n", i)
		} else {
			g.WriteString(line)
		}
		a.WriteString(line)
	}
	return a.String(), g.String(), bad
}

// touchy returns a word count whose map panics at the word "bad", after it has emitted others.
func touchy(reducers int) countJob {
	return mapped(reducers, func(line []byte, emit func(string, int64)) error {
		for word := range bytes.FieldsSeq(line) {
			if string(word) == "bad" {
				panic("bad word")
			}
			emit(string(word), 1)
		}
		return nil
	})
}

// A job that may skip has the output of a job without the bad records, and reports each of them
// once. They are in several maps that run at the same time, and a node dies.
func TestSkipsOnTheCluster(t *testing.T) {
	all, good, bad := spoiled(400)
	want := oracle(t, counting(2), good)
	for _, attempts := range []int{1, 0} {
		cfg := Config{Nodes: 4, MapSlots: 2, ReduceSlots: 1, BlockSize: 300, MaxAttempts: attempts}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			h, out := submitLines(t, c, touchy(2), all, SubmitOptions{MaxSkips: bad})
			if attempts != 1 {
				_ = c.KillNode(c.names()[1])
			}
			res, err := h.Wait(context.Background())
			require.NoError(t, err)
			require.Equal(t, want, out.String())
			require.Equal(t, int64(bad), res.Counters.Get(counter.MapSkippedRecords))
			require.Len(t, res.Skipped, bad)
			for i, s := range res.Skipped {
				require.Contains(t, all[s.Offset:s.Offset+int64(s.Size)], "bad")
				require.Contains(t, s.Reason, "actors/skips_test.go:")
				require.True(t, i == 0 || res.Skipped[i-1].Offset < s.Offset)
			}
			c.requireNothingHeld(t)
		})
	}
}

// A job also skips a record on which the map hangs, with or without respect for its context, or
// exits its goroutine. The attempt after the one that identified the record skips it.
func TestSkipsOfWhatDoesNotReturn(t *testing.T) {
	const text = "a b\nstuck\nc\nd a\n"
	for name, stuck := range map[string]func(task *mapreduce.Task, release chan struct{}) error{
		"heeds": func(task *mapreduce.Task, _ chan struct{}) error {
			<-task.Context().Done()
			return task.Context().Err()
		},
		"does not heed": func(_ *mapreduce.Task, release chan struct{}) error { <-release; return nil },
		"ends":          func(*mapreduce.Task, chan struct{}) error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, Config{MapSlots: 1, Parallelism: 1}, func(t *testing.T, c *Cluster) {
				release := make(chan struct{})
				defer synctest.Wait()
				defer close(release)
				job := tasked(1, func(task *mapreduce.Task) (mapper, error) {
					return mapper{Map: func(line []byte, emit func(string, int64)) error {
						emit("before", 1)
						if string(line) == "stuck" {
							return stuck(task, release)
						}
						return words(line, emit)
					}}, nil
				})
				r, out := runLines(t, c, job, text, SubmitOptions{MaxSkips: 1})
				require.Equal(t, "a\t2\nb\t1\nbefore\t3\nc\t1\nd\t1\n", out)
				require.Len(t, r.Skipped, 1)
				s := r.Skipped[0]
				require.Equal(t, []any{"text", int64(4), int64(2), "stuck"}, []any{s.Input, s.Offset, s.Number, s.Head})
				require.Contains(t, s.Reason, "actors/skips_test.go:")
				require.EqualValues(t, 1, r.Counters.Get(counter.MapSkippedRecords))
				failed := r.Counters.Named(counter.GroupJob, "Failed map tasks")
				if name == "does not heed" {
					require.EqualValues(t, 2, failed, "the first attempt does not know the record")
				} else {
					require.EqualValues(t, 1, failed)
				}
			})
		})
	}
}

// A map that exits its goroutine fails its job if MaxSkips is 0 or less than the bad records.
func TestWhatDoesNotReturnIsNotSkippedUnasked(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		job := mapped(1, func([]byte, func(string, int64)) error { runtime.Goexit(); return nil })
		_, err := failLines(t, c, job, "a\n")
		require.ErrorIs(t, err, cluster.ErrExited)
		_, err = failLines(t, c, job, "a\nb\n", SubmitOptions{MaxSkips: 1})
		require.ErrorIs(t, err, cluster.ErrTooManySkips)
		require.ErrorIs(t, err, ErrJobFailed)
	})
}

// With one bad record more than allowed, spread over the maps, the job fails with ErrTooManySkips.
func TestTooManySkipsOnTheCluster(t *testing.T) {
	all, _, bad := spoiled(400)
	bubble(t, Config{Nodes: 4, MapSlots: 2, ReduceSlots: 1, BlockSize: 300}, func(t *testing.T, c *Cluster) {
		res, err := failLines(t, c, touchy(2), all, SubmitOptions{MaxSkips: bad - 1})
		require.ErrorIs(t, err, cluster.ErrTooManySkips)
		require.ErrorContains(t, err, "bad word")
		require.Empty(t, res.Skipped)
		_, err = failLines(t, c, touchy(2), all)
		require.NotErrorIs(t, err, cluster.ErrTooManySkips)
		var at *mapreduce.RecordError
		require.True(t, errors.As(err, &at))
	})
}

// An input that can be read only once has no second attempt: the first attempt skips records.
func TestSkipsOfAStream(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		all, good, bad := spoiled(100)
		var out mapreduce.Collected[string]
		p, err := mapreduce.MapOnly[string, string]{Map: func(line string, emit func(string)) error {
			emit(line + "\n")
			return slowLine([]byte(line))
		}}.Bind(mapreduce.LineStrings(mapreduce.Stream("-", strings.NewReader(all))), out.Output())
		require.NoError(t, err)
		res := c.submit(t, p, SubmitOptions{MaxSkips: bad}).wait(t)
		lines, err := out.Records()
		require.NoError(t, err)
		require.Equal(t, good, strings.Join(lines, ""))
		require.Len(t, res.Skipped, bad)
		require.EqualValues(t, 8, res.Skipped[0].Number)
		require.Zero(t, res.Counters.Named(counter.GroupJob, "Failed map tasks"))
	})
}

// An early attempt does not skip a bad record itself. It leaves the record to the next attempt if
// its task is a map and its job may skip.
func TestNextAttemptSkips(t *testing.T) {
	bad, other := mapreduce.BadRecord(errors.New("no number")), errors.New("no number")
	for _, c := range []struct {
		kind     scheduling.TaskKind
		most     int
		try      int32
		err      error
		expected bool
	}{
		{scheduling.Map, 1, 0, bad, true},
		{scheduling.Map, 1, 1, bad, true},
		{scheduling.Map, 1, 2, bad, false},
		{scheduling.Map, 0, 0, bad, false},
		{scheduling.Map, 1, 0, other, false},
		{scheduling.Reduce, 1, 0, bad, false},
	} {
		r := aRun(t, 1)
		r.maxSkips, r.firstSkip = c.most, 2
		a := &attempt{run: r, id: scheduling.AttemptID{Task: scheduling.TaskID{Kind: c.kind}, Try: c.try}}
		require.Equal(t, c.expected, a.leftToNext(c.err), "%+v", c)
	}
}

// A job that may skip notes a record as bad if a map hung on it or exited its goroutine.
func TestHangingRecordsAreRecorded(t *testing.T) {
	hung := &mapreduce.RecordError{Input: "in", Number: 7, Err: ErrTaskTimeout}
	left := &mapreduce.RecordError{Input: "in", Number: 7, Err: cluster.ErrExited}
	refused := &mapreduce.RecordError{Input: "in", Number: 7, Err: errors.New("no number")}
	for _, c := range []struct {
		kind  scheduling.TaskKind
		most  int
		err   error
		noted int
	}{
		{scheduling.Map, 1, hung, 1},
		{scheduling.Map, 1, left, 1},
		{scheduling.Map, 1, refused, 0},
		{scheduling.Map, 1, ErrTaskTimeout, 0},
		{scheduling.Map, 0, hung, 0},
		{scheduling.Reduce, 1, hung, 0},
	} {
		r := aRun(t, 1)
		r.maxSkips = c.most
		r.noteBad(scheduling.TaskID{Kind: c.kind, Index: 3}, c.err)
		require.Len(t, r.badRecords(3), c.noted, "%+v", c)
		require.Empty(t, r.badRecords(2))
	}
}

// MaxSkips limits the sum over all maps. For each map only its last attempt's skips count.
func TestSkipsAreSummedOverMaps(t *testing.T) {
	r := aRun(t, 3)
	r.maxSkips = 3
	bad := make([]cluster.Skipped, 4)
	require.NoError(t, r.maySkip(0, bad[:3]))
	r.mapHistory(1).skipped = bad[:2]
	require.NoError(t, r.maySkip(0, bad[:1]))
	require.ErrorIs(t, r.maySkip(0, bad[:2]), cluster.ErrTooManySkips)
	require.True(t, cluster.IsPermanent(r.maySkip(0, bad[:2])))
	require.NoError(t, r.maySkip(1, bad[:3]), "instead of the two")
	require.NoError(t, r.maySkip(1, nil))
	r.mapHistory(2).skipped = bad[:1]
	list, err := r.skips()
	require.NoError(t, err)
	require.Len(t, list, 3)
	r.mapHistory(0).skipped = bad[:1]
	list, err = r.skips()
	require.ErrorIs(t, err, cluster.ErrTooManySkips)
	require.Len(t, list, 4)
	none, err := aRun(t, 1).skips()
	require.NoError(t, err)
	require.Empty(t, none)
}

// If all reduces have committed before a restart, no map reruns, and the job adopts the skips of
// the earlier maps. If a reduce is missing, all maps rerun and report their skips themselves.
func TestSkipsOfMapsThatDoNotRunAgain(t *testing.T) {
	home := t.TempDir()
	text, _, bad := spoiled(10)
	inputFile(t, home, text)
	remembering(t, filepath.Join(home, "state"), Config{}, func(t *testing.T, c *Cluster) {
		h := c.submit(t, bindFile(t, home, c.env.cfg.State, "count", reducing), SubmitOptions{Key: "count", MaxSkips: bad})
		left := h.wait(t).Skipped
		require.Len(t, left, 1)
		require.True(t, c.env.cfg.State.Skip("count", 0, left, c.env.cfg.Logger))
		r := h.run
		r.history, r.sums = map[scheduling.TaskID]*taskHistory{}, new(counter.Set)
		r.resumeSkips([]int32{0, 1, 2})
		require.Empty(t, r.history)
		r.resumeSkips([]int32{0, 1, 2, 3})
		require.Equal(t, left, r.mapHistory(0).skipped)
		require.EqualValues(t, 1, r.leftOut())
		require.EqualValues(t, 1, r.sums.Get(counter.MapSkippedRecords))
	})
}

// leftOut returns the number of records that the run's finished maps have skipped.
func (r *run) leftOut() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, h := range r.history {
		n += len(h.skipped)
	}
	return n
}

// quarantined returns the bad records in _skipped.jsonl, without what depends on the attempt.
func quarantined(t *testing.T, dir string) (list []string) {
	b, err := os.ReadFile(filepath.Join(dir, "out", "_skipped.jsonl"))
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		var s cluster.Skipped
		require.NoError(t, json.Unmarshal([]byte(line), &s))
		list = append(list, fmt.Sprint(s.Offset, s.Number, s.Head, s.Reason))
	}
	slices.Sort(list) // the file sorts by input name, which copied directories change
	return list
}

// If a restarted job splits its input differently, it drops the earlier maps' parts and skips.
func TestSkipsOfRemovedParts(t *testing.T) {
	home := t.TempDir()
	text, good, bad := spoiled(60)
	inputFile(t, home, text)
	o := SubmitOptions{Key: "count", MaxSkips: bad}
	for i, size := range []int64{100, 70} {
		remembering(t, filepath.Join(home, "state"), Config{MapSlots: 1, BlockSize: size}, func(t *testing.T, c *Cluster) {
			h := c.submit(t, bindFile(t, home, c.env.cfg.State, "count", mapping), o)
			require.Zero(t, h.run.leftOut())
			if i == 0 {
				pass(4 * time.Second)
				require.Positive(t, h.Progress().Maps.Done)
				require.NotEmpty(t, c.env.cfg.State.Skips("count"))
				return
			}
			r := h.wait(t)
			require.Len(t, r.Skipped, bad)
			require.EqualValues(t, bad, r.Counters.Get(counter.MapSkippedRecords))
		})
	}
	require.Equal(t, good, parts(t, home))
	require.Len(t, quarantined(t, home), bad)
}

// A State keeps the last list of skips of each map, also for later processes. An empty list deletes
// that of an earlier attempt, which did not commit.
func TestTheLastListOfAMapCounts(t *testing.T) {
	dir := t.TempDir()
	log := slog.New(slog.DiscardHandler)
	one := []cluster.Skipped{{Input: "in", Offset: 7, Number: 2, Head: "bad", Size: 3, Reason: "x"}}
	for range 2 {
		saved, err := state.Open(dir, scheduling.Parts{})
		require.NoError(t, err)
		require.NoError(t, saved.Begin(nil))
		require.False(t, saved.Skip("a", 0, nil, log), "nothing to note")
		require.True(t, saved.Skip("a", 0, one, log))
		require.True(t, saved.Skip("a", 1, one, log))
		require.True(t, saved.Skip("a", 0, nil, log))
		require.Equal(t, map[int32][]cluster.Skipped{1: one}, saved.Skips("a"))
		require.Empty(t, saved.Skips("b"))
		require.NoError(t, saved.Close())
		saved, err = state.Open(dir, scheduling.Parts{})
		require.NoError(t, err)
		require.Equal(t, map[int32][]cluster.Skipped{1: one}, saved.Skips("a"))
		require.NoError(t, saved.Close())
	}
}
