package worker

import (
	"bufio"
	"cmp"
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
	if n >= len(asked.plan.Earlier) {
		return nil, fmt.Errorf("%s: nothing of run %d of the program", asked.Temp, n)
	}
	past := asked.plan.Earlier[n]
	if err := p.Claim(); err != nil || past.Error == "" {
		return past.Counters, err
	}
	return past.Counters, errors.New(past.Error)
}

// serve runs the task, which is of plan p, and writes its frames and note.
func (t *task) serve(ctx context.Context, p *mapreduce.Plan) (err error) {
	id := t.id()
	leave, err := t.plan.Layout.Adopt(ctx, p)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Job().AbortTask(id))
		}
		err = errors.Join(err, leave())
	}()
	if _, err := t.there(); err != nil { // checks that Adopt has opened files of this run, not the next
		return err
	}
	a := t.attempt(p, id, &t.plan.Layout)
	if t.Memory > 0 {
		defer cluster.LimitHeap(t.Memory)()
	}
	a.tell("status", "started")
	if t.Kind == mapTask {
		err = a.runMap(ctx, output)
	} else {
		err = a.runReduce(ctx, os.Stdin)
	}
	if err != nil {
		return err
	}
	return a.report()
}

// resources returns the memory, spills and counters for this process's only attempt.
func (t *task) resources() cluster.Resources {
	r := cluster.Resources{SpillDir: t.Spills, Spills: cluster.NewSpills(t.Spills), Counters: new(counter.Set)}
	total := cluster.NewMemory(t.Memory)
	r.Budget, r.Pool = total.Sub(), cluster.NewBuffers(total, cmp.Or(t.Memory/4, 64<<20))
	return r
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

// runMap runs a map and writes its frames for the reduces: to w, or to a file in task.Shuffle.
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
	if a.layout.Reduces == 0 {
		return nil
	}
	if a.task.Shuffle == "" {
		_, err := a.export(out, w)
		return err
	}
	return a.share(out)
}

// export writes a map's frames to w and returns where those of each reduce end.
func (a *attempt) export(out *cluster.MapOutput, w io.Writer) (ends []byte, err error) {
	f := newFrames(w, a.id.Index, a.layout.Reduces)
	for n := range a.layout.Reduces {
		if err := out.Segment(n).Export(f); err != nil {
			return nil, err
		}
		if err := f.end(); err != nil {
			return nil, err
		}
	}
	return f.ends, f.w.Flush()
}

// runReduce reads frames, from r or from the maps' files in task.Shuffle, and runs the reduce on
// them.
func (a *attempt) runReduce(ctx context.Context, r io.Reader) (err error) {
	if a.id.Index < 0 || a.id.Index >= a.layout.Reduces {
		return fmt.Errorf("reduce %d: the job has %d", a.id.Index, a.layout.Reduces)
	}
	if a.task.Shuffle != "" {
		if r, err = a.shared(); err != nil {
			return err
		}
	}
	in := cluster.NewImports(a.p.Job().Maps, a.r)
	defer in.Release()
	if err := a.gather(in, r); err != nil {
		return err
	}
	return a.watched(func() error {
		return a.p.RunReduce(ctx, &cluster.ReduceAttempt{Index: a.id.Index, Try: a.id.Try, Next: in.Next, Resources: a.r})
	})
}

// gather passes all frames of the reduce, in any order, to in.
func (a *attempt) gather(in *cluster.Imports, r io.Reader) error {
	buf := make([]byte, chunkBytes)
	for r := bufio.NewReaderSize(r, 256<<10); ; {
		f, err := readFrame(r, buf)
		if errors.Is(err, io.EOF) && !errors.Is(err, errFrames) {
			return in.Complete()
		}
		if err != nil {
			return err
		}
		if f.partition != uint32(a.id.Index) {
			return fmt.Errorf("reduce %d was given a frame of reduce %d", a.id.Index, f.partition)
		}
		if err := in.Add(int(f.index), int64(f.chunk)*chunkBytes, f.data); err != nil {
			return err
		}
	}
}

// tell sends Hadoop a status or counter in the format that Streaming reads from standard error.
func (a *attempt) tell(kind, what string) {
	if os.Getenv("mapreduce_task_attempt_id") != "" {
		fmt.Fprintf(os.Stderr, "reporter:%s:%s\n", kind, what)
	}
}

// report sends Hadoop the counters of this attempt, which has succeeded, and writes its note.
func (a *attempt) report() error {
	for v := range a.r.Counters.All() {
		plain := strings.NewReplacer(",", ";").Replace // a comma would end a counter's name
		a.tell("counter", fmt.Sprintf("%s,%s,%d", plain(v.Group), plain(v.Name), v.Value))
	}
	n := a.task.note(nil)
	n.Counters, n.Output, n.Skipped = a.r.Counters, a.p.Job().Output.Handover(a.id), a.skipped
	return a.task.write(n)
}
