package mapreduce_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"strings"

	"github.com/stretchr/testify/require"

	. "github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// must returns the result of a call; an error of the call ends the test:
//
//	plan := must(job.Bind(in, out))(t)
func must[T any](result T, err error) func(t require.TestingT) T {
	return func(t require.TestingT) T { require.NoError(t, err); return result }
}

// errorOf returns the error of a call with two results, and drops the other result.
func errorOf[T any](_ T, err error) error { return err }

// ran runs the plan that Bind returned in RunLocal, and returns the error of either.
func ran(p *Plan, err error) error {
	if err == nil {
		_, err = RunLocal(context.Background(), p, LocalOptions{})
	}
	return err
}

// collected runs a job in RunLocal and returns its output records.
func collected[O any](t require.TestingT, bind func(Output[O]) (*Plan, error)) []O {
	var out Collected[O]
	require.NoError(t, ran(bind(out.Output())))
	return must(out.Records())(t)
}

// begun calls SetupJob and Prepare of a plan, and returns its splits.
func begun(t require.TestingT, p *Plan, blocks func(int) []cluster.Block) []cluster.Split {
	require.NoError(t, p.SetupJob())
	require.NoError(t, p.Prepare(context.Background(), cluster.PrepareOptions{}))
	return must(p.Splits(context.Background(), blocks))(t)
}

// textOf returns a source named text.
func textOf(text string) Source { return Bytes("text", []byte(text)) }

// inside returns the files below a directory by their paths in it; none if it does not exist.
func inside(t require.TestingT, store fs.FS, dir string) map[string]string {
	files := map[string]string{}
	err := fs.WalkDir(store, dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			var b []byte
			b, err = fs.ReadFile(store, path)
			files[strings.TrimPrefix(path, dir+"/")] = string(b)
		}
		return err
	})
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	return files
}

// unread returns an output in memory, for tests that do not look at the output.
func unread[O any]() Output[O] { return new(Collected[O]).Output() }

// sorting returns a job that sorts its records in a total order, by `reduces` reduces.
func sorting[K any](reduces int) Job[K, K, None, Pair[K, None]] {
	return Job[K, K, None, Pair[K, None]]{
		Map:        func(key K, emit func(K, None)) error { emit(key, None{}); return nil },
		TotalOrder: true, Reducers: reduces,
	}
}

// engineRun runs the tasks of a plan one after the other, as a cluster does.
type engineRun struct {
	reduces, tries, maxSkips int // tries: attempts per task; 0 means 1
	blocks                   func(source int) []cluster.Block
	cluster.Resources
	skipped []cluster.Skipped
}

// engine runs a plan, and returns the counters.
func engine(t require.TestingT, p *Plan, reduces int, blocks func(int) []cluster.Block, res cluster.Resources) *counter.Set {
	res.Counters = new(counter.Set)
	e := &engineRun{reduces: reduces, blocks: blocks, Resources: res}
	require.NoError(t, e.run(context.Background(), p))
	return res.Counters
}

func (e *engineRun) run(ctx context.Context, p *Plan) (err error) {
	if err := p.SetupJob(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.AbortJob())
		}
	}()
	if e.Progress == nil {
		e.Progress = new(cluster.Progress)
	}
	err = fault.ErrExited // returned if user code ends the goroutine below
	return e.tasks(ctx, p)
}

// tasks runs the tasks of a plan after SetupJob, and commits the job.
func (e *engineRun) tasks(ctx context.Context, p *Plan) error {
	if err := p.Prepare(ctx, cluster.PrepareOptions{Reduces: e.reduces}); err != nil {
		return err
	}
	splits, err := p.Splits(ctx, e.blocks)
	if err != nil {
		return err
	}
	var outs []*cluster.MapOutput
	defer func() {
		for _, o := range outs {
			o.Release()
		}
	}()
	for i, s := range splits {
		if err := e.task(ctx, p, AttemptID{Index: i}, func(id AttemptID) error {
			a := &cluster.MapAttempt{Index: i, Try: id.Try, Split: s, MaxSkips: e.maxSkips, Resources: e.Resources}
			out, err := p.RunMap(ctx, a)
			if err == nil {
				outs, e.skipped = append(outs, out), append(e.skipped, out.Skipped()...)
			}
			if err == nil && p.Job().MapOnly {
				err = p.Job().CommitTask(id)
			}
			return err
		}); err != nil {
			return err
		}
	}
	for r := range p.Job().Reduces {
		if err := e.task(ctx, p, AttemptID{Kind: attempt.Reduce, Index: r}, func(id AttemptID) error {
			a := &cluster.ReduceAttempt{Index: r, Try: id.Try, Resources: e.Resources, Next: sent(r, outs...)}
			if err := p.RunReduce(ctx, a); err != nil {
				return err
			}
			return p.Job().CommitTask(id)
		}); err != nil {
			return err
		}
	}
	return p.CommitJob()
}

// task runs attempts of a task until one succeeds or another would not help.
func (e *engineRun) task(ctx context.Context, p *Plan, id AttemptID, run func(id AttemptID) error) (err error) {
	for id.Try = range max(e.tries, 1) {
		done := make(chan error, 1)
		go func() { // user code may end it
			err := fault.ErrExited
			defer func() {
				if errors.Is(err, fault.ErrExited) {
					err = e.Progress.Exited()
				}
				done <- err
			}()
			err = run(id)
		}()
		if err = <-done; err == nil || fault.IsPermanent(err) || ctx.Err() != nil {
			return err
		}
		if err := p.Job().AbortTask(id); err != nil {
			return err
		}
	}
	return err
}

// sent returns the Next of a reduce attempt; it returns the segments of the last map first.
func sent(partition int, outs ...*cluster.MapOutput) func(context.Context) (cluster.Segment, error) {
	next := len(outs)
	return func(context.Context) (cluster.Segment, error) {
		if next--; next < 0 {
			return cluster.Segment{}, io.EOF
		}
		return outs[next].Segment(partition), nil
	}
}

func wordCount(combine bool) Job[[]byte, string, int64, Pair[string, int64]] {
	j := Job[[]byte, string, int64, Pair[string, int64]]{
		Name: "wordcount",
		Map: func(line []byte, emit func(string, int64)) error {
			for w := range Fields(line) {
				emit(string(w), 1)
			}
			return nil
		},
		Reduce: func(word string, counts iter.Seq[int64], emit func(Pair[string, int64])) error {
			var n int64
			for c := range counts {
				n += c
			}
			emit(MakePair(word, n))
			return nil
		},
	}
	if combine {
		j.Combine = func(a, b int64) int64 { return a + b }
	}
	return j
}
