package mapreduce

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
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
	b := &boundJob{
		name: j.Name, types: types, reducers: j.Reducers, out: out.form,
		maps: [2]bool{j.Map != nil, j.MapTask != nil || fed && j.Map == nil}, reduces: [2]bool{j.Reduce != nil, j.ReduceTask != nil},
		combines: j.Combine != nil, sums: j.Sum, partitions: j.Partition != nil,
		ordered: j.TotalOrder, descending: j.Descending, groupFields: j.GroupFields,
		emitType: reflect.TypeOf(j.Map).In(1),
	}
	b.typed = &typedJob[I, K, V, O]{job: &j, read: in.read, feeds: feeds, watch: &b.State}
	return b.bind(in.untyped())
}

// Bind checks the job and ties it to its input and output; see [Job.Bind].
func (j MapOnly[I, O]) Bind(in Input[I], out Output[O]) (*Plan, error) {
	maps := oneOf("Map", j.Map != nil, "MapTask", j.MapTask != nil, true)
	if err := errors.Join(maps, checkInOut(in.untyped(), out.form)); err != nil {
		return nil, located(j.Name, err)
	}
	s := cluster.Spec{Name: j.Name, Types: fmt.Sprintf("%T", j), MapOnly: true, To: out.form.dest}
	return newPlan(in.untyped(), s, newBoundMapOnly(j, in, out))
}

// Over returns a Bind that lacks only the output; see [Job.Over].
func (j MapOnly[I, O]) Over(in Input[I]) func(out Output[O]) (*Plan, error) {
	return func(out Output[O]) (*Plan, error) { return j.Bind(in, out) }
}

func (in Input[I]) untyped() untypedInput {
	return untypedInput{sources: in.sources, plan: in.plan, plans: in.plans, reads: in.read != nil}
}
