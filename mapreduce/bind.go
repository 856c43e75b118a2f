package mapreduce

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/run"
)

// Bind checks the job and ties it to its input and output. The error lists all problems, with the
// file and line of the call.
func (j Job[I, K, V, O]) Bind(in Input[I], out Output[O]) (*Plan, error) {
	return bindJob(j, fmt.Sprintf("%T", j), in, out)
}

// Over returns a Bind that lacks only the output. Pass it to functions that run a job and supply
// the output themselves, such as Collect and Keep of package actors.
func (j Job[I, K, V, O]) Over(in Input[I]) func(out Output[O]) (*Plan, error) {
	return func(out Output[O]) (*Plan, error) { return j.Bind(in, out) }
}

// bindJob implements Job.Bind. types names the job's types.
func bindJob[I, K, V, O any](j Job[I, K, V, O], types string, in Input[I], out Output[O]) (*Plan, error) {
	feeds, fed := in.fed.(startFeed[K, V])
	b := &run.Job{
		Name: j.Name, Types: types, Reducers: j.Reducers, Out: out.form,
		Maps: [2]bool{j.Map != nil, j.MapTask != nil || fed && j.Map == nil}, Reduces: [2]bool{j.Reduce != nil, j.ReduceTask != nil},
		Combines: j.Combine != nil, Sums: j.Sum, Partitions: j.Partition != nil,
		Ordered: j.TotalOrder, Descending: j.Descending, GroupFields: j.GroupFields,
		EmitType: reflect.TypeOf(j.Map).In(1),
	}
	b.Typed = &typedJob[I, K, V, O]{job: &j, read: in.read, feeds: feeds, watch: &b.State}
	return b.Bind(in.untyped())
}

// Bind checks the job and ties it to its input and output; see [Job.Bind].
func (j MapOnly[I, O]) Bind(in Input[I], out Output[O]) (*Plan, error) {
	maps := run.OneOf("Map", j.Map != nil, "MapTask", j.MapTask != nil, true)
	if err := errors.Join(maps, run.CheckInOut(in.untyped(), out.form)); err != nil {
		return nil, run.Located(j.Name, err)
	}
	s := cluster.Spec{Name: j.Name, Types: fmt.Sprintf("%T", j), MapOnly: true, To: out.form.Dest}
	return run.NewPlan(in.untyped(), s, newBoundMapOnly(j, in, out))
}

// Over returns a Bind that lacks only the output; see [Job.Over].
func (j MapOnly[I, O]) Over(in Input[I]) func(out Output[O]) (*Plan, error) {
	return func(out Output[O]) (*Plan, error) { return j.Bind(in, out) }
}

func (in Input[I]) untyped() run.Input {
	return run.Input{Sources: in.sources, Plan: in.plan, Plans: in.plans, Reads: in.read != nil}
}
