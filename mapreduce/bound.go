package mapreduce

import (
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
)

// boundJob is a job with its input, output and codecs. It has no type parameters, so that a program
// has it once, however many jobs it has: a key is its encoding, a value or a record is where it
// lies, and what cannot do without types is in typed.
type boundJob struct {
	jobFacts
	typed  typedHalf
	out    *outputForm
	key    codec.Placed
	value  codec.Placed
	prefix func(key []byte) int // length of the group's part of a key, if not all of it
	ranges *keyRanges           // of a total order, after Prepare
	groups groupPlaces          // of a job with Partition
	debugState
	// distinct is what the map that ended last found: the next one's table begins
	// with that size. It is 12 % of a word count's time to grow tables.
	distinct atomic.Pointer[found]
	// scattered says that a map found its keys hardly repeated: the next ones need not look.
	scattered atomic.Bool
}

// jobFacts are what a Job says but for its functions.
type jobFacts struct {
	name, types   string
	reducers      int
	maps, reduces [2]bool // which of mapFuncs and of reduceFuncs are set
	combines      bool    // values of equal keys are folded on the way
	sums          bool
	partitions    bool // there is a Partition
	ordered       bool
	descending    bool
	groupFields   int

	keyType, valueType reflect.Type
}

// factsOf reads a job, a *Job. Nothing of it is compiled for the types of the job.
func factsOf(job any) jobFacts {
	j := reflect.ValueOf(job).Elem()
	set := func(name string) bool { return !j.FieldByName(name).IsNil() }
	first := func(name string) reflect.Type { return j.FieldByName(name).Type().In(0) }
	return jobFacts{
		name: j.FieldByName("Name").String(), types: fmt.Sprintf("%T", job), reducers: int(j.FieldByName("Reducers").Int()),
		maps: [2]bool{set("Map"), set("MapTask")}, reduces: [2]bool{set("Reduce"), set("ReduceTask")},
		combines: set("Combine"), sums: j.FieldByName("Sum").Bool(), partitions: set("Partition"),
		ordered: j.FieldByName("TotalOrder").Bool(), descending: j.FieldByName("Descending").Bool(),
		groupFields: int(j.FieldByName("GroupFields").Int()),
		keyType:     first("Partition"), valueType: first("Combine"),
	}
}

// typedHalf is what needs the types of a job; typedJob has it. An emit is a func(K, V), which passes
// through code without types as any.
type typedHalf interface {
	// startMap begins the user's Map for a file. What it emits goes to emit.
	startMap(t *Task, emit any) (mapCode, error)
	// caught is an emit that calls put with where the pair lies, until put returns.
	caught(put func(key, value unsafe.Pointer)) (emit any)
	// passing calls an emit with the pair that lies there.
	passing(emit any) func(key, value unsafe.Pointer)
	// combine returns where the job's Combine lies, a func(V, V) V, and its Fold.
	combine() (f any, fold combine.Fold)
	// table and numbers are the emits of a table, as combine.Emit and combine.EmitNumbers.
	table(t *combine.Table, put func(key unsafe.Pointer), ready unsafe.Pointer) (emit any)
	numbers(t *combine.Table, flip uint64) (emit any)
	// startReduce begins the user's Reduce; readKey decodes the key of a group.
	startReduce(t *Task, w *recordWriter, readKey func(b []byte, key unsafe.Pointer) error) (reduceCode, error)
	// partition is the user's Partition for the key that lies there.
	partition(key unsafe.Pointer, reduces int) int
}

// bind ends what bindJob begins.
func (b *boundJob) bind(in inputEnd, where, home string) (*Plan, error) {
	var sum error
	if b.sums {
		f, _ := b.typed.combine()
		sum = setSum(f, b.combines, b.valueType)
		b.combines = true
	}
	if err := b.check(in, home, sum); err != nil {
		return nil, located(where, b.name, err)
	}
	return b.plan(in, where)
}

// check is what is wrong with a job in itself, and with its ends. It makes the codecs.
func (b *boundJob) check(in inputEnd, home string, sum error) error {
	var key, value, prefix, err error
	b.key, key = codec.KeyOf(b.keyType, b.descending, home)
	b.value, value = codec.ValueOf(b.valueType)
	errs := []error{checkMapFuncs(b.maps[:]...), checkEnds(in, b.out)}
	_, err = oneOf(reduceFuncs, b.reduces[:]...)
	errs = append(errs, err)
	if b.reducers < 0 {
		errs = append(errs, fmt.Errorf("%d reducers", b.reducers))
	}
	if b.partitions && b.ordered {
		errs = append(errs, errors.New("both Partition and TotalOrder are set"))
	}
	if err := errors.Join(append(errs, key, value, sum)...); err != nil {
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

func (b *boundJob) plan(in inputEnd, where string) (*Plan, error) {
	return newPlan(where, in, cluster.Spec{
		Name: b.name, Types: b.types, Reduces: b.reducers, Output: b.out.dest, Ordered: b.ordered,
		Folds: b.combines && b.valueType.Size() > 0 && !codec.MayChange(b.valueType),
	}, b)
}

// identity reports whether pairs pass the reduce unchanged.
func (b *boundJob) identity() bool { return !b.reduces[0] && !b.reduces[1] }

// numberWidth is how many bytes the keys have if they are numbers, in rising order; else 0.
func (b *boundJob) numberWidth() int {
	if b.descending {
		return 0
	}
	return codec.IntegerWidth(b.keyType)
}

// groupOf is the part of a key that its group has in common.
func (b *boundJob) groupOf(key []byte) []byte {
	if b.prefix == nil {
		return key
	}
	return key[:b.prefix(key)]
}

// keyText shows an encoded key in an error.
func (b *boundJob) keyText(key []byte) string {
	k, err := codec.Decoded(b.key, key)
	if err != nil {
		return err.Error()
	}
	return keyText(k.Interface())
}

// boundMapOnly is a map-only job with its input and output, without types; start begins its Map for
// a file.
type boundMapOnly struct {
	cluster.NoReduces
	out   *outputForm
	start func(t *Task, w *recordWriter) (mapCode, error)
	debugState
}
