package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Options are choices for Submit; the zero value but On is useful.
type Options struct {
	// On is the engine, such as processes:4: see Engines.
	On string
	// Reduces is the number of reduces if the job does not say; 0 means one for each 64 MiB of input,
	// made a power of two.
	Reduces int
	// BlockSize, in bytes, is where inputs are cut into splits; 0 means 64 MiB, and less for small
	// inputs so that every process has work.
	BlockSize int64
	// MaxAttempts is how often a task may fail before its job does, where that is ours to say; 0 means 4.
	MaxAttempts int
	// TaskTimeout is for how long a task may go on without progress: without a record read, emitted or
	// written, bytes spilled, a user's counter changed, or a call of [mapreduce.Task.Progress]. Then its
	// attempt has failed, and its process ends. 0 means 10 minutes; negative means no limit.
	TaskTimeout time.Duration
	// MaxSkips is how many records, on which the user's map returns an error or panics, the job may leave
	// out, whatever its attempts; they are listed beside the parts as _skipped.jsonl. With one more the job
	// fails. 0 means none.
	MaxSkips int
	// Memory is the budget in bytes of all workers of this machine, of which each has an equal share; of an
	// engine elsewhere it is that of each worker. 0 means no limit.
	Memory int64
	// SpillDir is where workers of this machine spill, and what they have for each other lies; empty
	// means os.TempDir.
	SpillDir string
	// Log hears of attempts that failed and are tried again; nil discards.
	Log io.Writer
	// Folder is what Folder returns in workers: a place that the program's runs share.
	Folder string
	// Print is where engines write what somebody else is to run, and is closed then if it can be; nil means
	// os.Stdout.
	Print io.Writer
	// Args are those of the program in workers; nil means os.Args[1:].
	Args []string
}

// engine runs the tasks of a submitted job and returns a report of each task that has a part.
type engine interface {
	// width is how many tasks run at once.
	width() int
	run(ctx context.Context, j *job) ([]report, error)
}

// Engines says what Options.On may be.
const Engines = "processes:N, yarn, spark://HOST:PORT, spark:yarn, k8s://…, local[N], local-cluster[N,CORES,MIB], slurm, " +
	"k8s-job:IMAGE, streaming-command, prism, beam://HOST:PORT"

// parseEngine is the engine of a name.
func parseEngine(on string) (engine, error) {
	kind, rest, _ := strings.Cut(on, ":")
	switch {
	case kind == "processes":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 || n > mostProcesses {
			return nil, fmt.Errorf("%q: want processes:N with N from 1 to %d", on, mostProcesses)
		}
		return processes(n), nil
	case on == "yarn":
		return streaming{}, nil
	case masterOf(on) != "":
		return spark{masterOf(on)}, nil
	case kind == "k8s-job":
		if rest == "" {
			return nil, fmt.Errorf("%q: want k8s-job:IMAGE, of a container with this program on its path", on)
		}
		return kubernetes(rest), nil
	case on == "streaming-command":
		return streamingLine(), nil
	case on == "slurm":
		return slurm{}, nil
	}
	if e, err := brought(on); e != nil || err != nil {
		return e, err
	}
	return nil, fmt.Errorf("%q is no engine that is known: want %s", on, Engines)
}

// Check says what is wrong with a name of an engine.
func Check(on string) error {
	_, err := parseEngine(on)
	return err
}

// job is a plan whose tasks run elsewhere.
type job struct {
	o       Options
	layout  cluster.Layout
	mapOnly bool
	plan    string // the plan file
	temp    folder // in which it is
	run     int
}

// outcome is how a run of the program has ended, for workers of those that follow.
type outcome struct {
	Counters *counter.Set `json:"counters"`
	Error    string       `json:"error,omitempty"`
}

// The program's runs before the one at hand, and whether there is one.
var (
	earlierRuns []outcome
	submitting  atomic.Bool
)

var errTogether = errors.New("two jobs at the same time: workers know a job by its number among those that the program runs one " +
	"after the other")

// Submit runs a plan on an engine, in place of a cluster in this process: it makes the output ready, has
// every task run in a worker, and commits. If ctx ends, workers of this machine are killed. Counters are
// those of the attempts that were committed. One call at a time: workers know a plan by its number among
// those that the program runs.
func Submit(ctx context.Context, p *mapreduce.Plan, o Options) (c *counter.Set, err error) {
	c = new(counter.Set)
	if !ready {
		return c, errNoMain
	}
	if submitting.Swap(true) {
		return c, errTogether
	}
	defer submitting.Store(false)
	run := int(runs.Add(1)) - 1
	defer func() {
		past := outcome{Counters: c}
		if err != nil {
			past.Error = err.Error()
		}
		earlierRuns = append(earlierRuns, past)
	}()
	e, err := parseEngine(o.On)
	if err != nil {
		return c, err
	}
	if p == nil {
		return c, cluster.ErrNoPlan
	}
	if err := p.Travels(); err != nil {
		return c, fmt.Errorf("job %q on %s: %w", p.Name(), o.On, err)
	}
	if o.MaxSkips > 0 {
		if err := p.SkipsFit(); err != nil {
			return c, err
		}
	}
	if err := p.Claim(); err != nil {
		return c, err
	}
	if err := p.SetupJob(); err != nil {
		return c, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.AbortJob())
		}
	}()
	j := &job{o: o, mapOnly: p.MapOnly(), run: run}
	if err := j.prepare(ctx, p, e.width()); err != nil {
		return c, err
	}
	if len(j.layout.Splits) == 0 { // nothing to carry, and engines differ in what they make of it
		e = processes(1)
	}
	reports, err := e.run(ctx, j)
	if err == nil {
		err = j.commit(p, reports, c)
	}
	if err == nil {
		err = p.CommitJob()
	}
	return c, err
}

// fileCost is what a file counts for, beyond its bytes, where small ones are joined to one split.
const fileCost = 16 << 10

// prepare fixes what all workers must agree on, and writes it down.
func (j *job) prepare(ctx context.Context, p *mapreduce.Plan, width int) error {
	reduces := cmp.Or(j.o.Reduces, p.UsualReduces())
	if err := p.Prepare(ctx, cluster.PrepareOptions{Reduces: reduces, SpillDir: j.o.SpillDir}); err != nil {
		return err
	}
	size := j.o.BlockSize
	if size == 0 {
		size = dfs.BlockSizeFor(p.InputBytes()+int64(len(p.Sources()))*fileCost, width, 0)
	}
	splits, err := p.Splits(ctx, p.BlocksOf(size))
	if err != nil {
		return err
	}
	f := planFile{Version: planVersion, Earlier: earlierRuns}
	if f.Layout, err = p.Layout(p.JoinSmall(splits, size)); err != nil {
		return err
	}
	if f.Program, err = thisProgram(); err != nil {
		return err
	}
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	j.layout = f.Layout
	if j.plan, err = p.KeepFile("plan.json", b); err != nil {
		return err
	}
	if j.temp, err = folderOf(j.plan); err != nil {
		return err
	}
	return j.task(reduceTask, -1, -1).fits()
}

// commit makes each task's winning attempt part of the output, and counts it.
func (j *job) commit(p *mapreduce.Plan, reports []report, c *counter.Set) error {
	kind, want := reduceTask, j.layout.Reduces
	if j.mapOnly {
		kind, want = mapTask, len(j.layout.Splits)
	}
	slices.SortFunc(reports, func(a, b report) int { return a.Index - b.Index })
	if err := j.quarantine(p, reports); err != nil {
		return err
	}
	for i := range max(want, len(reports)) {
		if i >= len(reports) || reports[i].Index != i || reports[i].Kind != kind || i >= want {
			return fmt.Errorf("the engine has not said once of each of %d %ss how it ended", want, kind)
		}
		r := &reports[i]
		if err := p.CommitAs(r.id(), r.Output); err != nil {
			return err
		}
		c.Merge(r.Counters)
		for _, m := range r.Maps {
			c.Merge(m.Counters)
		}
	}
	return nil
}

// quarantine lists what the maps that counted have left out, unless that is more than the job may.
func (j *job) quarantine(p *mapreduce.Plan, reports []report) error {
	var list []cluster.Skipped
	for _, r := range reports {
		list = append(list, r.Skipped...)
		for _, m := range r.Maps {
			list = append(list, m.Skipped...)
		}
	}
	cluster.SortSkipped(list)
	if len(list) > j.o.MaxSkips {
		one := list[0]
		return mapreduce.Permanent(fmt.Errorf("%w: %d, of %d allowed; one is %s at byte %d: %s",
			mapreduce.ErrTooManySkips, len(list), j.o.MaxSkips, one.Input, one.Offset, one.Reason))
	}
	_, err := p.Quarantine(list)
	return err
}

// task is an attempt as a worker is told of it.
func (j *job) task(kind string, index, attempt int) task {
	dir, _ := os.Getwd() // without it the worker stays where it is started
	return task{
		Plan: j.plan, Dir: dir, Run: j.run, Kind: kind, Index: index, Attempt: attempt, Memory: j.o.Memory, Spills: j.o.SpillDir,
		Folder: j.o.Folder, MaxSkips: j.o.MaxSkips, Timeout: j.o.timeout(), Args: j.args(),
	}
}

// args are the program's.
func (j *job) args() []string {
	if j.o.Args != nil {
		return j.o.Args
	}
	return os.Args[1:]
}

func (j *job) logf(format string, args ...any) {
	if j.o.Log != nil {
		fmt.Fprintf(j.o.Log, format+"\n", args...)
	}
}
