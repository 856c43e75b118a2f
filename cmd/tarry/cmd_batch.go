package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/mapreduce"
)

// newBatch is the command `tarry batch`.
func newBatch(p *program) *cobra.Command {
	c := new(clusterFlags)
	cmd := &cobra.Command{
		Use:   "batch FILE",
		Short: "Run several jobs at once on one emulated cluster",
		Long: `Run several jobs at once on one emulated cluster, so that they share it as the scheduler says. FILE, or - for standard
input, has a job a line, written as behind tarry run, with the flags of jobs only; "at TIME" before it lets it begin that long
after the batch. # begins a comment; quotes and backslashes work as in a shell.

  wordcount 'books/**/*.txt' -o out/words --pool batch
  at 500ms grep -i error logs -o out/errors --pool ann --priority high
  at 1s sort small.txt -o out/sorted --pool bob

  tarry batch jobs.txt --racks 4 --nodes 40 --scheduler hfs --events events.jsonl
  tarry events events.jsonl --summary

Every line is checked, and its output and inputs looked at, before the first job begins. Each job says in a line how it ended; a
failed one does not stop the others. The exit code is 1 if a job failed.

Configuration files of the scheduler are taken up 5 to 15 seconds after a change, and at once on SIGHUP.`,
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
	ctx := cmd.Context()
	jobs, err := p.openBatch(name)
	if err != nil {
		return err
	}
	if name == stdinName {
		name = stdinTitle
	}
	b := &batch{program: p, flags: c, name: name}
	policy, err := c.policy(c.scheduler)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		err := combineLine(j.cmd, cmd, policy).check()
		if err == nil {
			err = b.add(ctx, j)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, j.line, err)
		}
	}
	if err := b.checkSideFiles(); err != nil {
		return err
	}
	stopProfile, err := c.profile()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopProfile()) }()
	cluster, err := startCluster(c)
	if err != nil {
		return err
	}
	stopReload := p.reload(ctx, c, cluster)
	b.run(ctx, cluster)
	stopReload()
	return errors.Join(b.report(), cluster.close())
}

// reload looks after changed configuration files until it is stopped.
func (p *program) reload(ctx context.Context, c *clusterFlags, e *clusterEngine) (stop func()) {
	signals, ignore := hangups()
	ctx, cancel := context.WithCancel(ctx)
	r := p.newReloader(c, e.cluster.Reload, e.cluster.ReloadFailed)
	var done sync.WaitGroup
	if r != nil {
		done.Go(func() { r.run(ctx, signals) })
	}
	return func() {
		cancel()
		done.Wait()
		ignore()
	}
}

// checkSideFiles refuses files that would destroy what the jobs read or write.
func (b *batch) checkSideFiles() error {
	src := []mapreduce.Source{mapreduce.Stream(b.name, nil)}
	var outputs []string
	var all []*jobFlags
	for _, j := range b.jobs {
		src, all = append(src, j.src...), append(all, &j.batchJob.flags)
		outputs = append(outputs, j.batchJob.flags.output)
	}
	return errors.Join(b.flags.checkSideFiles(outputs, src), checkReplaced(src, all...))
}

// openBatch reads the batch file of that name.
func (p *program) openBatch(name string) ([]*batchJob, error) {
	if name == stdinName {
		return readBatch(stdinTitle, p.stdin)
	}
	file, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readBatch(name, file)
}
