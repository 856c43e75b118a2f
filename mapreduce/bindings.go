package mapreduce

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// newPlan returns the plan of a job over an input.
func newPlan(in untypedInput, s cluster.Spec, t cluster.Tasks) (*cluster.Plan, error) {
	s.Name = cmp.Or(s.Name, "job")
	s.Sources, s.Inputs = in.sources, in.bySource()
	p, err := cluster.NewPlan(s, t)
	if err != nil {
		return nil, located(s.Name, err)
	}
	return p, nil
}

// oneOf returns an error if two fields of a job are both set, or neither and one is needed.
func oneOf(a string, setA bool, b string, setB, needed bool) error {
	switch {
	case setA && setB:
		return fmt.Errorf("both %s and %s are set", a, b)
	case needed && !setA && !setB:
		return fmt.Errorf("none of %s, %s is set", a, b)
	}
	return nil
}

// untypedInput is the part of an Input that does not depend on the record type.
type untypedInput struct {
	sources []input.Source
	plan    cluster.InputPlan
	plans   []cluster.InputPlan // one per source if they differ; otherwise nil
	reads   bool
}

// bySource returns one plan per source, in the order of the sources.
func (in untypedInput) bySource() []cluster.InputPlan {
	if in.plans != nil {
		return in.plans
	}
	return slices.Repeat([]cluster.InputPlan{in.plan}, len(in.sources))
}

// check returns an error if a source or its plan is invalid.
func (in untypedInput) check() error {
	for i, p := range in.bySource() {
		if err := p.Check(); err != nil {
			return err
		}
		if s := in.sources[i]; s.Data == nil && !input.IsStream(s) {
			return fmt.Errorf("source %d of %d is the zero Source: make it with File, Files, FS, Stream, Bytes or Stored", i+1, len(in.sources))
		}
	}
	return nil
}

func checkInOut(in untypedInput, out *outputForm) error {
	switch {
	case !in.reads:
		return errors.New("the input is empty: make it with Lines, Chunks, …")
	case in.plan.Wrong != nil:
		return in.plan.Wrong
	case len(in.sources) == 0:
		return fmt.Errorf("%w: the input has no sources", input.ErrNoSources)
	case out == nil || out.encoder == nil || !output.Given(out.dest):
		return errors.New("the output is empty: make it with Text, Raw, …")
	}
	if err := output.CheckExtension(out.dest); err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	_, err := out.encoder()
	return err
}

// located adds the job's name to an error of Bind, and the place where the user's code binds it.
func located(job string, err error) error {
	place, _ := fault.UserCaller()
	return fmt.Errorf("%s: job %q: %w", place, job, err)
}

// userPackage returns the import path of the nearest caller that is not the engine's.
func userPackage() string {
	_, function := fault.UserCaller()
	return codec.PackageOf(function)
}
