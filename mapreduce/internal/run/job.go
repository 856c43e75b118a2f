package run

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// Job is a job with its input, output and codecs. It has no type parameters, so its code exists
// once per program, not once per job: keys are encoded, and values and records are pointers. Only
// the code in Typed is compiled for each job.
type Job struct {
	Name, Types   string
	Reducers      int
	Maps, Reduces [2]bool // Map and MapTask, Reduce and ReduceTask are set
	Combines      bool    // values of equal keys are folded before the reduce
	Sums          bool
	Partitions    bool // Partition is set
	Ordered       bool
	Descending    bool
	GroupFields   int

	EmitType           reflect.Type // func(key, value)
	keyType, valueType reflect.Type // set by Bind

	Typed  Typed
	Out    *write.Form
	key    codec.Placed
	value  codec.Placed
	prefix func(key []byte) int // length of the grouping fields of a key; nil: the whole key
	ranges *keyRanges           // key ranges of the reduces in a total order, set by Prepare
	groups groupPlaces          // detects a Partition that splits a group
	watch.State
	// distinct is the result of the last map that has ended. The next map sizes its table by it:
	// growing tables would take 12 % of a word count.
	distinct atomic.Pointer[distinctKeys]
}

// Typed is the code of a job that needs its types. An emit is a func(K, V), which untyped code
// passes as any.
type Typed interface {
	// StartMap starts the user's Map for a file. Map calls emit, a func(K, V).
	StartMap(t *task.Task, emit any) (MapCode, error)
	// EmitToPointers returns a func(K, V) that calls put with pointers to its arguments, which are
	// valid until put returns.
	EmitToPointers(put func(key, value memory.Pointer)) (emit any)
	// EmitFromPointers returns a function that calls emit with the pair at the pointers.
	EmitFromPointers(emit any) func(key, value memory.Pointer)
	// Combine returns a pointer to the job's Combine, a func(V, V) V, and a fold that calls it.
	Combine() (f any, fold combine.Fold)
	// Table and NumberEmit return a func(K, V) that adds pairs to t: with any keys, or integers.
	Table(t *combine.Table, put func(key memory.Pointer)) (emit any)
	NumberEmit(t *combine.Table, flip uint64) (emit any)
	// StartReduce starts the user's Reduce; readKey decodes the key of a group.
	StartReduce(t *task.Task, w *write.Writer, readKey func(b []byte, key memory.Pointer) error) (ReduceCode, error)
	// Partition calls the user's Partition for the key at the pointer.
	Partition(key memory.Pointer, reduces int) int
}

// Watch makes attempts check the user's functions for misuse; see Plan.Debug.
func (b *Job) Watch(o cluster.DebugOptions) {
	b.State.Watch(o)
	if b.Combines && !b.Sums {
		f, _ := b.Typed.Combine()
		watch.Combine(f, b.value, o.Within)
	}
}

// Bind checks the job, whose exported fields are set, and returns its plan.
func (b *Job) Bind(in Input) (*cluster.Plan, error) {
	b.keyType, b.valueType = b.EmitType.In(0), b.EmitType.In(1)
	var sum error
	if b.Sums {
		f, _ := b.Typed.Combine()
		sum = setSum(f, b.Combines, b.valueType)
		b.Combines = true
	}
	if err := b.check(in, sum); err != nil {
		return nil, Located(b.Name, err)
	}
	return NewPlan(in, cluster.Spec{
		Name: b.Name, Types: b.Types, Reducers: b.Reducers, To: b.Out.Dest, Ordered: b.Ordered,
		Folds: b.Combines && b.valueType.Size() > 0 && !codec.MayChange(b.valueType),
	}, b)
}

// check validates the job, its input and its output, and creates the codecs. sum is the error of
// setSum.
func (b *Job) check(in Input, sum error) error {
	var key, value, prefix, err error
	b.key, key = codec.KeyOf(b.keyType, b.Descending)
	b.value, value = codec.ValueOf(b.valueType)
	errs := []error{
		OneOf("Map", b.Maps[0], "MapTask", b.Maps[1], true), CheckInOut(in, b.Out),
		OneOf("Reduce", b.Reduces[0], "ReduceTask", b.Reduces[1], false),
	}
	if b.Reducers < 0 {
		errs = append(errs, fmt.Errorf("%d reducers", b.Reducers))
	}
	errs = append(errs, OneOf("Partition", b.Partitions, "TotalOrder", b.Ordered, false), key, value, sum)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if b.GroupFields != 0 {
		b.prefix, prefix = codec.PrefixLen(b.key, b.GroupFields)
	}
	if o := b.Out.Record; b.identity() && !(write.IsPair(o) && o.Field(0).Type == b.keyType && o.Field(1).Type == b.valueType) {
		err = fmt.Errorf("without Reduce the output type must be mapreduce.Pair[%s,%s], not %s", b.keyType, b.valueType, o)
	}
	return errors.Join(prefix, err)
}

// identity reports whether pairs pass the reduce unchanged.
func (b *Job) identity() bool { return !b.Reduces[0] && !b.Reduces[1] }

// numberWidth returns the key size in bytes if keys are ascending integers, or 0.
func (b *Job) numberWidth() int {
	if b.Descending {
		return 0
	}
	return codec.IntegerWidth(b.keyType)
}

// groupOf returns the prefix of key that all keys of its group share.
func (b *Job) groupOf(key []byte) []byte {
	if b.prefix == nil {
		return key
	}
	return key[:b.prefix(key)]
}

// keyText formats an encoded key for an error.
func (b *Job) keyText(key []byte) string {
	k, err := codec.Decoded(b.key, key)
	if err != nil {
		return err.Error()
	}
	return fault.ValueText(k.Interface())
}

// MapOnly is a job without reduces, with its output. Start starts the user's Map for a file; w
// receives what it emits. Load, if not nil, prepares the maps.
type MapOnly struct {
	Out   *write.Form
	Start func(t *task.Task, w *write.Writer) (MapCode, error)
	Load  func(ctx context.Context) error
	watch.State
}

// Prepare implements cluster.Tasks.
func (b *MapOnly) Prepare(ctx context.Context, _ *cluster.Bound) error {
	if b.Load == nil {
		return nil
	}
	return b.Load(ctx)
}

// RunReduce implements cluster.Tasks.
func (b *MapOnly) RunReduce(context.Context, *cluster.Bound, *cluster.ReduceAttempt) error {
	return errors.New("mapreduce: a map-only plan has no reduces")
}
