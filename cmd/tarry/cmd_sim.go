package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/scheduling"
	"github.com/tarry-mr/tarry/scheduling/simulator"
	"github.com/tarry-mr/tarry/scheduling/simulator/workload"
)

// newSim is the command `tarry sim` with its sub-command `compare`.
func newSim(p *program) *cobra.Command {
	var f simFlags
	cmd := &cobra.Command{
		Use:   "sim --trace swim:FILE|coflow:FILE | --workload FILE|NAME",
		Short: "Simulate a cluster of any size in virtual time, with the scheduler that runs live",
		Long: `Simulate a workload on a cluster of any size in virtual time. Every decision is made by the scheduler that also runs live.

  tarry sim --workload facebook-io --nodes 100 --scheduler hfs
  tarry sim --trace swim:FB-2009_samples_24_times_1hr_0.tsv --nodes 600 --racks 15 --original-nodes 600
  tarry sim --workload mine.yaml --nodes 40 --racks 4 --network flows --oversubscription 5 --json

The same flags and seed give the same bytes on standard output; the time it took goes to standard error. With --repeat N the
seeds are --seed, --seed+1 and so on; --json then prints an object a line.`,
		Args: arguments(0, 0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.begin(p, cmd); err != nil {
				return err
			}
			return f.simulate(cmd, p)
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&f.events, "events", "", "file for what the scheduler did, a JSON object a line; compressed if named .zst")
	cmd.Flags().StringVar(&f.traceOut, "trace-out", "", "file for a Chrome trace of all attempts")
	f.registerName(cmd.Flags())
	f.complete(cmd)
	cmd.AddCommand(newSimCompare(p))
	return cmd
}

// newSimCompare is the command `tarry sim compare`.
func newSimCompare(p *program) *cobra.Command {
	var f simFlags
	var schedulers []string
	cmd := &cobra.Command{
		Use:   "compare --schedulers fifo,fair,hfs --repeat 10",
		Short: "Simulate several schedulers on the same workloads and seeds, side by side",
		Long: `Simulate several schedulers on the same workloads and seeds, in parallel, and print each figure with its 95 % confidence
interval, and the paired difference from the first scheduler: both met the same jobs, blocks and task times.

A scheduler may carry its own reduce placement: --schedulers hfs+any,hfs+cogrs.`,
		Args: arguments(0, 0, "no arguments but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.begin(p, cmd); err != nil {
				return err
			}
			return f.compare(cmd, p, schedulers)
		},
	}
	f.register(cmd)
	cmd.Flags().StringSliceVar(&schedulers, "schedulers", []string{"fifo", "fair", "hfs"}, "schedulers, the first is what the others are compared with")
	f.complete(cmd)
	return cmd
}

// simulate runs the repetitions one after the other and prints each.
func (f *simFlags) simulate(cmd *cobra.Command, p *program) (err error) {
	ctx := cmd.Context()
	policy, err := f.policy(f.scheduler)
	if err == nil {
		err = combine(cmd, nil, policy).check()
	}
	if err == nil {
		err = f.files.unused(f.scheduler, false)
	}
	if err != nil {
		return err
	}
	p.warnIdle(policy)
	cfg, err := f.config(policy)
	if err != nil {
		return err
	}
	if err := f.makeCSV(); err != nil {
		return err
	}
	_, trace, _ := strings.Cut(f.trace, ":")
	files := []namedFile{{"--events", f.events}, {"--trace-out", f.traceOut}}
	if err := distinctFiles(files, []string{f.load0, trace, f.allocations, f.queues, f.parameters}); err != nil {
		return err
	}
	rec, err := openRecord(f.events, f.traceOut)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, rec.close()) }()
	if sink := rec.sink(); sink != nil {
		cfg.Core.Events = func(e scheduling.Event) { sink(actors.Event{Event: e}) }
		cfg.Core.Explain = f.events != ""
	}
	for turn := range max(1, f.repeat) {
		cfg.Seed = f.seed + uint64(turn)
		w, err := f.load(cfg.Seed)
		if err != nil {
			return err
		}
		res, err := f.one(ctx, p, cfg, w)
		if err != nil {
			return err
		}
		if err := f.print(p, res, w, turn); err != nil {
			return err
		}
	}
	return nil
}

// one runs one simulation with its progress, and says what it took.
func (f *simFlags) one(ctx context.Context, p *program, cfg simulator.Config, w *workload.Workload) (*simulator.Result, error) {
	began := time.Now()
	stop := func() {}
	if !f.quiet {
		far := newSimProgress(1, cfg.Policy.Name)
		far.expect(0, len(w.Jobs))
		cfg.Progress = func(now time.Duration, done int) { far.tell(0, 0, now, done) }
		stop = p.showProgress(far.names, far.progress)
	}
	res, err := simulator.Run(ctx, cfg, w)
	stop()
	if err != nil {
		return nil, err
	}
	if !f.quiet {
		p.simTook(res.End.Round(time.Second).String(), time.Since(began), res.Stats)
	}
	return res, nil
}

// simTook says what simulating something took.
func (p *program) simTook(what string, took time.Duration, n simulator.Stats) {
	s := took.Seconds()
	fmt.Fprintf(p.stderr, "simulated %s in %v: %d events (%.0f/s), %d decisions (%.0f/s)\n", what, took.Round(time.Millisecond),
		n.Events, float64(n.Events)/s, n.Decisions, float64(n.Decisions)/s)
}

// print writes the report: JSON, or a table, and the CSV files.
func (f *simFlags) print(p *program, res *simulator.Result, w *workload.Workload, turn int) error {
	if f.csv != "" {
		dir := f.csv
		if f.repeat > 1 {
			dir = filepath.Join(dir, fmt.Sprintf("seed-%d", f.seed+uint64(turn)))
		}
		if err := writeSimCSV(dir, res); err != nil {
			return err
		}
	}
	if f.json {
		return json.NewEncoder(p.stdout).Encode(res.Report)
	}
	return printSimTable(p.stdout, res, w)
}

// makeCSV makes the directory for CSV files, so that what cannot be made fails before the simulation.
func (f *simFlags) makeCSV() error {
	if f.csv == "" {
		return nil
	}
	f.csv = filepath.Clean(f.csv)
	return outputError(f.csv, os.MkdirAll(f.csv, 0o777))
}

// writeSimCSV writes classes.csv and jobs.csv.
func writeSimCSV(dir string, res *simulator.Result) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	write := func(name string, fill func(*os.File) error) error {
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		return firstError(fill(file), file.Close())
	}
	return firstError(
		write("classes.csv", func(o *os.File) error { return res.Report.WriteClassesCSV(o) }),
		write("jobs.csv", func(o *os.File) error { return res.WriteJobsCSV(o) }))
}

// firstError gives the first error there is.
func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// compare runs the contenders side by side.
func (f *simFlags) compare(cmd *cobra.Command, p *program, names []string) error {
	ctx := cmd.Context()
	if len(names) == 0 {
		return usageError("--schedulers needs at least one name")
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return usageError("--schedulers names %s twice", shown(name))
		}
	}
	far := newSimProgress(max(1, f.repeat), names...)
	var contenders []simulator.Contender
	for i, name := range names {
		policy, err := f.policy(name)
		if err != nil {
			return err
		}
		contenders = append(contenders, simulator.Contender{
			Name: name, Policy: policy, Progress: func(turn int, now time.Duration, done int) { far.tell(i, turn, now, done) },
		})
	}
	var policies []scheduling.Policy
	for _, c := range contenders {
		policies = append(policies, c.Policy)
	}
	p.warnIdle(policies...)
	cfg, err := f.config(contenders[0].Policy)
	if err == nil {
		err = f.files.unused(strings.Join(names, ", "), false)
	}
	if err != nil {
		return err
	}
	if err := f.makeCSV(); err != nil {
		return err
	}
	began := time.Now()
	out, err := f.contest(ctx, p, cfg, contenders, far)
	if err != nil {
		return err
	}
	if !f.quiet {
		var sum simulator.Stats
		for _, c := range out {
			for _, r := range c.Results {
				sum.Events, sum.Decisions = sum.Events+r.Stats.Events, sum.Decisions+r.Stats.Decisions
			}
		}
		p.simTook(fmt.Sprintf("%d runs", len(out)*max(1, f.repeat)), time.Since(began), sum)
	}
	for i := range out {
		if f.csv == "" {
			break
		}
		for turn, res := range out[i].Results {
			if err := writeSimCSV(filepath.Join(f.csv, out[i].Name, fmt.Sprintf("seed-%d", f.seed+uint64(turn))), res); err != nil {
				return err
			}
		}
	}
	if f.json {
		return printComparisonJSON(p.stdout, out)
	}
	return printComparison(p.stdout, out)
}

// contest runs the comparison with its progress.
func (f *simFlags) contest(ctx context.Context, p *program, cfg simulator.Config, list []simulator.Contender, far *simProgress) ([]simulator.Contest, error) {
	if !f.quiet {
		defer p.showProgress(far.names, far.progress)()
	}
	return simulator.Compare(ctx, cfg, list, f.repeat, func(seed uint64) (*workload.Workload, error) {
		w, err := f.load(seed)
		if err == nil {
			far.expect(int(seed-f.seed), len(w.Jobs))
		}
		return w, err
	})
}

// source is the random source of a seed.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x7a22)) }
