package serve

import (
	"context"
	"iter"
	"log/slog"
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
	t    testing.TB
	dir  string
	s    *Server
	gate chan struct{}
	url  string
}

// start starts a server; change, if not nil, changes its configuration.
func start(t testing.TB, change func(cfg *Config)) *bench {
	t.Helper()
	return startIn(t, t.TempDir(), change)
}

func startIn(t testing.TB, dir string, change func(cfg *Config)) *bench {
	t.Helper()
	b := &bench{t: t, dir: dir, gate: make(chan struct{})}
	cfg := Config{
		Cluster: actors.Config{Nodes: 4, Racks: 2, MapSlots: 1, ReduceSlots: 1},
		Jobs:    []Job{Simple("count", "Count words", count), held(b.gate)},
		Roots:   []string{dir},
		limits:  standardLimits,
	}
	cfg.limits.grace = time.Millisecond
	if change != nil {
		change(&cfg)
	}
	var err error
	b.s, err = Start(cfg)
	require.NoError(t, err)
	web := httptest.NewServer(b.s.handler)
	b.url = web.URL
	b.Client = &api.Client{Base: web.URL, HTTP: web.Client()}
	t.Cleanup(func() {
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

// submit submits a job, which the server must accept.
func (b *bench) submit(job string, args ...string) api.Job {
	b.t.Helper()
	j, err := b.Submit(b.t.Context(), api.Submission{Job: job, Args: args}, "")
	require.NoError(b.t, err)
	return j
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
func refused(t testing.TB, err error, code string) *api.Problem {
	t.Helper()
	var p *api.Problem
	require.ErrorAs(t, err, &p)
	require.Equal(t, code, p.Code, p.Detail)
	return p
}

// When a server without state closes, it logs the number of unfinished jobs.
func TestJobsThatEndWithTheServer(t *testing.T) {
	var said strings.Builder
	b := start(t, func(cfg *Config) { cfg.Log = slog.New(slog.NewTextHandler(&said, nil)) })
	b.write("in.txt", "a\n")
	j := b.submit("held", "in.txt", "-o", "out")
	b.stop()
	require.Contains(t, said.String(), `msg="jobs end with the server, which keeps no state" jobs=1`)
	ended, err := b.s.ledger.find(j.ID)
	require.NoError(t, err)
	require.Contains(t, b.s.views(caller{}, []*job{ended})[0].Error, "the server has ended, and keeps no state")
}
