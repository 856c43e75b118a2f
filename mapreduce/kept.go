package mapreduce

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/kept"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
)

// Kept is the output of a job that stays in memory, part by part, typed, as the input of others:
// what a dataset of a cluster is made of (see package actors, which also places and replaces it).
// Make it with [NewKept]. It serves one job; after one that failed it may serve another.
//
// The memory lies outside of the Go heap and is charged to the budget of the attempts that write;
// see [KeptOptions].
type Kept[T any] struct {
	*kept.Store
	form  kept.Form[T]
	wrong error // of T
}

// NewKept returns what a job is to fill. T must be a type that a value of a job may have, or each
// Bind of its Output is an error.
func NewKept[T any](o kept.Options) *Kept[T] {
	form, err := kept.NewForm[T]()
	return &Kept[T]{Store: kept.New(o, form, nil), form: form, wrong: err}
}

// Output is the output of the job that fills k.
func (k *Kept[T]) Output() Output[T] { return k.output(k.Store) }

// Again is the output of the same job when it runs once more, for parts of k that are lost: it
// fills them. It compares the number and a hash of the records of all parts, those that are there,
// too, and of floats sums; the error of the job's commit wraps ErrOtherData if they differ, and k
// is as it was.
func (k *Kept[T]) Again() Output[T] {
	return k.output(k.Store.Again())
}

func (k *Kept[T]) output(to *kept.Store) Output[T] {
	return Output[T]{&outputForm{
		record:    reflect.TypeFor[T](),
		dest:      to.Destination(),
		checkType: func() error { return k.wrong },
		encoder:   func() (appendRecord, error) { return k.form.Appender(), k.wrong },
		image:     k.form.Size,
	}}
}

// Input yields the records of k, whose job has succeeded, part by part; each may be cut into
// several splits, and its maps are best placed on its node. Slices of bytes and of numbers in a
// record are valid until the map returns, and must not be changed. A plan that was bound to it holds the records from its start to its end; if they
// are released before that the start is an error that wraps ErrReleased.
func (k *Kept[T]) Input() Input[T] {
	in := Input[T]{plan: cluster.InputPlan{Apart: true, Wrong: k.wrong}, read: k.read}
	if k.form.Size > 0 {
		in.lists = k.readLists
	}
	in.sources = k.Sources()
	if len(in.sources) == 0 && k.wrong == nil {
		in.plan.Wrong = fmt.Errorf("%s: %w", k.Name(), output.ErrNotCollected)
	}
	return in
}

// Aligned is Input with one map for each part: what a job without reduces makes of it has the same
// parts.
func (k *Kept[T]) Aligned() Input[T] {
	in := k.Input()
	in.plan.Whole = true
	return in
}

// Records returns all records, part by part. Slices in them are the caller's. Errors wrap
// ErrNotCollected before the job has succeeded, ErrReleased or ErrPartLost.
func (k *Kept[T]) Records() (list []T, err error) {
	if err := errors.Join(k.wrong, k.Hold(false)); err != nil {
		return nil, err
	}
	defer k.LetGo()
	for i := range k.Parts() {
		if list, err = k.collect(list, i); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// collect appends the records of a part.
func (k *Kept[T]) collect(list []T, index int) ([]T, error) {
	data, err := k.Open(index)
	if err != nil {
		return nil, err
	}
	defer data.Drop()
	form := k.form
	for i := range data.Len() {
		err = data.Look(i, nil, func(run []byte) error {
			if form.Size == 0 && codec.MayChange(reflect.TypeFor[T]()) {
				run = bytes.Clone(run)
			}
			list = slices.Grow(list, max(1, len(run)/max(form.Size, 64)))
			return form.Each(run, func(rec T, _ []byte) error {
				list = append(list, rec)
				return nil
			})
		})
		if err != nil {
			return nil, k.Damaged(index, data, err)
		}
	}
	return list, nil
}
