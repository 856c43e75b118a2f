package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
)

// Contest is one task that several programs perform on the same input.
type Contest struct {
	Name  string `json:"name"`  // short and unique: targets refer to it
	Input string `json:"-"`     // file to read into the page cache before each run; empty: none
	Bytes int64  `json:"bytes"` // size of the input
	// Fresh is the number of bytes of memory that are used and released before each run: about the
	// need of the programs. On a virtual machine, memory that was free for seconds belongs to the
	// host, and its first use is twice as slow.
	Fresh    int64     `json:"-"`
	Programs []Program `json:"-"`
}

// Program is one way to perform a contest's task.
type Program struct {
	Name string   `json:"name"` // unique in its contest: "tarry", "limit", "GNU sort"
	Args []string `json:"args,omitempty"`
	Env  []string `json:"-"` // added to the environment
	// OutDir is the directory of the program's result; it is removed before and after a run.
	// Without it the result is standard output.
	OutDir string `json:"-"`
	// Result says how to compare the result with the other programs'.
	Result ResultKind `json:"-"`
	// Accept is an exit status that is not a failure, such as grep's 1 for no match; 0 accepts only
	// 0.
	Accept int `json:"-"`
}

// ResultKind says whether results of a contest's programs can be compared.
type ResultKind int

// The kinds of result. Programs of different kinds are not compared with each other.
const (
	Lines ResultKind = iota // the same lines, in whatever order
	Bytes                   // the same bytes, part files read in the order of their names
	Count                   // one number on standard output
	Other                   // not compared, because the format differs
)

// Result has the runs of one program in a contest.
type Result struct {
	Program Program  `json:"program"`
	Samples []Sample `json:"samples"`           // one per round; fewer after a failure
	Digest  string   `json:"result,omitempty"`  // digest of the first round's result
	Failure string   `json:"failure,omitempty"` // why it skipped the further rounds; empty: it did not
}

// Outcome is a contest with the results of its programs, in the contest's order.
type Outcome struct {
	Contest Contest  `json:"contest"`
	Results []Result `json:"programs"`
	Rounds  int      `json:"rounds"`
}

// Run runs the programs of c in turns for the given number of rounds, at least 1. Their standard
// output goes to files in scratch, a directory in memory if possible. A program that fails skips
// the further rounds, and its Result has the reason; Run returns an error only if ctx ends.
// Progress goes to log.
func Run(
	ctx context.Context, c Contest, rounds int, scratch string, log io.Writer,
) (Outcome, error) {
	o := Outcome{Contest: c, Rounds: rounds}
	for _, p := range c.Programs {
		o.Results = append(o.Results, Result{Program: p})
	}
	for round := range rounds {
		for i := range o.Results {
			r := &o.Results[i]
			if r.Failure != "" {
				continue
			}
			fmt.Fprintf(log, "%s, round %d of %d: %s\n", c.Name, round+1, rounds, r.Program.Name)
			err := r.takeTurn(ctx, c, scratch)
			if ctx.Err() != nil {
				return o, context.Cause(ctx)
			}
			if err != nil {
				r.Failure = err.Error()
				fmt.Fprintf(log, "%s: %s: %v\n", c.Name, r.Program.Name, err)
			}
		}
	}
	for i := range o.Results { // a result fails that differs from the first of its kind
		r := &o.Results[i]
		if r.Failure != "" || r.Program.Result == Other {
			continue
		}
		first := slices.IndexFunc(o.Results, func(f Result) bool {
			return f.Failure == "" && f.Program.Result == r.Program.Result
		})
		if f := o.Results[first]; f.Digest != r.Digest {
			r.Failure = fmt.Sprintf("its result %s differs from that of %s, %s", r.Digest, f.Program.Name, f.Digest)
		}
	}
	return o, nil
}

// takeTurn runs the program once and adds the sample to r.
func (r *Result) takeTurn(ctx context.Context, c Contest, scratch string) error {
	if c.Input != "" {
		if err := warm(c.Input); err != nil {
			return err
		}
	}
	if r.Program.OutDir != "" {
		if err := os.RemoveAll(r.Program.OutDir); err != nil {
			return err
		}
		defer os.RemoveAll(r.Program.OutDir)
	}
	if err := freshen(scratch, c.Fresh); err != nil {
		return err
	}
	stdout, err := os.CreateTemp(scratch, "stdout-")
	if err != nil {
		return err
	}
	defer os.Remove(stdout.Name())
	defer stdout.Close()
	sample, err := measure(ctx, r.Program, stdout)
	if err != nil {
		return err
	}
	r.Samples = append(r.Samples, sample)
	if len(r.Samples) == 1 && r.Program.Result != Other {
		r.Digest, err = digestResult(r.Program, stdout)
	}
	return err
}

// Result returns the result of the named program, or nil if it did not take part.
func (o *Outcome) Result(program string) *Result {
	for i := range o.Results {
		if o.Results[i].Program.Name == program {
			return &o.Results[i]
		}
	}
	return nil
}
