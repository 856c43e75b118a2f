package serve

import (
	"context"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/actors/serve/api"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// count returns the plan of a word count.
func count(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
	type pair = mapreduce.Pair[string, int64]
	job := mapreduce.Job[[]byte, string, int64, pair]{
		Name: "count",
		Map: func(line []byte, emit func(string, int64)) error {
			for w := range strings.FieldsSeq(string(line)) {
				emit(w, 1)
			}
			return nil
		},
		Sum: true,
		Reduce: func(w string, ns iter.Seq[int64], emit func(pair)) error {
			var sum int64
			for n := range ns {
				sum += n
			}
			emit(mapreduce.MakePair(w, sum))
			return nil
		},
	}
	return job.Bind(mapreduce.Lines(src...), mapreduce.Text[pair](to))
}

// held returns a kind of job whose maps wait until the channel is closed or the attempt is stopped.
func held(gate <-chan struct{}) Job {
	return Simple("held", "Waits", func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error) {
		job := mapreduce.MapOnly[[]byte, string]{
			Name: "held",
			MapTask: func(t *mapreduce.Task) (mapreduce.Filter[[]byte, string], error) {
				return mapreduce.Filter[[]byte, string]{Map: func(line []byte, emit func(string)) error {
					select {
					case <-gate:
					case <-t.Context().Done():
						return t.Context().Err()
					}
					emit(string(line))
					return nil
				}}, nil
			},
		}
		return job.Bind(mapreduce.Lines(src...), mapreduce.Text[string](to))
	})
}

// bench is a server, whose root is its own directory, with a client.
type bench struct {
	*api.Client
	t    *testing.T
	dir  string
	s    *Server
	gate chan struct{}
	url  string
}

// start starts a server; change, if not nil, changes its configuration.
func start(t *testing.T, change func(cfg *Config)) *bench {
	t.Helper()
	return startIn(t, t.TempDir(), change)
}

func startIn(t *testing.T, dir string, change func(cfg *Config)) *bench {
	t.Helper()
	b := &bench{t: t, dir: dir, gate: make(chan struct{})}
	cfg := Config{
		Cluster: actors.Config{Nodes: 4, Racks: 2, MapSlots: 1, ReduceSlots: 1},
		Jobs:    []Job{Simple("count", "Count words", count), held(b.gate)},
		Roots:   []string{dir},
		limits:  limits{grace: time.Millisecond},
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	b.s, err = Start(cfg)
	require.NoError(t, err)
	web := httptest.NewServer(b.s.Handler())
	b.url = web.URL
	b.Client = &api.Client{Base: web.URL, HTTP: web.Client()}
	t.Cleanup(func() {
		b.s.closing.Store(true)
		b.s.end()
		web.CloseClientConnections()
		web.Close()
		require.NoError(t, b.s.Close())
	})
	return b
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	require.NoError(b.t, os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600))
}

func (b *bench) read(pattern string) string {
	b.t.Helper()
	names, err := filepath.Glob(filepath.Join(b.dir, pattern))
	require.NoError(b.t, err)
	var all strings.Builder
	for _, n := range names {
		text, err := os.ReadFile(n)
		require.NoError(b.t, err)
		all.Write(text)
	}
	return all.String()
}

// submit submits a job, which the server must accept.
func (b *bench) submit(job string, args ...string) api.Job {
	b.t.Helper()
	j, err := b.Submit(b.t.Context(), api.Submission{Job: job, Args: args}, "")
	require.NoError(b.t, err)
	return j
}

// runs waits until a job runs.
func (b *bench) runs(id int64) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		j, err := b.Job(b.t.Context(), id)
		return err == nil && j.State == api.Running
	}, 10*time.Second, time.Millisecond)
}

// wait waits for a job's end and returns the job.
func (b *bench) wait(id int64) api.Job {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	j, err := b.Wait(ctx, id, nil)
	require.NoError(b.t, err)
	return j
}

// refused requires that a call failed with a code.
func refused(t *testing.T, err error, code string) *api.Problem {
	t.Helper()
	var p *api.Problem
	require.ErrorAs(t, err, &p)
	require.Equal(t, code, p.Code, p.Detail)
	return p
}

func TestJobFromSubmissionToCounters(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a b a\nb a\n")
	j := b.submit("count", "in.txt", "-o", "out")
	require.EqualValues(t, 1, j.ID)
	require.Equal(t, "anonymous", j.User)
	j = b.wait(j.ID)
	require.Equal(t, api.Succeeded, j.State, j.Error)
	require.Equal(t, "a\t3\nb\t2\n", b.read("out/part-*"))
	require.Len(t, j.Stages, 1)
	require.Equal(t, 1, j.Stages[0].Maps.Done)
	n, err := b.Counters(t.Context(), j.ID)
	require.NoError(t, err)
	require.Contains(t, n.Counters, counter.Value{Group: counter.GroupFramework, Name: "Map input records", Value: 2})
	list, err := b.History(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, []api.Job{j}, list)
	_, err = b.Job(t.Context(), 2)
	refused(t, err, "not-found")
}

func TestWhatCannotBeSubmitted(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a\n")
	require.NoError(t, os.Mkdir(filepath.Join(b.dir, "there"), 0o700))
	for _, c := range []struct {
		code, says string
		s          api.Submission
	}{
		{"unknown-job", `unknown job "coun", did you mean count?`, api.Submission{Job: "coun"}},
		{"bad-arguments", "no input", api.Submission{Job: "count", Args: []string{"-o", "out"}}},
		{"bad-arguments", "where to?", api.Submission{Job: "count", Args: []string{"in.txt"}}},
		{"bad-arguments", "flag provided but not defined", api.Submission{Job: "count", Args: []string{"--no", "in.txt"}}},
		{"bad-input", "nothing.txt", api.Submission{Job: "count", Args: []string{"nothing.txt", "-o", "out"}}},
		{"output-exists", "output exists", api.Submission{Job: "count", Args: []string{"in.txt", "-o", "there"}}},
		{"bad-arguments", "very_high, high", api.Submission{Job: "count", Args: []string{"in.txt", "-o", "out"}, Priority: "urgent"}},
		{"unknown-queue", "has no queues", api.Submission{Job: "count", Args: []string{"in.txt", "-o", "out"}, Queue: "q"}},
	} {
		_, err := b.Submit(t.Context(), c.s, "")
		require.ErrorContains(t, err, c.says)
		refused(t, err, c.code)
	}
	list, err := b.Jobs(t.Context(), "", "")
	require.NoError(t, err)
	require.Empty(t, list, "what is refused is no job")
}

// Submitting twice with the same key creates one job.
func TestOneJobForOneKey(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a\n")
	ask := api.Submission{Job: "held", Args: []string{"in.txt", "-o", "out"}}
	first, err := b.Submit(t.Context(), ask, "k")
	require.NoError(t, err)
	again, err := b.Submit(t.Context(), ask, "k")
	require.NoError(t, err)
	require.Equal(t, first.ID, again.ID)
	ask.Args = []string{"in.txt", "-o", "other"}
	_, err = b.Submit(t.Context(), ask, "k")
	refused(t, err, "key-used")
	ask.Args = []string{"in.txt", "-o", "out"}
	_, err = b.Submit(t.Context(), ask, "")
	refused(t, err, "output-exists")
	close(b.gate)
	require.Equal(t, api.Succeeded, b.wait(first.ID).State)
}

func TestJobsAreChangedAndKilled(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a\n")
	j := b.submit("held", "in.txt", "-o", "out")
	ctx := t.Context()
	j, err := b.SetPriority(ctx, j.ID, "high")
	require.NoError(t, err)
	require.Equal(t, "high", j.Priority)
	j, err = b.SetPool(ctx, j.ID, "other")
	require.NoError(t, err)
	require.Equal(t, "other", j.Pool)
	_, err = b.SetPriority(ctx, j.ID, "urgent")
	refused(t, err, "bad-arguments")
	j, err = b.Kill(ctx, j.ID, "no more")
	require.NoError(t, err)
	j = b.wait(j.ID)
	require.Equal(t, api.Killed, j.State)
	require.Contains(t, j.Error, "no more")
	require.Equal(t, "other", j.Pool)
	require.Equal(t, "high", j.Priority)
	require.NoDirExists(t, filepath.Join(b.dir, "out"))
	_, err = b.SetPool(ctx, j.ID, "x")
	refused(t, err, "job-ended")
	again, err := b.Kill(ctx, j.ID, "")
	require.NoError(t, err, "killing what has ended is no error")
	require.Equal(t, j, again)
}

func TestListsComeInPages(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a\n")
	for range 5 {
		b.submit("held", "in.txt", "-o", "out"+string(rune('a'+len(b.s.jobs.all()))))
	}
	var got []int64
	after := ""
	for {
		var page api.Page[api.Job]
		b.get("/api/v1/jobs?limit=2"+after, &page)
		require.LessOrEqual(t, len(page.Items), 2)
		for _, j := range page.Items {
			got = append(got, j.ID)
		}
		if page.Next == "" {
			break
		}
		after = "&after=" + page.Next
	}
	require.Equal(t, []int64{5, 4, 3, 2, 1}, got)
	for _, query := range []string{"limit=0", "limit=1001", "limit=x", "state=x"} {
		require.Equal(t, http.StatusBadRequest, b.status(http.MethodGet, "/api/v1/jobs?"+query, ""), query)
	}
	list, err := b.Jobs(t.Context(), api.Succeeded, "")
	require.NoError(t, err)
	require.Empty(t, list)
}

func TestNodesAreCordonedDrainedKilledAndStarted(t *testing.T) {
	b := start(t, nil)
	ctx := t.Context()
	state := func(name string) string {
		list, err := b.Nodes(ctx)
		require.NoError(t, err)
		require.Len(t, list, 4)
		for _, n := range list {
			if n.Name == name {
				return n.State
			}
		}
		return ""
	}
	n, err := b.Node(ctx, "node-01", "cordon")
	require.NoError(t, err)
	require.Equal(t, "cordoned", n.State)
	n, err = b.Node(ctx, "node-01", "uncordon")
	require.NoError(t, err)
	require.Equal(t, "up", n.State)
	_, err = b.Node(ctx, "node-02", "kill")
	require.NoError(t, err)
	require.Equal(t, "down", state("node-02"))
	_, err = b.Node(ctx, "node-02", "kill")
	refused(t, err, "not-found")
	_, err = b.Node(ctx, "node-02", "start")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return state("node-02") == "up" }, 10*time.Second, 10*time.Millisecond)
	_, err = b.Node(ctx, "node-03", "drain")
	require.NoError(t, err)
	require.Eventually(t, func() bool { return state("node-03") == "down" }, 10*time.Second, 10*time.Millisecond)
	_, err = b.Node(ctx, "node-99", "cordon")
	refused(t, err, "not-found")
	_, err = b.Node(ctx, "node-01", "explode")
	refused(t, err, "not-found")
}

func TestFilesOfTheStore(t *testing.T) {
	b := start(t, nil)
	ctx := t.Context()
	require.NoError(t, b.Put(ctx, "in/é &?.txt", strings.NewReader("a b a\n")))
	refused(t, b.Put(ctx, "in/é &?.txt", strings.NewReader("again")), "exists")
	list, err := b.Files(ctx, "in")
	require.NoError(t, err)
	require.Equal(t, []api.File{{Name: "in/é &?.txt", Size: 6}}, list)
	j := b.submit("count", "dfs:in", "-o", "dfs:counts")
	require.Equal(t, api.Succeeded, b.wait(j.ID).State)
	require.Equal(t, "a\t2\nb\t1\n", b.content("counts/part-r-00000"))
	list, err = b.Files(ctx, "")
	require.NoError(t, err)
	require.Equal(t, []api.File{{Name: "counts", Directory: true}, {Name: "in", Directory: true}}, list)
	_, err = b.Get(ctx, "counts")
	refused(t, err, "is-directory")
	require.NoError(t, b.Remove(ctx, "counts"))
	_, err = b.Get(ctx, "counts/part-r-00000")
	refused(t, err, "not-found")
	refused(t, b.Remove(ctx, "counts"), "not-found")
}

func TestPolicyIsShownAndChanged(t *testing.T) {
	b := start(t, nil)
	ctx := t.Context()
	p, err := b.Reconfigure(ctx, api.PolicyChange{Set: map[string]string{"locality.waits": "2s/4s", "theta": "0.2", "locality.auto": "false"}})
	require.NoError(t, err)
	values := map[string]string{}
	for _, x := range p.Settings {
		values[x.Key] = x.Value
	}
	require.Equal(t, "2s/4s", values["locality.waits"])
	require.InDelta(t, 0.45, p.AutoWaitSeconds, 1e-9, "1.5 times Hadoop's interval of four nodes, 300 ms")
	require.Equal(t, "0.2", values["reduce.theta"])
	_, err = b.Reconfigure(ctx, api.PolicyChange{Set: map[string]string{"theta": "0.3", "nonsense": "1"}})
	refused(t, err, "bad-policy")
	_, err = b.Reconfigure(ctx, api.PolicyChange{Set: map[string]string{"theta": "7"}})
	refused(t, err, "bad-policy")
	p, err = b.Policy(ctx)
	require.NoError(t, err)
	for _, x := range p.Settings {
		if x.Key == "reduce.theta" {
			require.Equal(t, "0.2", x.Value, "all or nothing")
		}
	}
	_, err = b.Reload(ctx)
	refused(t, err, "no-files")
}

func TestServerTellsItself(t *testing.T) {
	b := start(t, nil)
	s, err := b.Server(t.Context())
	require.NoError(t, err)
	require.Equal(t, "hfs", s.Scheduler)
	require.Equal(t, [3]int{4, 4, 4}, [3]int{s.Nodes, s.MapSlots, s.ReduceSlots})
	require.False(t, s.Durable)
	require.Contains(t, b.text(http.MethodGet, "/openapi.yaml", "", nil), "openapi: 3.1.0")
	require.Equal(t, []api.Kind{{Name: "count", Summary: "Count words"}, {Name: "held", Summary: "Waits"}}, s.Jobs)
}

func TestMetrics(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", "a\n")
	b.wait(b.submit("count", "in.txt", "-o", "out").ID)
	text := b.text(http.MethodGet, "/metrics", "", nil)
	for _, want := range []string{
		`tarry_jobs{state="succeeded"} 1`, `tarry_slots{kind="map"} 4`, `tarry_nodes{state="up"} 4`,
		`tarry_events_total{type="finished"} 1`, `route="POST /api/v1/jobs"`, "go_goroutines",
	} {
		require.Contains(t, text, want)
	}
}

// When a server without state closes, it logs the number of unfinished jobs.
func TestJobsThatEndWithTheServer(t *testing.T) {
	var said strings.Builder
	b := start(t, func(cfg *Config) { cfg.Log = slog.New(slog.NewTextHandler(&said, nil)) })
	b.write("in.txt", "a\n")
	j := b.submit("held", "in.txt", "-o", "out")
	b.stop()
	require.Contains(t, said.String(), `msg="jobs end with the server, which keeps no state" jobs=1`)
	ended, err := b.s.jobs.find(j.ID)
	require.NoError(t, err)
	require.Contains(t, b.s.views(caller{}, []*job{ended})[0].Error, "the server has ended, and keeps no state")
}

// Moving a job to another pool changes the fair shares at once.
func TestMovingAJobChangesShares(t *testing.T) {
	b := start(t, nil)
	b.write("in.txt", strings.Repeat("a\n", 100))
	ctx := t.Context()
	one, two := b.submit("held", "in.txt", "-o", "one", "--pool", "x"), b.submit("held", "in.txt", "-o", "two", "--pool", "y")
	require.NotEqual(t, one.ID, two.ID)
	demand := func(pool string) (jobs int) {
		p, err := b.Policy(ctx)
		require.NoError(t, err)
		for _, x := range p.Pools {
			if x.Name == pool {
				require.NotNil(t, x.Maps.Share)
				return x.Jobs
			}
		}
		return 0
	}
	require.Eventually(t, func() bool { return demand("x") == 1 && demand("y") == 1 }, 10*time.Second, 10*time.Millisecond)
	_, err := b.SetPool(ctx, two.ID, "x")
	require.NoError(t, err)
	require.Equal(t, 2, demand("x"))
	require.Zero(t, demand("y"))
	require.Eventually(t, func() bool {
		p, err := b.Policy(ctx)
		require.NoError(t, err)
		for _, x := range p.Pools {
			if x.Name == "x" {
				return *x.Maps.Share == 2
			}
		}
		return false
	}, 10*time.Second, 10*time.Millisecond)
}
