package actors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/scheduling"
)

// errUser is what the user's code of these tests fails with.
var errUser = errors.New("the user's own error")

// ways are the ways in which user code may fail.
var ways = map[string]func() error{
	"error":  func() error { return errUser },
	"panic":  func() error { panic(errUser) },
	"goexit": func() error { runtime.Goexit(); return nil },
}

// blame checks that an error names its cause and, for a panic, the place in this file.
func blame(t *testing.T, way string, err error) {
	t.Helper()
	var p *mapreduce.PanicError
	switch way {
	case "panic":
		require.ErrorAs(t, err, &p)
		require.Contains(t, err.Error(), "actors/userfaults_test.go:")
		require.NotContains(t, err.Error(), "goroutine ")
		require.Contains(t, p.Stack, "userfaults_test.go")
		fallthrough
	case "error":
		require.ErrorIs(t, err, errUser)
	case "goexit":
		require.ErrorIs(t, err, mapreduce.ErrExited)
		require.Contains(t, err.Error(), "Goexit")
	}
	require.NotContains(t, err.Error(), "%!")
	require.Less(t, len(err.Error()), 1000)
}

// phrase is a key or value with a codec of the user's.
type phrase struct{ s string }

// The codec of phrase calls these.
var (
	marshalText   func() error
	unmarshalText func() error
)

func must(f func() error) error {
	if f == nil {
		return nil
	}
	return f()
}

func (x phrase) MarshalBinary() ([]byte, error)      { return []byte(x.s), must(marshalText) }
func (x *phrase) UnmarshalBinary(b []byte) error     { x.s = string(b); return must(unmarshalText) }
func (x phrase) AppendText(b []byte) ([]byte, error) { return append(b, x.s...), nil }
func (x phrase) MarshalText() ([]byte, error)        { return []byte(x.s), nil }

// userPlan is a job with user code everywhere; fail is called in the place named.
func userPlan(place string, fail func() error) (*mapreduce.Plan, *userFS, error) {
	at := func(name string) error {
		if name == place {
			return fail()
		}
		return nil
	}
	marshalText = func() error { return at("marshal") }
	unmarshalText = func() error { return at("unmarshal") }
	job := mapreduce.Job[[]byte, phrase, int64, mapreduce.Pair[phrase, int64]]{
		Name: "faults", Reducers: 2,
		MapTask: func(*mapreduce.Task) (mapreduce.Mapper[[]byte, phrase, int64], error) {
			return mapreduce.Mapper[[]byte, phrase, int64]{
				Map: func(line []byte, emit func(phrase, int64)) error {
					emit(phrase{string(line)}, 1)
					return at("map")
				},
				Close: func(func(phrase, int64)) error { return at("close map") },
			}, at("map task")
		},
		Partition: func(key phrase, n int) int {
			if err := at("partition"); err != nil {
				panic(err)
			}
			return len(key.s) % n
		},
		Combine: func(a, b int64) int64 {
			if err := at("combine"); err != nil {
				panic(err)
			}
			return a + b
		},
		ReduceTask: func(*mapreduce.Task) (mapreduce.Reducer[phrase, int64, mapreduce.Pair[phrase, int64]], error) {
			return mapreduce.Reducer[phrase, int64, mapreduce.Pair[phrase, int64]]{
				Reduce: func(k phrase, vs iter.Seq[int64], emit func(mapreduce.Pair[phrase, int64])) error {
					next, stop := iter.Pull(vs)
					defer stop()
					for n, ok := next(); ok; n, ok = next() {
						emit(mapreduce.MakePair(k, n))
					}
					return at("reduce")
				},
				Close: func(func(mapreduce.Pair[phrase, int64])) error { return at("close reduce") },
			}, at("reduce task")
		},
	}
	fsys := &userFS{at: at, files: map[string]*bytes.Buffer{}}
	encode := func(dst []byte, rec mapreduce.Pair[phrase, int64]) ([]byte, error) {
		return fmt.Appendf(dst, "%s %d\n", rec.First.s, rec.Second), at("encode")
	}
	src, err := mapreduce.Stored(&userSource{at: at, data: []byte("one\ntwo\none\nthree\n")})
	if err != nil {
		return nil, nil, err
	}
	p, err := job.Bind(mapreduce.Lines(src), mapreduce.Encoded(mapreduce.InFS(fsys, "out"), encode))
	return p, fsys, err
}

// userSource is a dfs.Source of the user's.
type userSource struct {
	at   func(string) error
	data []byte
}

func (s *userSource) Name() string { return "user.txt" }
func (s *userSource) Size() int64  { return int64(len(s.data)) }
func (s *userSource) Close() error { return s.at("close source") }

func (s *userSource) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(s.data).ReadAt(p, off)
}

func (s *userSource) View(off int64, n int) ([]byte, func(), error) {
	return s.data[off:][:n], func() {}, s.at("view")
}

// userFS is an OutputFS of the user's.
type userFS struct {
	at    func(string) error
	mu    sync.Mutex
	files map[string]*bytes.Buffer
}

func (f *userFS) Create(name string) (io.WriteCloser, error) {
	place := "create"
	if filepath.Base(name) == "_SUCCESS" {
		place = "create success"
	} else if filepath.Base(name) == "setup" {
		place = "setup"
	}
	if err := f.at(place); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	b := new(bytes.Buffer)
	f.files[name] = b
	return userFile{b, f.at}, nil
}

func (f *userFS) Rename(from, to string) error {
	if err := f.at("rename"); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[to] = f.files[from]
	delete(f.files, from)
	return nil
}

func (f *userFS) RemoveAll(name string) error {
	f.mu.Lock()
	for file := range f.files {
		if file == name || strings.HasPrefix(file, name+"/") {
			delete(f.files, file)
		}
	}
	f.mu.Unlock()
	return f.at("remove")
}

func (f *userFS) Exists(name string) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for file := range f.files {
		if strings.HasPrefix(file, name) {
			return true, nil
		}
	}
	return false, nil
}

// names lists the parts.
func (f *userFS) names() (list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name := range f.files {
		list = append(list, name)
	}
	return list
}

type userFile struct {
	*bytes.Buffer
	at func(string) error
}

func (f userFile) Close() error { return f.at("close") }

func (f userFile) Write(p []byte) (int, error) {
	if err := f.at("write"); errors.Is(err, errShort) {
		return f.Buffer.Write(p[:len(p)/2])
	} else if err != nil {
		return 0, err
	}
	return f.Buffer.Write(p)
}

var errShort = errors.New("a short write, not told")

// TestFaultsOfUserCode fails in each place where user code runs, in each way, on a cluster
// that tries a task several times: the job ends with an error that says why, no output is
// left, and the cluster goes on.
func TestFaultsOfUserCode(t *testing.T) {
	places := []string{
		"map task", "map", "close map", "partition", "combine", "marshal", "unmarshal", "view",
		"reduce task", "reduce", "close reduce", "encode",
		"setup", "create", "write", "close", "rename", "create success", "close source",
	}
	for _, place := range places {
		for way, fail := range ways {
			t.Run(place+" "+way, func(t *testing.T) {
				bubble(t, Config{Nodes: 2, MaxAttempts: 2, BlockSize: 4}, func(t *testing.T, c *Cluster) {
					failAt(t, c, place, way, fail)
					p, out := bindLines(t, counting(1), "a\n")
					c.submit(t, p, SubmitOptions{}).wait(t)
					require.Equal(t, "a\t1\n", out.String(), "the cluster goes on")
					synctest.Wait()
					c.requireNothingHeld(t)
				})
			})
		}
	}
}

func failAt(t *testing.T, c *Cluster, place, way string, fail func() error) {
	p, fsys, err := userPlan(place, fail)
	require.NoError(t, err)
	type outcome struct {
		h   *JobHandle
		err error
	}
	submitted := make(chan outcome, 1)
	go func() { // user code may end the goroutine of Submit
		o := outcome{err: mapreduce.ErrExited}
		defer func() { submitted <- o }()
		o.h, o.err = c.Submit(context.Background(), p, SubmitOptions{})
	}()
	o := <-submitted
	began := time.Now()
	if o.err == nil {
		_, o.err = o.h.Wait(context.Background())
		require.ErrorIs(t, o.err, ErrJobFailed)
	}
	require.Error(t, o.err)
	require.Less(t, time.Since(began), time.Minute)
	blame(t, way, o.err)
	if place != "close source" { // closing fails for the abort, too, after the output is gone
		require.Empty(t, fsys.names())
	}
}

// TestShortWrites of an OutputFS and of a Writer that say nothing of it fail the job.
func TestShortWrites(t *testing.T) {
	bubble(t, Config{MaxAttempts: 2}, func(t *testing.T, c *Cluster) {
		p, fsys, err := userPlan("write", func() error { return errShort })
		require.NoError(t, err)
		_, err = c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorIs(t, err, io.ErrShortWrite)
		require.Empty(t, fsys.names())

		p = lineCopy(t, writerFunc(func(p []byte) (int, error) { return len(p) - 1, nil }))
		_, err = c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorIs(t, err, io.ErrShortWrite)
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// lineCopy is a map-only job that copies lines to w.
func lineCopy(t *testing.T, w io.Writer) *mapreduce.Plan {
	t.Helper()
	job := mapreduce.MapOnly[[]byte, []byte]{Map: func(line []byte, emit func([]byte)) error { emit(line); return nil }}
	p, err := job.Bind(mapreduce.Lines(mapreduce.Bytes("text", []byte("one\ntwo\nthree\n"))), mapreduce.Text[[]byte](mapreduce.Writer("w", w)))
	require.NoError(t, err)
	return p
}

// TestFaultsOfAWriter: a part is sent once. A writer that failed while it was, in any way,
// is not written to again, and the job fails at once.
func TestFaultsOfAWriter(t *testing.T) {
	for way, fail := range ways {
		bubble(t, Config{BlockSize: 4}, func(t *testing.T, c *Cluster) {
			calls := 0
			p := lineCopy(t, writerFunc(func(p []byte) (int, error) {
				if calls++; calls == 1 {
					return 0, fail()
				}
				return len(p), nil
			}))
			res, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
			require.ErrorIs(t, err, ErrJobFailed)
			blame(t, way, err)
			require.Equal(t, 1, calls)
			if way != "goexit" {
				require.EqualValues(t, 1, res.Counters.Named(mapreduce.GroupJob, "Failed map tasks"), "not tried again")
			}
		})
	}
}

// TestFaultsOfCallbacks: what a cluster calls beside the jobs does not harm it.
func TestFaultsOfCallbacks(t *testing.T) {
	for way, fail := range ways {
		if way == "error" {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			var types []scheduling.EventType
			cfg := Config{
				Events: func(e Event) { types = append(types, e.Type); _ = fail() },
				Calls:  func(*scheduling.Call) { _ = fail() },
				Logger: slog.New(panickyHandler{}),
			}
			c, err := Start(cfg)
			require.NoError(t, err)
			p, out := bindLines(t, counting(1), "a\n")
			c.submit(t, p, SubmitOptions{}).wait(t)
			require.Equal(t, "a\t1\n", out.String())
			require.Contains(t, types, scheduling.EventJoined)
			require.Contains(t, types, scheduling.EventFinished)
			err = c.Inspect(func(*scheduling.Core) { _ = fail() })
			blame(t, way, err)
			require.NoError(t, c.Close())
			pass(time.Second)
		})
	}
}

// panickyHandler is a log handler that panics.
type panickyHandler struct{}

func (panickyHandler) Enabled(context.Context, slog.Level) bool  { return true }
func (panickyHandler) Handle(context.Context, slog.Record) error { panic("no log") }
func (h panickyHandler) WithAttrs([]slog.Attr) slog.Handler      { return h }
func (h panickyHandler) WithGroup(string) slog.Handler           { return h }

// badError is an error whose method panics.
type badError struct{ p *int }

func (e *badError) Error() string { return fmt.Sprint(*e.p) }

// TestErrorsCanBeShown: neither records in errors nor errors that panic do harm.
func TestErrorsCanBeShown(t *testing.T) {
	bubble(t, Config{MaxAttempts: 1}, func(t *testing.T, c *Cluster) {
		for _, bad := range []error{
			fmt.Errorf("bad record %s", strings.Repeat("long ", 1<<20)),
			&badError{},
			(*badError)(nil),
		} {
			for _, doPanic := range []bool{false, true} {
				job := counting(1)
				job.Map = func([]byte, func(string, int64)) error {
					if doPanic {
						panic(bad)
					}
					return bad
				}
				p, _ := bindLines(t, job, "a\n")
				_, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
				require.ErrorIs(t, err, bad)
				require.Less(t, len(err.Error()), 1000)
			}
		}
	})
}

// TestFirstCauseIsReported: the last of a task's failures may only follow from the first.
func TestFirstCauseIsReported(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		tries := 0
		job := counting(1)
		job.Map = func([]byte, func(string, int64)) error { tries++; return fmt.Errorf("try %d", tries) }
		p, _ := bindLines(t, job, "a\n")
		_, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorContains(t, err, `failed 4 times, first so: text: at byte 0, "a": try 1`)

		in := mapreduce.Lines(mapreduce.Stream("pipe", io.MultiReader(strings.NewReader("a\nb\n"), failingReader{})))
		p, err = counting(1).Bind(in, mapreduce.Text[pair](mapreduce.Writer("w", io.Discard)))
		require.NoError(t, err)
		res, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorIs(t, err, errUser)
		require.NotErrorIs(t, err, mapreduce.ErrConsumed)
		require.EqualValues(t, 2, res.Counters.Named(mapreduce.GroupJob, "Failed map tasks"), "what is consumed stays so")
	})
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errUser }

// TestPermanentErrorsAreNotTriedAgain but fail the job at once.
func TestPermanentErrorsAreNotTriedAgain(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		job := counting(1)
		job.Map = func([]byte, func(string, int64)) error { return fmt.Errorf("line: %w", mapreduce.Permanent(errUser)) }
		p, _ := bindLines(t, job, "a\n")
		res, err := c.submit(t, p, SubmitOptions{}).Wait(context.Background())
		require.ErrorIs(t, err, errUser)
		require.EqualValues(t, 1, res.Counters.Named(mapreduce.GroupJob, "Failed map tasks"))
		maps, _ := launches(res)
		require.EqualValues(t, 1, maps)
	})
}

// TestEndOfContext: errors say which end of a context it was.
func TestEndOfContext(t *testing.T) {
	why := errors.New("lunch")
	for name, end := range map[string]struct {
		want error
		ctx  func() (context.Context, context.CancelFunc)
	}{
		"deadline": {context.DeadlineExceeded, func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), time.Hour)
		}},
		"deadline with a cause": {context.DeadlineExceeded, func() (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(context.Background(), time.Hour, why)
		}},
		"canceled with a cause": {context.Canceled, func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(context.Background())
			time.AfterFunc(time.Hour, func() { cancel(why) })
			return ctx, func() { cancel(nil) }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				job := counting(1)
				job.Map, job.MapTask = nil, untilKilled
				p, _ := bindLines(t, job, "a\n")
				ctx, cancel := end.ctx()
				defer cancel()
				_, err := Run(ctx, Config{}, p)
				require.ErrorIs(t, err, ErrJobKilled)
				require.ErrorIs(t, err, end.want)
				require.ErrorIs(t, err, context.Cause(ctx))
				pass(time.Second)

				p, _ = bindLines(t, counting(1), "a\n")
				_, err = Run(ctx, Config{}, p)
				if err != nil { // it ended before the job
					require.ErrorIs(t, err, end.want)
				}
				p, _ = bindLines(t, counting(1), "a\n")
				_, err = mapreduce.RunLocal(ctx, p, mapreduce.LocalOptions{})
				require.ErrorIs(t, err, end.want)
				require.ErrorIs(t, err, context.Cause(ctx))
				pass(time.Second)
			})
		})
	}
}

// TestCountersOfFailedAttempts do not count.
func TestCountersOfFailedAttempts(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		failed := map[string]bool{}
		failOnce := func(what string) error {
			if failed[what] {
				return nil
			}
			failed[what] = true
			return errUser
		}
		job := counting(1)
		job.Map = nil
		job.MapTask = func(task *mapreduce.Task) (mapreduce.Mapper[[]byte, string, int64], error) {
			return mapreduce.Mapper[[]byte, string, int64]{
				Map: func(line []byte, emit func(string, int64)) error {
					task.Counter("mine", "lines").Add(1)
					return words(line, emit)
				},
				Close: func(func(string, int64)) error { return failOnce("map") },
			}, nil
		}
		job.Reduce = nil
		job.ReduceTask = func(task *mapreduce.Task) (mapreduce.Reducer[string, int64, pair], error) {
			return mapreduce.Reducer[string, int64, pair]{
				Reduce: func(k string, vs iter.Seq[int64], emit func(pair)) error {
					task.Counter("mine", "words").Add(1)
					return sum(k, vs, emit)
				},
				Close: func(func(pair)) error { return failOnce("reduce") },
			}, nil
		}
		p, out := bindLines(t, job, "a b\na\n")
		r := c.submit(t, p, SubmitOptions{}).wait(t)
		require.Equal(t, "a\t2\nb\t1\n", out.String())
		require.EqualValues(t, 1, r.Counters.Named(mapreduce.GroupJob, "Failed map tasks"))
		require.EqualValues(t, 1, r.Counters.Named(mapreduce.GroupJob, "Failed reduce tasks"))
		require.EqualValues(t, 2, r.Counters.Named("mine", "lines"))
		require.EqualValues(t, 2, r.Counters.Named("mine", "words"))
		require.EqualValues(t, 2, r.Counters.Get(mapreduce.MapInputRecords))
		require.EqualValues(t, 2, r.Counters.Get(mapreduce.ReduceOutputRecords))
	})
}

// TestCommittedByAnotherAttempt: that an attempt of a lost node has committed the task is
// success, not a failure, and changes nothing of the output.
func TestCommittedByAnotherAttempt(t *testing.T) {
	bubble(t, Config{}, func(t *testing.T, c *Cluster) {
		var out bytes.Buffer
		p := lineCopy(t, &out)
		require.NoError(t, p.SetupJob())
		require.NoError(t, p.Prepare(context.Background(), mapreduce.PrepareOptions{}))
		splits, err := p.Splits(context.Background(), nil)
		require.NoError(t, err)
		for try := range 2 {
			_, err := p.RunMap(context.Background(), &mapreduce.MapAttempt{Try: try, Split: splits[0]})
			require.NoError(t, err)
		}
		require.NoError(t, p.CommitTask(mapreduce.AttemptID{Try: 1}))
		r := newRun(c.env, p, "", "")
		r.splits = splits
		a := newAttempt(c.env, r, scheduling.AttemptID{}, c.env.places[0])
		a.tell = func(any) {}
		a.granted <- true
		require.NoError(t, a.commit(new(report)))
		require.NoError(t, p.CommitJob())
		require.Equal(t, "one\ntwo\nthree\n", out.String())
	})
}
