package actors

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type pair = mapreduce.Pair[string, int64]

type (
	countJob = mapreduce.Job[[]byte, string, int64, pair]
	mapper   = mapreduce.Mapper[[]byte, string, int64]
)

// words is a map function: it emits each word of a line with the value 1.
func words(line []byte, emit func(string, int64)) error {
	for w := range strings.FieldsSeq(string(line)) {
		emit(w, 1)
	}
	return nil
}

func sum(k string, vs iter.Seq[int64], emit func(pair)) error {
	var n int64
	for v := range vs {
		n += v
	}
	emit(mapreduce.MakePair(k, n))
	return nil
}

// counting returns a word count job, which tests may modify.
func counting(reducers int) countJob {
	return countJob{Name: "wordcount", Map: words, Reduce: sum, Reducers: reducers, Sum: true}
}

// mapped and tasked return counting(reducers) with another map.
func mapped(reducers int, f func(line []byte, emit func(string, int64)) error) countJob {
	job := counting(reducers)
	job.Map = f
	return job
}

func tasked(reducers int, f func(*mapreduce.Task) (mapper, error)) countJob {
	job := mapped(reducers, nil)
	job.MapTask = f
	return job
}

// bindLines returns a plan of the job over these lines, and the buffer that gets its output.
func bindLines[K, V, O any](tb testing.TB, j mapreduce.Job[[]byte, K, V, O], text string) (*mapreduce.Plan, *bytes.Buffer) {
	tb.Helper()
	out := new(bytes.Buffer)
	p, err := j.Bind(mapreduce.Lines(mapreduce.Bytes("text", []byte(text))), mapreduce.Text[O](mapreduce.Writer("out", out)))
	require.NoError(tb, err)
	return p, out
}

// wordCount returns a plan of a word count whose output is discarded.
func wordCount(tb testing.TB, text string, reducers int) *mapreduce.Plan {
	p, _ := bindLines(tb, counting(reducers), text)
	return p
}

// oracle returns the expected output of a job: what RunLocal writes, without a cluster.
func oracle[K, V, O any](tb testing.TB, j mapreduce.Job[[]byte, K, V, O], text string) string {
	tb.Helper()
	p, out := bindLines(tb, j, text)
	_, err := mapreduce.RunLocal(context.Background(), p, mapreduce.LocalOptions{})
	require.NoError(tb, err)
	return out.String()
}

// prose returns n lines of text over a small vocabulary.
func prose(seed uint64, lines int) string {
	r := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for range lines {
		for range r.IntN(9) {
			fmt.Fprintf(&b, "w%d ", r.IntN(50))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// start starts a cluster that the test closes.
func start(t *testing.T, cfg Config) *Cluster {
	t.Helper()
	c, err := Start(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// bubble runs f with a new cluster in a synctest bubble, in virtual time, and closes the cluster.
func bubble(t *testing.T, cfg Config, f func(t *testing.T, c *Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c, err := Start(cfg)
		require.NoError(t, err)
		defer func() {
			require.NoError(t, c.Close())
			pass(time.Minute) // late messages, and the actor library's throttle of dead letters
		}()
		f(t, c)
	})
}

// pass lets d of virtual time pass, and waits for all that happens in it. It panics outside of a
// bubble, so that no test sleeps in real time.
func pass(d time.Duration) {
	synctest.Wait()
	time.Sleep(d)
	synctest.Wait()
}

// submitted returns the number of jobs that the cluster has accepted.
func (c *Cluster) submitted() (n int) {
	_ = c.ask(onTurn(func(jt *jobTracker) error {
		n = int(jt.env.durable.Jobs)
		return nil
	}))
	return n
}

// names lists all nodes, also those that do not run.
func (c *Cluster) names() (names []string) {
	for _, p := range c.env.places {
		names = append(names, p.name)
	}
	return names
}

// submit submits a plan, which the cluster must accept.
func (c *Cluster) submit(t testing.TB, p *mapreduce.Plan, o SubmitOptions) *JobHandle {
	t.Helper()
	h, err := c.Submit(context.Background(), p, o)
	require.NoError(t, err)
	return h
}

// submitLines submits the job over these lines, and returns it with the buffer that gets its
// output.
func submitLines[K, V, O any](
	t testing.TB, c *Cluster, j mapreduce.Job[[]byte, K, V, O], text string, o ...SubmitOptions,
) (*JobHandle, *bytes.Buffer) {
	t.Helper()
	p, out := bindLines(t, j, text)
	return c.submit(t, p, append(o, SubmitOptions{})[0]), out
}

// runLines is submitLines for a job that must succeed, and returns its result and output.
func runLines(t testing.TB, c *Cluster, j countJob, text string, o ...SubmitOptions) (Result, string) {
	t.Helper()
	h, out := submitLines(t, c, j, text, o...)
	r := h.wait(t)
	return r, out.String()
}

// failLines is submitLines for a job that must fail, and returns its result and error.
func failLines(t testing.TB, c *Cluster, j countJob, text string, o ...SubmitOptions) (Result, error) {
	t.Helper()
	h, _ := submitLines(t, c, j, text, o...)
	r, err := h.Wait(context.Background())
	require.ErrorIs(t, err, ErrJobFailed)
	return r, err
}

// requireAlive checks that the cluster still runs jobs.
func (c *Cluster) requireAlive(t testing.TB) {
	t.Helper()
	_, out := runLines(t, c, counting(1), "a b a\n")
	require.Equal(t, "a\t2\nb\t1\n", out)
}

// wait returns the result of the job, which must succeed.
func (h *JobHandle) wait(t testing.TB) Result {
	t.Helper()
	r, err := h.Wait(context.Background())
	require.NoError(t, err)
	return r
}

// launches returns the numbers of attempts that the job launched.
func launches(r Result) (maps, reduces int64) {
	return r.Counters.Named(counter.GroupJob, "Launched map tasks"),
		r.Counters.Named(counter.GroupJob, "Launched reduce tasks")
}

// requireNothingHeld checks that all memory except idle buffers was returned.
func (c *Cluster) requireNothingHeld(t testing.TB) {
	t.Helper()
	require.Equal(t, c.env.buffers.Idle(), c.env.memory.Used())
}

// losing returns a Config.deliver that drops messages between nodes and JobTracker if lose returns
// true.
func losing(lose func(msg any) bool) func(any) []time.Duration {
	return func(msg any) []time.Duration {
		if withJobTracker(msg) && lose(msg) {
			return nil
		}
		return atOnce
	}
}

// onTurn is a command for the JobTracker that runs a function of the test in its goroutine.
type onTurn func(*jobTracker) error

func (f onTurn) apply(jt *jobTracker) error { return f(jt) }
