// Bench compares Tarry with the hand-tuned programs of internal/bench/limit and with tools that
// this machine has, and prints a report; see docs/benchmarks.md. The programs must have been built
// before: use `make bench` or `make bench QUICK=1`.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"

	"github.com/dustin/go-humanize"

	"github.com/tarry-mr/tarry/internal/bench"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	bin, dir, memory, real, only, json string
	size                               int64
	rounds                             int
	long                               bool
}

func parse(args []string) (options, error) {
	o := options{size: 1 << 30}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.bin, "bin", "bin", "`directory` of the programs tarry, limit and userjobs")
	flags.StringVar(&o.dir, "dir", "out/bench",
		"`directory` for inputs, which are kept, and for spills")
	flags.StringVar(&o.memory, "memory", "/dev/shm", "`directory` in memory for results")
	flags.StringVar(&o.real, "real", "",
		"real text to replicate (default: the Go distribution's sources)")
	flags.StringVar(&o.only, "only", "",
		"only contests whose name matches this `regexp`; rounds stands for iterative jobs over datasets")
	flags.StringVar(&o.json, "json", "", "`file` for all samples as JSON")
	flags.Func("size", "bytes of each input, such as 64MiB (default 1GiB)",
		func(text string) error {
			n, err := humanize.ParseBytes(text)
			if err == nil && (n < 1 || n > 1<<40) {
				err = errors.New("want from 1 byte to 1 TiB")
			}
			o.size = int64(n)
			return err
		})
	flags.IntVar(&o.rounds, "rounds", 5, "how often each program runs")
	flags.BoolVar(&o.long, "long", false,
		"also sort four times the size in an eighth of it as memory")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 || o.rounds < 1 {
		return o, errors.New("no arguments, please, and at least one round")
	}
	return o, nil
}

func run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	setup, scratch, err := o.setup(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	report := bench.Report{Machine: machine(), Size: o.size}
	runErr := o.runAll(ctx, setup, only, scratch, &report)
	for _, t := range bench.Targets() {
		report.Judgments = append(report.Judgments, bench.Judge(t, report.Outcomes))
	}
	return errors.Join(runErr, o.write(&report))
}

// runAll runs the contests that the flags select and adds their results to the report, which an
// interrupt leaves with the results so far.
func (o options) runAll(
	ctx context.Context, setup bench.Setup, only *regexp.Regexp, scratch string,
	report *bench.Report,
) error {
	failed := 0
	for _, c := range bench.Contests(setup) {
		if !only.MatchString(c.Name) {
			continue
		}
		outcome, err := bench.Run(ctx, c, o.rounds, scratch, os.Stderr)
		report.Outcomes = append(report.Outcomes, outcome)
		if err != nil {
			return err
		}
		for _, r := range outcome.Results {
			if r.Failure != "" {
				failed++
			}
		}
	}
	if only.MatchString("rounds") {
		outcomes, err := roundsOnData(ctx)
		report.Outcomes = append(report.Outcomes, outcomes...)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d programs failed or gave a wrong result", failed)
	}
	return nil
}

// setup makes the inputs and a scratch directory in memory, which the caller removes.
func (o options) setup(ctx context.Context) (s bench.Setup, scratch string, err error) {
	program := func(name string) string { return filepath.Join(o.bin, name) }
	s = bench.Setup{
		Tarry: program("tarry"), Limit: program("limit"), UserJobs: program("userjobs"),
		Size: o.size, Cores: runtime.NumCPU(),
		Spill: filepath.Join(o.dir, "spill"),
	}
	if s.Inputs, err = bench.MakeInputs(ctx, o.dir, o.size, o.real, o.long, os.Stderr); err != nil {
		return s, "", err
	}
	if err := os.MkdirAll(s.Spill, 0o777); err != nil {
		return s, "", err
	}
	if _, err := os.Stat(o.memory); err != nil {
		fmt.Fprintf(os.Stderr, "no %s here: results go to %s, which may be slower than memory\n",
			o.memory, o.dir)
		o.memory = o.dir
	}
	scratch, err = os.MkdirTemp(o.memory, "tarry-bench-")
	s.Memory = scratch
	return s, scratch, err
}

func (o options) write(r *bench.Report) error {
	if err := r.Write(os.Stdout); err != nil {
		return err
	}
	if o.json == "" {
		return nil
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(o.json, b, 0o666)
}

// machine describes the processor (its model on Linux), its cores, the system and the Go version.
func machine() string {
	name := runtime.GOARCH
	info, _ := os.ReadFile("/proc/cpuinfo") // nothing outside Linux
	if model := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(info); model != nil {
		name = string(model[1])
	}
	return fmt.Sprintf("%s, %d cores, %s, %s", name, runtime.NumCPU(), runtime.GOOS, runtime.Version())
}
