package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tarry-mr/tarry/actors"
	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/scheduling"
)

// Bind binds a job to its inputs and its output.
type Bind func(src []mapreduce.Source, to mapreduce.Destination) (*mapreduce.Plan, error)

// Stage is one step of a job: it binds the cluster job that writes the step's output. Before that
// it may run further cluster jobs, for example in rounds. These are not recorded: after a restart
// of the server they run again.
type Stage func(
	ctx context.Context, run Runner, src []mapreduce.Source, to mapreduce.Destination,
) (*mapreduce.Plan, error)

// Runner runs a plan on the cluster until it ends.
type Runner func(ctx context.Context, p *mapreduce.Plan) (*counter.Set, error)

// OneStage returns a stage that only binds a job.
func OneStage(bind Bind) Stage {
	return func(
		_ context.Context, _ Runner, src []mapreduce.Source, to mapreduce.Destination,
	) (*mapreduce.Plan, error) {
		return bind(src, to)
	}
}

// Order describes a job to run.
type Order struct {
	// Stages run in order; each reads the output of the one before. There is at least one.
	Stages []Stage
	// Inputs are files, directories and globs below the server's roots, or dfs:NAME in its block
	// store. There is at least one.
	Inputs []string
	// Output is a directory below a root, or dfs:NAME in the block store. It must not exist, unless
	// Overwrite is set, which is for directories only.
	Output    string
	Overwrite bool
	Compress  mapreduce.Compression

	// SubmitOptions are those of each stage. An empty User means that of api.Submission. The server
	// sets Groups and Key.
	actors.SubmitOptions
}

// Job is a kind of job that clients submit by name.
type Job struct {
	Name    string // letters, digits, - and _
	Summary string // what it does, in one line
	// Parse turns a client's arguments into an order; its error is sent to the client. It is called
	// for each submission and, with the same arguments, after a restart. Several goroutines may
	// call it at once.
	Parse func(args []string) (Order, error)
}

// Simple returns a job of one stage with the standard arguments IN... -o OUT, and --overwrite,
// --reduces, --user, --pool, --queue and --priority before or after them.
func Simple(name, summary string, bind Bind) Job {
	return Job{Name: name, Summary: summary, Parse: func(args []string) (Order, error) {
		o := Order{Stages: []Stage{OneStage(bind)}}
		return o, o.parse(name, args)
	}}
}

// parse sets the order to what the command-line arguments of a simple job say.
func (o *Order) parse(name string, args []string) error {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVarP(&o.Output, "output", "o", "", "")
	f.BoolVar(&o.Overwrite, "overwrite", false, "")
	f.IntVar(&o.Reduces, "reduces", 0, "")
	f.StringVar(&o.User, "user", "", "")
	f.StringVar(&o.Pool, "pool", "", "")
	f.StringVar(&o.Queue, "queue", "", "")
	f.Func("priority", "", func(name string) (err error) {
		o.Priority, err = scheduling.ParsePriority(name)
		return err
	})
	if err := f.Parse(args); err != nil {
		return err
	}
	o.Inputs = f.Args()
	if o.Reduces < 0 {
		return fmt.Errorf("--reduces %d: want 0 or more", o.Reduces)
	}
	return nil
}

// check returns an error unless the order has stages, and inputs and an output a server can use.
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
