package actors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tarry-mr/tarry/actors/state"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/event"
)

// docs/events.md lists exactly an attempt's phases, and the two fields that only live runs have.
func TestDocsOfLiveEvents(t *testing.T) {
	text, err := os.ReadFile("../docs/events.md")
	require.NoError(t, err)
	_, phases, found := strings.Cut(string(text), "\n### phases\n")
	require.True(t, found)
	of := reflect.TypeFor[Phases]()
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		require.Contains(t, phases, "\n| `"+name+"` |")
	}
	require.Equal(t, of.NumField(), strings.Count(phases, "\n| `"))
	require.Contains(t, string(text), "\n| `phases` |")
	require.Contains(t, string(text), "\n| `counters` |")
	require.Equal(t, 3, reflect.TypeFor[Event]().NumField(), "the schedulers' event, phases and counters")
}

// For random events, AppendJSON writes the same text as package json.
func TestEventAppendJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Event{Event: event.Event{Type: event.Succeeded, Node: scheduling.NodeID(rapid.IntRange(-1, 3).Draw(t, "node"))}}
		if rapid.Bool().Draw(t, "phases") {
			d := rapid.SampledFrom([]time.Duration{0, 1, time.Hour})
			e.Phases = &Phases{
				Start: d.Draw(t, "start"), Wait: d.Draw(t, "wait"), Read: d.Draw(t, "read"),
				Shuffle: d.Draw(t, "shuffle"), Work: d.Draw(t, "work"), Commit: d.Draw(t, "commit"),
			}
		}
		if rapid.Bool().Draw(t, "counters") {
			e.Counters = new(counter.Set)
			for range rapid.IntRange(0, 3).Draw(t, "n") {
				e.Counters.AddNamed(rapid.String().Draw(t, "group"), rapid.String().Draw(t, "name"), rapid.Int64().Draw(t, "value"))
			}
			e.Counters.Add(counter.MapInputRecords, 7)
		}
		want, err := json.Marshal(&e)
		require.NoError(t, err)
		require.Equal(t, string(want), string(e.AppendJSON(nil)))
	})
}

// Even a run of 40 ms has events with demand, use and fair shares. For each scheduler these are the
// shares of pools, queues or jobs that docs/events.md lists.
func TestLiveSharesOfEveryScheduler(t *testing.T) {
	for _, preset := range scheduling.Presets() {
		var events recorder
		policy, err := scheduling.Preset(preset)
		require.NoError(t, err)
		queues := policy.Order == "capacity"
		if queues {
			policy.Queues = []scheduling.QueueConfig{{Name: "ann", Capacity: 50}, {Name: "bob", Capacity: 50}}
		}
		cfg := Config{Nodes: 2, MapSlots: 2, ReduceSlots: 1, BlockSize: 1, Policy: policy, Events: events.add, Explain: true}
		bubble(t, cfg, func(t *testing.T, c *Cluster) {
			job := mapped(1, func(line []byte, emit func(string, int64)) error {
				<-time.After(10 * time.Millisecond)
				return words(line, emit)
			})
			var handles []*JobHandle
			for _, user := range []string{"ann", "bob"} {
				o := SubmitOptions{User: user}
				if queues {
					o.Queue = user
				}
				handles = append(handles, first(submitLines(t, c, job, "a\nb\nc\nd\ne\nf\ng\nh\n", o)))
			}
			for _, h := range handles {
				h.wait(t)
			}
		})
		has := func(f func(e Event) bool) bool { return slices.ContainsFunc(events.of(event.Shares), f) }
		for id := scheduling.JobID(1); id <= 2; id++ {
			require.True(t, has(func(e Event) bool { return e.JobID == id && e.Demand[0] > 0 }), "%s: what job %d wants", preset, id)
			require.True(t, has(func(e Event) bool { return e.JobID == id && e.Running[0] > 0 }), "%s: what job %d runs", preset, id)
		}
		share := has(func(e Event) bool { return e.JobID == 1 && e.Shares[0] > 0 })
		require.Equal(t, slices.Contains([]string{"hfs", "fair", "delay", "quincy"}, preset), share, "%s: a job's share", preset)
		require.Equal(t, preset == "hfsp", has(func(e Event) bool { return e.Virtual[0].Slots > 0 }), "%s: the virtual cluster", preset)
		for _, name := range []string{"ann", "bob"} {
			group := has(func(e Event) bool { return e.JobID == 0 && e.Pool == name && e.Shares[0] > 0 && e.Demand[0] > 0 })
			require.Equal(t, preset == "hfs" || queues, group, "%s: the share of %s", preset, name)
		}
	}
}

// logged runs f with a cluster, closes it, and returns the warnings and errors in its log.
func logged(t *testing.T, cfg Config, f func(t *testing.T, c *Cluster)) []string {
	t.Helper()
	var heard bytes.Buffer
	cfg.Logger = slog.New(slog.NewTextHandler(&heard, &slog.HandlerOptions{Level: slog.LevelWarn}))
	bubble(t, cfg, f)
	return strings.FieldsFunc(heard.String(), func(r rune) bool { return r == '\n' })
}

// storedWords writes text to a file of the cluster's store and returns a word count of the file.
func storedWords(t *testing.T, c *Cluster, name, text string) *mapreduce.Plan {
	t.Helper()
	require.NoError(t, c.FS().WriteFile(name, []byte(text)))
	input, err := mapreduce.FS(c.FS(), name)
	require.NoError(t, err)
	p, err := counting(2).Bind(mapreduce.Lines(input...), new(mapreduce.Collected[pair]).Output())
	require.NoError(t, err)
	return p
}

// The log has no warning if nothing fails: for created and removed files, for jobs that succeed or
// are killed by their user, and for cordoned nodes.
func TestNothingWrongIsNotLogged(t *testing.T) {
	saved, err := state.Open(t.TempDir(), scheduling.Parts{})
	require.NoError(t, err)
	cfg := Config{
		Nodes: 4, Racks: 2, Replication: 2, BlockSize: 200, Memory: 32 << 20, State: saved,
		Network: NetworkConfig{NodeLink: 1 << 20},
	}
	heard := logged(t, cfg, func(t *testing.T, c *Cluster) {
		c.submit(t, storedWords(t, c, "in", prose(1, 60)), SubmitOptions{Key: "a"}).wait(t)
		require.NoError(t, c.Cordon("node-02", true))
		c.submit(t, wordCount(t, prose(2, 60), 3), SubmitOptions{}).wait(t)
		require.NoError(t, c.Cordon("node-02", false))
		killed, _ := submitLines(t, c, slow(1), prose(3, 600))
		pass(time.Second)
		require.NoError(t, killed.Kill("no more of interest"))
		_, err := killed.Wait(context.Background())
		require.ErrorIs(t, err, ErrJobKilled)
		require.NoError(t, c.FS().Remove("in"))
		pass(30 * time.Minute)
	})
	require.Empty(t, heard)
	require.NoError(t, saved.Close())
}

// The loss of a node is one line in the log, for any number of recreated replicas. The node's
// return is not logged.
func TestLostNodeIsLogged(t *testing.T) {
	cfg := Config{Nodes: 4, Replication: 2, BlockSize: 100, Expiry: 20 * time.Second}
	heard := logged(t, cfg, func(t *testing.T, c *Cluster) {
		require.NoError(t, c.FS().WriteFile("in", []byte(prose(3, 50))))
		require.NoError(t, c.KillNode("node-01"))
		pass(time.Minute)
		require.NoError(t, c.StartNode("node-01"))
		pass(time.Minute)
		require.NoError(t, c.StopNode("node-02"))
		pass(time.Minute)
		blocks, err := c.FS().Blocks("in")
		require.NoError(t, err)
		for _, b := range blocks {
			require.Len(t, b.Nodes, 2)
		}
	})
	require.Len(t, heard, 2)
	require.Contains(t, heard[0], `level=WARN msg="node lost" node=node-01`)
	require.Contains(t, heard[1], `level=WARN msg="node lost" node=node-02`)
}

// Each failed attempt is one line in the log, with node and cause. The removal of its output is not
// logged.
func TestFailedAttemptIsLogged(t *testing.T) {
	heard := logged(t, Config{MaxAttempts: 3}, func(t *testing.T, c *Cluster) {
		job := counting(1)
		job.Reduce = func(string, iter.Seq[int64], func(pair)) error { return errors.New("no room") }
		_, err := failLines(t, c, job, "a b\n")
		require.ErrorContains(t, err, "no room")
	})
	require.Len(t, heard, 3)
	for _, line := range heard {
		require.Regexp(t, `level=WARN msg="attempt failed" attempt=job_0001_r_000000_\d node=node-00 err=".*no room"`, line)
	}
}

// If the block store or the scheduler rejects an impossible request, the log has one error that
// names the request, and nothing changes.
func TestRefusalsAreLogged(t *testing.T) {
	heard := logged(t, Config{Nodes: 2, Replication: 1}, func(t *testing.T, c *Cluster) {
		root := c.env.sys.Root
		say := func(m any) {
			root.Send(c.env.nameNode, m)
			synctest.Wait()
		}
		say(&nodeUp{node: "stranger", pid: c.nodes[0], life: 1})
		say(&nodeLost{node: "stranger", life: 1})
		root.Send(c.env.jobTracker, &join{})
		synctest.Wait()
		c.submit(t, wordCount(t, prose(2, 60), 3), SubmitOptions{}).wait(t)
	})
	want := []string{ // "stranger" is lost once more when its actor ends
		`level=ERROR msg="unknown node lost" node=stranger err=`,
		`level=ERROR msg="unknown node is up" node=stranger err=`,
		`level=ERROR msg="unknown node lost" node=stranger err=`,
		`level=ERROR msg="the scheduler refuses a call" call=join err=`,
	}
	require.ElementsMatch(t, want, cut(heard, want), "%q", heard)
}

// cut returns the lines without their time, each shortened to the one of beginnings that it has.
func cut(lines, beginnings []string) (list []string) {
	for _, line := range lines {
		_, rest, _ := strings.Cut(line, " ")
		for _, b := range beginnings {
			if strings.HasPrefix(rest, b) {
				rest = b
			}
		}
		list = append(list, rest)
	}
	return list
}
