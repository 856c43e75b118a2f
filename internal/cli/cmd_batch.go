package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/internal/cli/internal/progress"
	"github.com/tarry-mr/tarry/internal/cli/internal/words"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
)

// newBatch is the command `tarry batch`.
func newBatch(p *program) *cobra.Command {
	c := new(clusterFlags)
	cmd := &cobra.Command{
		Use:   "batch FILE",
		Short: "Run several jobs at once on one emulated cluster",
		Long: `Run several jobs at once on one emulated cluster, so that they share it as the scheduler says. FILE,
or - for standard input, has a job a line, written as behind tarry run, with the flags of jobs only;
"at TIME" before it lets it begin that long after the batch. Each has an --output of its own, in
short -o but for grep. # begins a comment; quotes and backslashes work as in a shell.

  wordcount 'books/**/*.txt' -o out/words --pool batch
  at 500ms grep -i error logs --output out/errors --pool ann --priority high
  at 1s sort small.txt -o out/sorted --pool bob

  tarry batch jobs.txt --racks 4 --nodes 40 --scheduler hfs --events events.jsonl
  tarry events events.jsonl --summary

Every line is checked, and its output and inputs looked at, before the first job begins. Each job
says in a line how it ended; a failed one does not stop the others. The exit code is 1 if a job
failed.

With --state DIR a batch that was killed at any moment, or interrupted, goes on when the same
command is started again: jobs that had succeeded and parts that were committed stay.

Configuration files of the scheduler are taken up 5 to 15 seconds after a change, and at once on
SIGHUP.`,
		Args:              arguments(1, 1, "one file with the jobs"),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault),
		RunE:              func(cmd *cobra.Command, args []string) error { return p.batch(cmd, c, args[0]) },
	}
	c.register(cmd)
	return cmd
}

// batch runs the jobs of a file and reports each.
func (p *program) batch(cmd *cobra.Command, c *clusterFlags, name string) (err error) {
	if err := c.check(p, cmd); err != nil {
		return err
	}
	b := &batch{program: p, flags: c, name: name}
	defer p.closeState(c)
	if err := b.open(cmd); err != nil {
		return err
	}
	if err := c.beginState(&b.about); err != nil {
		return err
	}
	stopProfile, err := c.profile()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopProfile()) }()
	live, err := startCluster(c)
	if err != nil {
		return err
	}
	stopReload := watchers(cmd.Context(), p.newReloader(c).of(live.Cluster).run)
	b.run(cmd.Context(), live)
	stopReload()
	defer p.tellChaos(c, live)
	return errors.Join(b.report(), live.close())
}

// batch is a batch at work.
type batch struct {
	program *program
	flags   *clusterFlags
	name    string // of the file, as messages call it
	about   about  // for --state
	jobs    []*batchRun
	mu      sync.Mutex // for what changes in jobs
}

// batchRun is one job of it.
type batchRun struct {
	*batchJob
	*work
	handle *actors.JobHandle // of the stage that runs; nil before and after
	ended  bool
	err    error
}

// open reads the file, and looks at the output and the inputs of each job.
func (b *batch) open(cmd *cobra.Command) error {
	file, err := b.program.openArgument(b.name)
	if err != nil {
		return err
	}
	defer file.Close()
	if b.name == stdinName {
		b.name = stdinTitle
	}
	sum := sha256.New()
	jobs, err := readBatch(b.name, io.TeeReader(file, sum))
	if err == nil {
		err = b.openState(cmd, jobs, hex.EncodeToString(sum.Sum(nil)))
	}
	if err != nil {
		return err
	}
	policy, err := b.flags.policy(b.flags.scheduler)
	if err != nil {
		return err
	}
	src := []mapreduce.Source{mapreduce.Stream(b.name, nil)}
	var outputs []string
	var all []*jobFlags
	for _, j := range jobs {
		j.saved = b.flags.remember(j.line)
		if was := j.saved.earlier(j.output, len(j.stages)); was != nil {
			if err := j.saved.finish(j.saved.resumable(j.directory(), len(j.stages)-1)); err != nil {
				return err
			}
			b.jobs = append(b.jobs, &batchRun{batchJob: j, work: &work{result: was}, ended: true})
			continue
		}
		var w *work
		err := heeded(j.cmd, &policy)
		if err == nil {
			w, err = b.program.openWork(cmd.Context(), &j.jobFlags, b.flags, j.inputs, j.stages)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", b.name, j.line, err)
		}
		b.jobs = append(b.jobs, &batchRun{batchJob: j, work: w})
		src, all, outputs = append(src, w.src...), append(all, &j.jobFlags), append(outputs, j.output)
	}
	return errors.Join(b.flags.checkSideFiles(outputs, src), checkReplaced(src, all...))
}

// openState opens the directory of --state, if there is one.
func (b *batch) openState(cmd *cobra.Command, jobs []*batchJob, sum string) error {
	if b.flags.stateDir == "" {
		return nil
	}
	b.about = about{Command: commandLine(cmd, cmd.Flags().Args()), Jobs: sum}
	for _, j := range jobs {
		if err := b.about.add(j.output, j.inputs); err != nil {
			return fmt.Errorf("%s:%d: %w", b.name, j.line, err)
		}
	}
	return b.flags.openState(&b.about)
}

// run starts each job at its time and waits for all.
func (b *batch) run(ctx context.Context, live *liveCluster) {
	if !b.flags.quiet && !b.flags.noProgress {
		defer b.program.display.Show(b.bars(), b.progress)()
	}
	var all sync.WaitGroup
	for _, j := range b.jobs {
		if j.ended {
			continue
		}
		all.Go(func() {
			var err error
			select {
			case <-time.After(j.at):
				j.result.began = time.Now()
				err = runStages(ctx, live.watched(func(h *actors.JobHandle) func() { return b.follow(j, h) }), j.work)
			case <-ctx.Done():
				err = context.Cause(ctx)
			}
			j.result.end(ctx, err)
			b.mu.Lock()
			defer b.mu.Unlock()
			j.ended, j.err = true, err
		})
	}
	all.Wait()
}

// report says how each job ended, in the order of the file.
func (b *batch) report() error {
	failed := 0
	for _, j := range b.jobs {
		r := j.result
		r.Line, r.AtSeconds = j.line, j.at.Seconds()
		if j.err != nil {
			failed++
		}
		switch {
		case b.flags.json:
			if err := json.NewEncoder(b.program.stdout).Encode(r); err != nil {
				return err
			}
		case j.err != nil:
			fmt.Fprintf(b.program.stderr, "%s:%d: %s: %s\n", b.name, j.line, r.line(), words.OneLine(j.err))
		case r.Earlier && !b.flags.quiet:
			fmt.Fprintf(b.program.stderr, "%s:%d: %s: %s\n", b.name, j.line, r.line(), r.Output)
		case !b.flags.quiet:
			fmt.Fprintf(b.program.stderr, "%s:%d: %s, %s: %s\n", b.name, j.line, r.line(), ranWhere(r.Counters), r.Output)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %s failed", failed, words.Count(len(b.jobs), "job"))
	}
	return nil
}

// ranWhere says where the maps of a job ran.
func ranWhere(c *counter.Set) string {
	of := func(what string) int64 { return c.Named(counter.GroupJob, what+" map tasks") }
	near, rack, far := of("Data-local"), of("Rack-local"), of("Other local")
	if near+rack+far == 0 {
		return "maps without places"
	}
	return fmt.Sprintf("maps %d node-local, %d rack-local, %d elsewhere", near, rack, far)
}

// follow notes the cluster's job that runs for a job of the batch.
func (b *batch) follow(j *batchRun, h *actors.JobHandle) (ended func()) {
	set := func(h *actors.JobHandle) {
		b.mu.Lock()
		defer b.mu.Unlock()
		j.handle = h
	}
	set(h)
	return func() { set(nil) }
}

// mostBars is how many jobs have a bar of their own.
const mostBars = 12

// bars names the bars: one for each job if they are few, and one for all.
func (b *batch) bars() []string {
	var names []string
	for _, j := range b.jobs[:min(len(b.jobs), mostBars)] {
		names = append(names, fmt.Sprintf("line %d", j.line))
	}
	return append(names, "all")
}

// progress is what the display shows.
func (b *batch) progress() progress.State {
	b.mu.Lock()
	defer b.mu.Unlock()
	var p progress.State
	sum, ended, running := 0.0, 0, 0
	for i, j := range b.jobs {
		now := progress.Bar{Text: "waits"}
		switch {
		case j.ended:
			now = progress.Bar{Part: 1, Text: j.result.State}
			ended++
		case j.handle != nil:
			at := j.handle.Progress()
			now = progress.Bar{Part: progress.Done(at), Text: progress.Details(at)}
			running++
		}
		sum += now.Part
		if i < mostBars {
			p.Bars = append(p.Bars, now)
		}
	}
	text := fmt.Sprintf("%d of %s ended, %d running", ended, words.Count(len(b.jobs), "job"), running)
	part := sum / float64(len(b.jobs))
	p.Bars = append(p.Bars, progress.Bar{Part: part, Text: text})
	p.Line = fmt.Sprintf(" %d%%, %s", progress.Percent(part), text)
	return p
}
