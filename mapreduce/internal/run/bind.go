package run

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// NewPlan returns the plan of a job over an input.
func NewPlan(in Input, s cluster.Spec, t cluster.Tasks) (*cluster.Plan, error) {
	s.Name = cmp.Or(s.Name, "job")
	s.Sources, s.Inputs = in.Sources, in.BySource()
	p, err := cluster.NewPlan(s, t)
	if err != nil {
		return nil, Located(s.Name, err)
	}
	return p, nil
}

// OneOf returns an error if two fields of a job are both set, or neither and one is needed.
func OneOf(a string, setA bool, b string, setB, needed bool) error {
	switch {
	case setA && setB:
		return fmt.Errorf("both %s and %s are set", a, b)
	case needed && !setA && !setB:
		return fmt.Errorf("none of %s, %s is set", a, b)
	}
	return nil
}

// Input is a mapreduce.Input without its record type.
type Input struct {
	Sources []input.Source
	Plan    cluster.InputPlan
	Plans   []cluster.InputPlan // one per source if they differ; otherwise nil
	Reads   bool                // it has a reader
}

// BySource returns one plan per source, in the order of the sources.
func (in Input) BySource() []cluster.InputPlan {
	if in.Plans != nil {
		return in.Plans
	}
	return slices.Repeat([]cluster.InputPlan{in.Plan}, len(in.Sources))
}

// Check returns an error if a source or its plan is invalid.
func (in Input) Check() error {
	for i, p := range in.BySource() {
		if err := p.Check(); err != nil {
			return err
		}
		if s := in.Sources[i]; s.Data == nil && !input.IsStream(s) {
			return fmt.Errorf("source %d of %d is the zero Source: make it with File, Files, FS, Stream, Bytes or Stored", i+1, len(in.Sources))
		}
	}
	return nil
}

// CheckInOut returns an error if the input or the output of a job is empty or invalid.
func CheckInOut(in Input, out *write.Form) error {
	switch {
	case !in.Reads:
		return errors.New("the input is empty: make it with Lines, Chunks, …")
	case in.Plan.Wrong != nil:
		return in.Plan.Wrong
	case len(in.Sources) == 0:
		return fmt.Errorf("%w: the input has no sources", input.ErrNoSources)
	case out == nil || out.Encoder == nil || !output.IsSet(out.Dest):
		return errors.New("the output is empty: make it with Text, Raw, …")
	}
	if err := output.CheckExtension(out.Dest); err != nil {
		return err
	}
	if err := in.Check(); err != nil {
		return err
	}
	_, err := out.Encoder()
	return err
}

// Located adds the job's name to an error of Bind, and the place where the user's code binds it.
func Located(job string, err error) error {
	place, _ := fault.UserCaller()
	return fmt.Errorf("%s: job %q: %w", place, job, err)
}
