package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Serve is called in a worker instead of running a plan. If the worker's task is of this plan,
// Serve runs it, reports the result to the starting process, and exits with code 0, or 1 on error.
// For a plan that the program runs earlier, Serve returns the counters that the submitter got.
// Without [Main] it returns an error.
func Serve(ctx context.Context, p *mapreduce.Plan) (*counter.Set, error) {
	if !ready {
		return nil, errNoMain
	}
	n := int(runs.Add(1)) - 1
	if n < asked.Run {
		return earlier(p, n)
	}
	err := errTogether
	if n == asked.Run {
		err = asked.serve(ctx, p)
	}
	tellVerdict(err)
	if err != nil {
		os.Exit(1)
	}
	os.Exit(0)
	return nil, nil
}

// earlier returns the outcome of run n of the program, which the submitter has already run.
func earlier(p *mapreduce.Plan, n int) (*counter.Set, error) {
	f, err := readPlan(asked.Plan)
	if err != nil {
		return nil, err
	}
	if n >= len(f.Earlier) {
		return nil, fmt.Errorf("%s: nothing of run %d of the program", asked.Plan, n)
	}
	past := f.Earlier[n]
	if err := p.Claim(); err != nil || past.Error == "" {
		return past.Counters, err
	}
	return past.Counters, errors.New(past.Error)
}

// serve runs the task, which is of plan p, and writes its frames or report.
func (t *task) serve(ctx context.Context, p *mapreduce.Plan) (err error) {
	id := t.id()
	f, err := readPlan(t.Plan)
	if err == nil {
		err = f.check()
	}
	if err == nil {
		err = p.Adopt(ctx, &f.Layout)
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.AbortTask(id))
		}
		err = errors.Join(err, p.Leave())
	}()
	if err := t.there(); err != nil { // checks that Adopt has opened files of this run, not the next
		return err
	}
	a := t.attempt(p, id, &f.Layout)
	defer t.bound()()
	a.tell("status", "started")
	switch {
	case t.Shuffle != "":
		return a.runShared(ctx)
	case t.Kind == reduceTask:
		return a.runReduce(ctx, os.Stdin, output)
	}
	return a.runMap(ctx, output)
}

// resources returns the memory, spills and counters for this process's only attempt.
func (t *task) resources() cluster.Resources {
	r := cluster.Resources{SpillDir: t.Spills, Spills: cluster.NewSpills(t.Spills), Counters: new(counter.Set)}
	if t.Memory > 0 {
		total := cluster.NewMemory(t.Memory)
		r.Budget, r.Pool = total.Sub(), cluster.NewBuffers(total, t.Memory/4)
	} else {
		r.Budget, r.Pool = cluster.NewMemory(0), cluster.NewBuffers(nil, 64<<20)
	}
	return r
}

// bound keeps the heap of this process within the task's memory until end is called.
func (t *task) bound() (end func()) {
	if t.Memory <= 0 {
		return func() {}
	}
	return cluster.LimitHeap(t.Memory)
}

// attempt is the one attempt that a worker process runs.
type attempt struct {
	p        *mapreduce.Plan
	id       mapreduce.AttemptID
	task     *task
	layout   *cluster.Layout
	r        cluster.Resources
	progress cluster.Progress
	skipped  []cluster.Skipped // records that a map skipped
}

// attempt returns the attempt id of this task, with its resources.
func (t *task) attempt(p *mapreduce.Plan, id mapreduce.AttemptID, l *cluster.Layout) *attempt {
	a := &attempt{p: p, id: id, task: t, layout: l, r: t.resources()}
	a.r.Progress = &a.progress
	return a
}

// runMap runs a map and writes its frames, or its report if the job has no reduces.
func (a *attempt) runMap(ctx context.Context, w io.Writer) error {
	if a.id.Index < 0 || a.id.Index >= len(a.layout.Splits) {
		return fmt.Errorf("map %d: the job has %d", a.id.Index, len(a.layout.Splits))
	}
	var out *cluster.MapOutput
	err := a.watched(func() (err error) {
		out, err = a.p.RunMap(ctx, &cluster.MapAttempt{
			Index: a.id.Index, Try: a.id.Try, Split: a.layout.Splits[a.id.Index], Stored: true, Resources: a.r,
			MaxSkips: a.task.MaxSkips,
		})
		return err
	})
	if err != nil {
		return err
	}
	defer out.Release()
	a.skipped = out.Skipped()
	countLocality(a.r.Counters, a.layout.Splits[a.id.Index].Hosts)
	if a.p.MapOnly() {
		return a.report(w, nil)
	}
	f := newFrames(w, a.id.Index, a.layout.Reduces)
	for n := range a.layout.Reduces {
		if err := out.Segment(n).Export(f); err != nil {
			return err
		}
		var line []byte
		if n == 0 {
			a.tellCounters()
			r := report{Kind: mapTask, Index: a.id.Index, Attempt: a.id.Try, Counters: a.r.Counters, Skipped: a.skipped}
			if line, err = r.line(); err != nil {
				return err
			}
		}
		if err := f.end(line); err != nil {
			return err
		}
	}
	if a.task.Shuffle != "" {
		if _, err := f.w.Write(f.ends); err != nil {
			return err
		}
	}
	return f.w.Flush()
}

// runReduce reads frames, runs the reduce on them and writes its report.
func (a *attempt) runReduce(ctx context.Context, r io.Reader, w io.Writer) error {
	if a.id.Index < 0 || a.id.Index >= a.layout.Reduces {
		return fmt.Errorf("reduce %d: the job has %d", a.id.Index, a.layout.Reduces)
	}
	in := a.p.NewImports(a.r)
	defer in.Release()
	maps, err := a.gather(in, r)
	if err != nil {
		return err
	}
	err = a.watched(func() error {
		return a.p.RunReduce(ctx, &cluster.ReduceAttempt{Index: a.id.Index, Try: a.id.Try, Next: in.Next, Resources: a.r})
	})
	if err != nil {
		return err
	}
	return a.report(w, maps)
}

// gather passes all frames of the reduce, in any order, to in, and returns the maps' reports.
func (a *attempt) gather(in *cluster.Imports, r io.Reader) (maps []report, err error) {
	buf := make([]byte, chunkBytes)
	for r := bufio.NewReaderSize(r, 256<<10); ; {
		f, err := readFrame(r, buf)
		if errors.Is(err, io.EOF) && !errors.Is(err, errFrames) {
			break
		}
		if err != nil {
			return nil, err
		}
		if f.partition != uint32(a.id.Index) {
			return nil, fmt.Errorf("reduce %d was given a frame of reduce %d", a.id.Index, f.partition)
		}
		if f.chunk == reportChunk {
			list, err := parseReports(f.data)
			if err != nil {
				return nil, err
			}
			maps = append(maps, list...)
			continue
		}
		if err := in.Add(int(f.index), int64(f.chunk)*chunkBytes, f.data); err != nil {
			return nil, err
		}
	}
	return maps, in.Complete()
}

// tell sends Hadoop a status or counter in the format that Streaming reads from standard error.
func (a *attempt) tell(kind, what string) {
	if os.Getenv("mapreduce_task_attempt_id") != "" {
		fmt.Fprintf(os.Stderr, "reporter:%s:%s\n", kind, what)
	}
}

// tellCounters sends Hadoop the counters of an attempt that succeeded.
func (a *attempt) tellCounters() {
	for v := range a.r.Counters.All() {
		a.tell("counter", fmt.Sprintf("%s,%s,%d", plainName(v.Group), plainName(v.Name), v.Value))
	}
}

// plainName replaces commas, which would end a counter's name in Streaming's format.
func plainName(name string) string { return strings.ReplaceAll(name, ",", ";") }

func (a *attempt) report(w io.Writer, maps []report) error {
	a.tellCounters()
	r := report{
		Kind: reduceTask, Index: a.id.Index, Attempt: a.id.Try, Counters: a.r.Counters, Output: a.p.Handover(a.id), Maps: maps,
		Skipped: a.skipped,
	}
	if a.id.Kind == cluster.MapKind {
		r.Kind = mapTask
	}
	line, err := r.line()
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		_, err := w.Write(line)
		return err
	}
	if a.task.Reports == "" {
		return write(w)
	}
	in, err := folderAt(a.task.Reports)
	if err != nil {
		return err
	}
	return in.put(reportFile(a.id), a.id.String(), write)
}
