package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tarry-mr/tarry/dfs"
	"github.com/tarry-mr/tarry/dfs/stores"
	"github.com/tarry-mr/tarry/internal/scratch"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// Options are the options of Submit. Only On is required.
type Options struct {
	// On is the engine, such as processes:4; see Engines.
	On string
	// Reduces is the number of reduces if the job does not set it; 0 means one per 64 MiB of input,
	// rounded to a power of two.
	Reduces int
	// BlockSize is the size in bytes at which inputs are split; 0 means 64 MiB, or less for small
	// inputs, so that every process has work.
	BlockSize int64
	// MaxAttempts is how many attempts of a task may fail before its job fails, on engines that let
	// us decide; 0 means 4.
	MaxAttempts int
	// TaskTimeout is how long a task may make no progress. Progress is a record read, emitted or
	// written, bytes spilled, a change of a user's counter, or a call of [mapreduce.Task.Progress].
	// After that its attempt fails and its process ends. 0 means 10 minutes; negative means no
	// limit.
	TaskTimeout time.Duration
	// MaxSkips is the maximum number of records that the job may skip because the user's map
	// returns an error or panics on them. Skipped records are listed beside the parts in
	// _skipped.jsonl. With one more the job fails. 0 means none.
	MaxSkips int
	// Memory is the budget in bytes of all workers on this machine, shared equally; on other
	// engines it is the budget of each worker. 0 means half of TaskMemory, or no limit without it.
	Memory int64
	// SpillDir is the directory for spills and shuffle files of workers on this machine; empty
	// means os.TempDir.
	SpillDir string
	// Progress is called, by one goroutine, when the counts of tasks have changed; nil discards
	// them.
	Progress func(Progress)
	// Log gets attempts that failed and are retried; nil discards them.
	Log io.Writer
	// Folder is the value that Folder returns in workers: a place that the program's runs share.
	Folder string
	// Print is where engines write the command or manifest that someone else must run. It is closed
	// after that if it is an io.Closer; nil means os.Stdout.
	Print io.Writer
	// Args are the program's arguments in workers; nil means os.Args[1:].
	Args []string
	Settings
}

// engine runs the tasks of a submitted job; each leaves its note.
type engine struct {
	width    int // how many tasks run at once, 0 if unknown: more tasks mean smaller splits
	run      func(ctx context.Context, j *job) error
	settings string // the row of engineSettings; empty: it has none
	printed  bool   // the user starts the job, and only notes show how tasks fail
	// over reports whether the engine no longer uses the run's folder after all tasks; nil: at
	// once.
	over func(j *job) bool
}

// Engines lists the values of Options.On.
const Engines = "processes:N, yarn, spark://HOST:PORT, spark:yarn, k8s://…, local[N], local-cluster[N,CORES,MIB], slurm, " +
	"k8s-job:IMAGE, streaming-command, prism, beam://HOST:PORT"

// parseEngine returns the engine for a value of Options.On.
func parseEngine(on string) (e engine, err error) {
	kind, rest, _ := strings.Cut(on, ":")
	switch {
	case kind == "processes":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 || n > maxProcesses {
			return e, fmt.Errorf("%q: want processes:N with N from 1 to %d", on, maxProcesses)
		}
		return engine{width: n, run: processes(n).run}, nil
	case on == "yarn":
		return engine{run: streaming, settings: on, over: hadoopEnded}, nil
	case on == "spark:yarn":
		return engine{run: spark{"yarn"}.run, settings: on}, nil
	case sparkMasters().MatchString(on):
		if kind != "k8s" {
			kind = "spark"
		}
		return engine{run: spark{on}.run, settings: kind}, nil
	case kind == "k8s-job":
		if rest == "" {
			return e, fmt.Errorf("%q: want k8s-job:IMAGE, of a container with this program on its path", on)
		}
		return engine{run: kubernetes(rest).run, settings: kind, printed: true}, nil
	case on == "streaming-command":
		return engine{run: streamingLine.run, settings: "yarn", printed: true, over: hadoopEnded}, nil
	case on == "slurm":
		return engine{run: slurm, settings: on}, nil
	}
	if e, err = brought(on); e.run != nil || err != nil {
		return e, err
	}
	return e, fmt.Errorf("%q is no engine that is known: want %s", on, Engines)
}

// Check returns an error if no engine has that name, or if the engine lacks a setting that is set.
func Check(on string, s *Settings) error {
	e, err := parseEngine(on)
	if err != nil {
		return fmt.Errorf("--on %w", err)
	}
	return s.check(on, e)
}

// job is a submitted plan whose tasks an engine runs in other processes.
type job struct {
	o       Options
	layout  cluster.Layout
	temp    folder // with the plan file
	tasks   folder // for frames that no engine moves, see shared.go, and for logs
	notes   *ledger
	done    chan struct{} // closed when all tasks have succeeded, and the engine is over
	engine  engine
	run     int
	builds  []program // that workers may be, this one first
	scratch *scratch.Item
	// tracking is the URL that the engine's client has named, a string.
	tracking atomic.Value
}

// outcome is the result of one of the program's runs, for workers of later ones.
type outcome struct {
	Counters *counter.Set `json:"counters"`
	Error    string       `json:"error,omitempty"`
}

// The outcomes of the program's earlier runs, and whether a run is in progress.
var (
	earlierRuns []outcome
	submitting  atomic.Bool
)

var errTogether = errors.New("two jobs at the same time: workers know a job by its number among those that the program runs one " +
	"after the other")

// Submit runs a plan on an engine instead of a cluster in this process. It sets up the output, runs
// every task in a worker, and commits. It returns the counters of the committed attempts. If ctx
// ends, workers on this machine are killed. Calls must not overlap, because workers identify a plan
// by its number among the program's runs.
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
	if err := o.check(o.On, e); err != nil {
		return c, err
	}
	o.Memory = cmp.Or(o.Memory, o.TaskMemory/2)
	if o.Args == nil {
		o.Args = os.Args[1:]
	}
	if err := p.Job().Travels(); err != nil {
		return c, fmt.Errorf("job %q on %s: %w", p.Job().Name, o.On, err)
	}
	if o.MaxSkips > 0 {
		if err := p.Job().SkipsFit(); err != nil {
			return c, err
		}
	}
	if err := p.Claim(); err != nil {
		return c, err
	}
	return c, runOn(ctx, p, &job{o: o, run: run, done: make(chan struct{}), engine: e}, c)
}

// runOn runs the job of a claimed plan on an engine, from the set-up of its output to the commit.
func runOn(ctx context.Context, p *mapreduce.Plan, j *job, c *counter.Set) (err error) {
	if err := p.SetupJob(); err != nil {
		return err
	}
	if run := p.Job().Output.Left(); run != "" {
		j.logf("removed what a killed run had left in the output: %s", run)
	}
	defer func() {
		if j.scratch != nil {
			err = errors.Join(err, j.scratch.Remove())
		}
		if err != nil {
			err = errors.Join(err, p.AbortJob())
		}
	}()
	if err := j.prepare(ctx, p); err != nil {
		return err
	}
	if len(j.layout.Splits) == 0 { // no tasks, and engines treat that differently
		j.engine.run = processes(1).run
	}
	ctx, stop := j.watch(ctx)
	err = j.engine.run(ctx, j)
	stop()
	if err != nil {
		return err
	}
	return j.commit(p, c)
}

// fileCost is the cost in bytes of a file, beyond its size, when small files are joined into
// splits.
const fileCost = 16 << 10

// prepare fixes reduces, splits and options for all workers, and writes the plan file.
func (j *job) prepare(ctx context.Context, p *mapreduce.Plan) error {
	bound := p.Job()
	reduces := cmp.Or(j.o.Reduces, bound.UsualReduces())
	if err := p.Prepare(ctx, cluster.PrepareOptions{Reduces: reduces, SpillDir: j.o.SpillDir}); err != nil {
		return err
	}
	size := j.o.BlockSize
	if size == 0 {
		size = dfs.BlockSizeFor(bound.InputBytes()+int64(len(bound.Sources))*fileCost, max(1, j.engine.width), 0)
	}
	splits, err := p.Splits(ctx, bound.BlocksOf(size))
	if err != nil {
		return err
	}
	splits = bound.JoinSmall(splits, size)
	for i, s := range splits {
		if s.Files <= 1 { // several files may be anywhere
			splits[i].Hosts = dfs.HostsOf(bound.Sources[s.Source].Data, s.Offset, s.Length)
		}
	}
	f := planFile{Args: j.o.Args, Earlier: earlierRuns}
	if f.Layout, err = bound.Layout(splits); err != nil {
		return err
	}
	if f.Programs, err = j.programs(); err != nil {
		return err
	}
	j.builds = f.Programs
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	j.layout = f.Layout
	j.tracking.Store("")
	return j.share(p, b)
}

// share writes the plan to a folder with this run's number, so that a worker of an earlier run into
// the same output finds its own run over. Tasks may run as another user: modes are those of the
// output's folder, which the umask has decided.
func (j *job) share(p *mapreduce.Plan, plan []byte) error {
	host, _ := os.Hostname() // for users who find the file
	who := fmt.Appendf(nil, "process %d of %s, on %s\n", os.Getpid(), host, j.o.On)
	mark, err := p.Job().Output.Shared().Keep(cluster.RunFile, who)
	if err != nil {
		return err
	}
	temp, err := folderAt(mark[:len(mark)-len("/"+cluster.RunFile)])
	if err != nil {
		return err
	}
	if temp.store == nil {
		info, err := os.Stat(filepath.Dir(temp.dir))
		if err == nil {
			err = errors.Join(os.Chmod(temp.dir, info.Mode().Perm()), os.Chmod(mark, info.Mode().Perm()&0o666))
		}
		if err != nil {
			return err
		}
	}
	j.temp = temp.below(fmt.Sprintf("run-%016x", rand.Uint64()))
	j.tasks, j.notes = j.temp.below("tasks"), &ledger{in: j.temp.below(notes), known: map[string]readNote{}}
	if err := errors.Join(j.notes.in.make(), j.tasks.make()); err != nil { // by this user, who removes what others write to them
		return err
	}
	return j.temp.write(planName, plan)
}

// commit commits the winning attempt of each task, with its counters, and then the job. It lists
// the records that the maps have skipped; more than MaxSkips are an error.
func (j *job) commit(p *mapreduce.Plan, c *counter.Set) error {
	list, err := j.results()
	if err != nil {
		return err
	}
	var skipped []cluster.Skipped
	for _, n := range list {
		skipped = append(skipped, n.Skipped...)
	}
	cluster.SortSkipped(skipped)
	if err := cluster.CheckSkips(len(skipped), j.o.MaxSkips, skipped); err != nil {
		return err
	}
	if _, err := p.Job().Quarantine(skipped); err != nil {
		return err
	}
	for _, n := range list {
		if n.ID.Kind == cluster.ReduceKind || j.layout.Reduces == 0 {
			if err := p.Job().CommitAs(n.ID, n.Output); err != nil {
				return err
			}
		}
		c.Merge(n.Counters)
	}
	return p.CommitJob()
}

// maxAttempts returns after how many failures a task fails its job.
func (j *job) maxAttempts() int { return cmp.Or(j.o.MaxAttempts, 4) }

// task returns what a worker must know to run an attempt.
func (j *job) task(kind string, index, attempt int) task {
	dir, _ := os.Getwd() // on error the worker stays in its directory
	return task{
		Temp: j.temp.fullName(""), Dir: dir, Run: j.run, Kind: kind, Index: index, Attempt: attempt, Memory: j.o.Memory, Spills: j.o.SpillDir,
		Folder: j.o.Folder, MaxSkips: j.o.MaxSkips, Timeout: max(cmp.Or(j.o.TaskTimeout, usualTimeout), 0),
		Stores: stores.Roots(),
	}
}

func (j *job) logf(format string, args ...any) {
	if j.o.Log != nil {
		fmt.Fprintf(j.o.Log, format+"\n", args...)
	}
}

// local returns a directory of this machine for the run's files: its folder, or one that is removed
// when the run ends.
func (j *job) local() (dir string, err error) {
	if j.temp.store == nil {
		return j.temp.dir, nil
	}
	if j.scratch == nil {
		if j.scratch, err = scratch.Dir(j.o.SpillDir, "tarry-run-"); err != nil {
			return "", err
		}
	}
	return j.scratch.Name(), nil
}

// checkName returns an error if an engine's client would misread a character of a folder's name: as
// the end of a name in a list, a pattern, a scheme. special has these characters.
func checkName(engine, special, dir string) error {
	name := dir[len(filepath.VolumeName(dir)):]
	i := strings.IndexAny(filepath.ToSlash(name), special)
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%w: %s: %s cannot take %q in the name of an output", mapreduce.ErrNoOutput, dir, engine, name[i:i+1])
}
