package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// Dataset holds the output of a job in memory, part by part, as an input of other jobs. Package
// actors builds its datasets on it, and also places and recomputes them. Make it with [NewDataset].
// It serves one job; if that fails, another job may fill it.
//
// The memory is outside of the Go heap and charged to the budgets of the attempts that write it;
// see DatasetOptions of package cluster.
type Dataset[T any] struct {
	*kept.Store
	form  kept.Form
	wrong error // if T is invalid
}

// NewDataset returns an empty Dataset for a job to fill. T must be valid as a value type of a job;
// otherwise each Bind of its Output fails.
func NewDataset[T any](o kept.Options) *Dataset[T] {
	form, err := kept.FormOf(reflect.TypeFor[T]())
	return &Dataset[T]{Store: kept.New(o, form, nil), form: form, wrong: err}
}

// Output returns the output for the job that fills k.
func (k *Dataset[T]) Output() Output[T] { return k.output(false) }

// RerunOutput returns the output for a rerun of the same job, which recomputes the lost parts of k.
// The commit compares the number and a hash of the records of all parts (for floats, their sums).
// If they differ, the job fails with an error that wraps ErrOtherData, and k is unchanged.
func (k *Dataset[T]) RerunOutput() Output[T] { return k.output(true) }

func (k *Dataset[T]) output(again bool) Output[T] {
	form := write.Coded(reflect.TypeFor[T](), k.Destination(again), k.wrong, func() write.Append { return k.form.Appender() })
	form.Image = k.form.Size
	return Output[T]{form}
}

// Input yields the records of k, part by part; the job that fills k must have succeeded. A part may
// have several splits, whose maps are node-local if possible. Slices of bytes and of numbers in a
// record are valid until the map returns and must not be changed. A plan bound to the input holds
// the records from its start to its end. If they were released before its start, its error wraps
// ErrReleased.
func (k *Dataset[T]) Input() Input[T] {
	in := Input[T]{plan: cluster.InputPlan{Apart: true, Wrong: k.wrong}, read: k.read}
	in.sources = k.Sources()
	if len(in.sources) == 0 && k.wrong == nil {
		in.plan.Wrong = fmt.Errorf("%s: %w", k.Name(), output.ErrNotCollected)
	}
	return in
}

// Aligned is Input with one map per part, so a job without reduces preserves the parts.
func (k *Dataset[T]) Aligned() Input[T] {
	in := k.Input()
	in.plan.Whole = true
	return in
}

// Records returns all records, part by part; the caller owns the slices in them. The error wraps
// ErrNotCollected before the job has succeeded, ErrReleased or ErrPartLost.
func (k *Dataset[T]) Records() (list []T, err error) {
	if err := errors.Join(k.wrong, k.Hold(false)); err != nil {
		return nil, err
	}
	defer k.LetGo()
	records, _, _ := k.Size()
	list = slices.Grow(list, int(records))
	for _, src := range k.Sources() {
		s := &read.Reader{Ctx: context.Background(), Source: src, Split: cluster.Split{Length: src.Size()}}
		err := k.runs(s, func(_ int64, run []byte) error {
			if k.form.Size == 0 && codec.MayChange(reflect.TypeFor[T]()) {
				run = bytes.Clone(run)
			}
			return kept.Each(&k.form, run, func(rec T, _ []byte) error {
				list = append(list, rec)
				return nil
			})
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}
