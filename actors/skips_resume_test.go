package actors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// touchyLine takes 100 ms for a line and fails if the line contains "bad".
func touchyLine(line []byte) error {
	time.Sleep(100 * time.Millisecond)
	if bytes.Contains(line, []byte("bad")) {
		return errUser
	}
	return nil
}

func touchyReducing(src mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
	job := slow(4)
	plain, reduce := job.Map, job.Reduce
	job.Map = func(line []byte, emit func(string, int64)) error {
		if err := touchyLine(line); err != nil {
			return err
		}
		return plain(line, emit)
	}
	job.Reduce = func(k string, vs iter.Seq[int64], emit func(pair)) error {
		time.Sleep(60 * time.Millisecond)
		return reduce(k, vs, emit)
	}
	return job.Bind(mapreduce.Lines(src), mapreduce.Text[pair](to))
}

func touchyMapping(src mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
	job := mapreduce.MapOnly[[]byte, []byte]{Name: "copy", Map: func(line []byte, emit func([]byte)) error {
		emit(line)
		return touchyLine(line)
	}}
	return job.Bind(mapreduce.Lines(src), mapreduce.Text[[]byte](to))
}

// Whenever a process is killed, the next one lists each skipped record once: those skipped by maps
// that committed before, and those that it skips itself.
func TestSkipsOutliveTheProcess(t *testing.T) {
	text, _, bad := spoiled(130)
	t.Run("with reduces", func(t *testing.T) { testSkipsOutlive(t, text, bad, touchyReducing, false) })
	t.Run("without", func(t *testing.T) { testSkipsOutlive(t, text, bad, touchyMapping, true) })
}

func testSkipsOutlive(t *testing.T, text string, bad int, job binder, mapOnly bool) {
	home := t.TempDir()
	cfg := Config{Nodes: 2, MapSlots: 2, ReduceSlots: 1, BlockSize: 200}
	o := SubmitOptions{Key: "count", MaxSkips: bad}
	_, moments := momentsOf(t, home, text, cfg, job, o)
	want, list := parts(t, home), quarantined(t, home)
	require.Len(t, list, bad)
	gone := 0 // number of skips that the next process does not resume
	for _, at := range moments {
		saved, err := state.Open(filepath.Join(at, "state"), scheduling.Parts{})
		require.NoError(t, err)
		if _, done := saved.Succeeded("count"); done {
			require.Empty(t, saved.Skips("count"))
			require.NoError(t, saved.Close())
			continue
		}
		require.NoError(t, saved.Close())
		remembering(t, filepath.Join(at, "state"), cfg, func(t *testing.T, c *Cluster) {
			h := c.submit(t, bindFile(t, at, c.env.cfg.State, "count", job), o)
			gone += h.run.leftOut()
			r := h.wait(t)
			require.Len(t, r.Skipped, bad)
			require.EqualValues(t, bad, r.Counters.Get(counter.MapSkippedRecords))
			require.Empty(t, c.env.cfg.State.Skips("count"), "the job is over")
		})
		require.Equal(t, want, parts(t, at))
		require.Equal(t, list, quarantined(t, at))
	}
	if mapOnly {
		require.Positive(t, gone)
	}
}

// If all reduces have committed before a restart, no map reruns, and the job adopts the skips of
// the earlier maps. If a reduce is missing, all maps rerun and report their skips themselves.
func TestSkipsOfMapsThatDoNotRunAgain(t *testing.T) {
	home := t.TempDir()
	text, _, bad := spoiled(10)
	require.NoError(t, os.WriteFile(filepath.Join(home, "in"), []byte(text), 0o600))
	remembering(t, filepath.Join(home, "state"), Config{}, func(t *testing.T, c *Cluster) {
		h := c.submit(t, bindFile(t, home, c.env.cfg.State, "count", touchyReducing), SubmitOptions{Key: "count", MaxSkips: bad})
		left := h.wait(t).Skipped
		require.Len(t, left, 1)
		require.True(t, c.env.cfg.State.Skip("count", 0, left, c.env.cfg.Logger))
		r := h.run
		r.skipped, r.sums = map[int32][]cluster.Skipped{}, new(counter.Set)
		r.resumeSkips([]int32{0, 1, 2})
		require.Empty(t, r.skipped)
		r.resumeSkips([]int32{0, 1, 2, 3})
		require.Equal(t, map[int32][]cluster.Skipped{0: left}, r.skipped)
		require.EqualValues(t, 1, r.sums.Get(counter.MapSkippedRecords))
	})
}

// leftOut returns the number of records that the run's finished maps have skipped.
func (r *run) leftOut() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, skipped := range r.skipped {
		n += len(skipped)
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
	require.NoError(t, os.WriteFile(filepath.Join(home, "in"), []byte(text), 0o600))
	o := SubmitOptions{Key: "count", MaxSkips: bad}
	for i, size := range []int64{100, 70} {
		remembering(t, filepath.Join(home, "state"), Config{MapSlots: 1, BlockSize: size}, func(t *testing.T, c *Cluster) {
			h := c.submit(t, bindFile(t, home, c.env.cfg.State, "count", touchyMapping), o)
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
	one := []cluster.Skipped{{Input: "in", Offset: 7, Number: 2, Head: "bad", Size: 3, Reason: "x"}}
	for range 2 {
		saved, err := state.Open(dir, scheduling.Parts{})
		require.NoError(t, err)
		c, err := Start(Config{State: saved})
		require.NoError(t, err)
		log := c.env.cfg.Logger
		require.False(t, saved.Skip("a", 0, nil, log), "nothing to note")
		require.True(t, saved.Skip("a", 0, one, log))
		require.True(t, saved.Skip("a", 1, one, log))
		require.True(t, saved.Skip("a", 0, nil, log))
		require.Equal(t, map[int32][]cluster.Skipped{1: one}, saved.Skips("a"))
		require.Empty(t, saved.Skips("b"))
		require.NoError(t, c.Close())
		require.NoError(t, saved.Close())
		saved, err = state.Open(dir, scheduling.Parts{})
		require.NoError(t, err)
		require.Equal(t, map[int32][]cluster.Skipped{1: one}, saved.Skips("a"))
		require.NoError(t, saved.Close())
	}
}
