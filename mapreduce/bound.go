package mapreduce

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
)

// boundJob is a job with its input, output and codecs. It has no type parameters, so its code
// exists once per program, not once per job: keys are encoded, and values and records are pointers.
// Only the code in typed is compiled for each job.
type boundJob struct {
	name, types   string
	reducers      int
	maps, reduces [2]bool // Map and MapTask, Reduce and ReduceTask are set
	combines      bool    // values of equal keys are folded before the reduce
	sums          bool
	partitions    bool // Partition is set
	ordered       bool
	descending    bool
	groupFields   int

	emitType           reflect.Type // func(key, value)
	keyType, valueType reflect.Type // set by bind

	typed  typedHalf
	out    *outputForm
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

// typedHalf is the code of a job that needs its types; typedJob implements it. An emit is a func(K,
// V), which untyped code passes as any.
type typedHalf interface {
	// StartMap starts the user's Map for a file. Map calls emit, a func(K, V).
	StartMap(t *task.Task, emit any) (mapCode, error)
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
	StartReduce(t *task.Task, w *recordWriter, readKey func(b []byte, key memory.Pointer) error) (reduceCode, error)
	// Partition calls the user's Partition for the key at the pointer.
	Partition(key memory.Pointer, reduces int) int
}

// Watch makes attempts check the user's functions for misuse; see Plan.Debug.
func (b *boundJob) Watch(o cluster.DebugOptions) {
	b.State.Watch(o)
	if b.combines && !b.sums {
		f, _ := b.typed.Combine()
		watch.Combine(f, b.value, o.Within)
	}
}

// bind is the part of bindJob that needs no type parameters.
func (b *boundJob) bind(in untypedInput) (*cluster.Plan, error) {
	b.keyType, b.valueType = b.emitType.In(0), b.emitType.In(1)
	var sum error
	if b.sums {
		f, _ := b.typed.Combine()
		sum = setSum(f, b.combines, b.valueType)
		b.combines = true
	}
	if err := b.check(in, sum); err != nil {
		return nil, located(b.name, err)
	}
	return newPlan(in, cluster.Spec{
		Name: b.name, Types: b.types, Reducers: b.reducers, To: b.out.dest, Ordered: b.ordered,
		Folds: b.combines && b.valueType.Size() > 0 && !codec.MayChange(b.valueType),
	}, b)
}

// check validates the job, its input and its output, and creates the codecs. sum is the error of
// setSum.
func (b *boundJob) check(in untypedInput, sum error) error {
	var key, value, prefix, err error
	b.key, key = codec.KeyOf(b.keyType, b.descending, userPackage())
	b.value, value = codec.ValueOf(b.valueType)
	errs := []error{
		oneOf("Map", b.maps[0], "MapTask", b.maps[1], true), checkInOut(in, b.out),
		oneOf("Reduce", b.reduces[0], "ReduceTask", b.reduces[1], false),
	}
	if b.reducers < 0 {
		errs = append(errs, fmt.Errorf("%d reducers", b.reducers))
	}
	errs = append(errs, oneOf("Partition", b.partitions, "TotalOrder", b.ordered, false), key, value, sum)
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if b.groupFields != 0 {
		b.prefix, prefix = codec.PrefixLen(b.key, b.groupFields)
	}
	if o := b.out.record; b.identity() && !(isPair(o) && o.Field(0).Type == b.keyType && o.Field(1).Type == b.valueType) {
		err = fmt.Errorf("without Reduce the output type must be mapreduce.Pair[%s,%s], not %s", b.keyType, b.valueType, o)
	}
	return errors.Join(prefix, err)
}

// identity reports whether pairs pass the reduce unchanged.
func (b *boundJob) identity() bool { return !b.reduces[0] && !b.reduces[1] }

// numberWidth returns the key size in bytes if keys are ascending integers, or 0.
func (b *boundJob) numberWidth() int {
	if b.descending {
		return 0
	}
	return codec.IntegerWidth(b.keyType)
}

// groupOf returns the prefix of key that all keys of its group share.
func (b *boundJob) groupOf(key []byte) []byte {
	if b.prefix == nil {
		return key
	}
	return key[:b.prefix(key)]
}

// keyText formats an encoded key for an error.
func (b *boundJob) keyText(key []byte) string {
	k, err := codec.Decoded(b.key, key)
	if err != nil {
		return err.Error()
	}
	return fault.ValueText(k.Interface())
}

// boundMapOnly is a job without reduces, with its output. start starts the user's Map for a file; w
// receives what it emits. load, if not nil, prepares the maps.
type boundMapOnly struct {
	out   *outputForm
	start func(t *task.Task, w *recordWriter) (mapCode, error)
	load  func(ctx context.Context) error
	watch.State
}

func (b *boundMapOnly) Prepare(ctx context.Context, _ *cluster.Bound) error {
	if b.load == nil {
		return nil
	}
	return b.load(ctx)
}

func (b *boundMapOnly) RunReduce(context.Context, *cluster.Bound, *cluster.ReduceAttempt) error {
	return errors.New("mapreduce: a map-only plan has no reduces")
}
