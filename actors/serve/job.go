package serve

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// Bind binds a job to what it reads and where it writes.
type Bind func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error)

// Stage is one step of a job: it binds the job of the cluster that writes the step's output. Before,
// it may run others in rounds, which are not remembered: after a restart of the server they begin
// anew.
type Stage func(
	ctx context.Context, run Runner, src []mapreduce.Source, to mapreduce.Destination,
) (*mapreduce.Plan, error)

// Runner runs a plan to its end, on the cluster.
type Runner func(ctx context.Context, p *mapreduce.Plan) (*counter.Set, error)

// OneStage is the stage that only binds a job.
func OneStage(bind Bind) Stage {
	return func(
		_ context.Context, _ Runner, src []mapreduce.Source, to mapreduce.Destination,
	) (*mapreduce.Plan, error) {
		return bind(src, to)
	}
}

// Order is what a job is to do.
type Order struct {
	// Stages follow each other: each reads what the one before it wrote. At least one.
	Stages []Stage
	// Inputs are files, directories and globs below the server's roots, or dfs:NAME in its block
	// store; at least one.
	Inputs []string
	// Output is a directory below a root, or dfs:NAME, which must not exist unless Overwrite, which
	// is for directories of the machine.
	Output    string
	Overwrite bool

	Compress mapreduce.Compression
	Reduces  int // 0 leaves it to the size of the input
	MaxSkips int // see actors.SubmitOptions

	User        string // empty: as the submission says; see api.Submission
	Pool, Queue string // empty leaves it to the policy
	Priority    scheduling.Priority
}

// Job is a kind of job that clients submit by its name.
type Job struct {
	Name    string // letters, digits, - and _
	Summary string // what it does, in one line
	// Parse makes an order of a client's arguments; an error is told the client. It is called for
	// each submission, and after a restart again with the same arguments, from several goroutines
	// at once.
	Parse func(args []string) (Order, error)
}

// Simple is a job of one stage whose arguments are those that all jobs have: IN... -o OUT, with
// --overwrite, --reduces, --user, --pool, --queue and --priority before them or behind.
func Simple(name, summary string, bind Bind) Job {
	return Job{Name: name, Summary: summary, Parse: func(args []string) (Order, error) {
		o := Order{Stages: []Stage{OneStage(bind)}}
		return o, o.parse(name, args)
	}}
}

// parse takes in the arguments of a simple job.
func (o *Order) parse(name string, args []string) error {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	priority := ""
	f.StringVar(&o.Output, "o", "", "")
	f.StringVar(&o.Output, "output", "", "")
	f.BoolVar(&o.Overwrite, "overwrite", false, "")
	f.IntVar(&o.Reduces, "reduces", 0, "")
	f.StringVar(&o.User, "user", "", "")
	f.StringVar(&o.Pool, "pool", "", "")
	f.StringVar(&o.Queue, "queue", "", "")
	f.StringVar(&priority, "priority", "normal", "")
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return err
		}
		rest := f.Args()
		if len(rest) == 0 {
			break
		}
		if given := len(args) - len(rest); given > 0 && args[given-1] == "--" {
			o.Inputs = append(o.Inputs, rest...)
			break
		}
		o.Inputs, args = append(o.Inputs, rest[0]), rest[1:]
	}
	if o.Reduces < 0 {
		return fmt.Errorf("--reduces %d: want 0 or more", o.Reduces)
	}
	var err error
	o.Priority, err = scheduling.ParsePriority(priority)
	return err
}

// check refuses orders that cannot be carried out.
func (o *Order) check() error {
	switch {
	case len(o.Stages) == 0 || slices.ContainsFunc(o.Stages, func(s Stage) bool { return s == nil }):
		return errors.New("the job has no stages")
	case len(o.Inputs) == 0:
		return errors.New("no input: want files, directories, globs or dfs:NAME")
	case slices.Contains(o.Inputs, "-"):
		return errors.New("-: a server has no standard input; put the file into its store, or name one below its roots")
	case o.Output == "":
		return errors.New("where to? -o DIR, or -o dfs:NAME in the block store")
	case o.Output == "-":
		return errors.New("-o -: a server writes to directories, or to dfs:NAME in its block store")
	}
	return nil
}
