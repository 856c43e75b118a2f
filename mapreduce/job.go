package mapreduce

import (
	"iter"

	"github.com/tarry-mr/tarry/mapreduce/internal/run"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// Job is a typed MapReduce job: the map turns records of type I into pairs of K and V; the reduce
// turns these into output records of type O.
//
// K and V are strings, byte slices, integers, floats, bools, structs, [Pair]s, arrays and slices of
// those, or types with their own MarshalBinary and UnmarshalBinary. Any other type (pointers, maps,
// interfaces, types that contain themselves) is an error of [Job.Bind], which names the field. A
// struct that has the two methods from an embedded field is encoded field by field, because the
// methods would omit its other fields. A nil slice may be read back as an empty one and vice versa.
//
// Keys sort in their natural order: numbers by value, strings and byte slices by bytes, false
// before true, structs, arrays and slices element by element, [time.Time], [math/big.Int] and
// [net/netip.Addr] by their Compare or Cmp, other marshaled types by their bytes. Equal keys are
// one key: 0 and -0 become 0; all NaNs are one key, after all other numbers; a [time.Time] becomes
// its instant in UTC. Other structs of foreign modules with unexported fields cannot be keys,
// because their order is unknown. Values are read back unchanged, except for the monotonic clock
// and the zone name of a time.
//
// The functions run in many attempts concurrently, so everything that they share must be safe for
// concurrent use. MapTask and ReduceTask give each attempt its own state.
type Job[I, K, V, O any] struct {
	// Name appears in messages; empty means "job".
	Name string

	// Map is called once per record. A []byte record, and everything it points to, is valid until
	// Map returns and must not be changed. emit keeps no reference to key or value. Only Map's own
	// goroutine may call it, and only until Map returns; later calls panic. The same holds for the
	// emit of Reduce.
	Map func(in I, emit func(K, V)) error
	// MapTask replaces Map in jobs whose function needs the task (for counters, record offsets or a
	// logger) or its own state. It is called at the start of each attempt, and once per file if a
	// split has several, and returns the functions to use.
	MapTask func(t *Task) (Mapper[I, K, V], error)

	// Combine merges two values of one key; nil means none. It must be associative and commutative;
	// the engine calls it any number of times in maps and reduces. It may modify the memory that a
	// and b point to and return it, but must not keep it.
	Combine func(a, b V) V
	// Sum makes the engine add the values of a key; use it instead of a Combine that returns a + b.
	// The engine adds 8-byte integers itself, which saves a tenth of a WordCount. V must be of an
	// integer or float kind. Integers wrap around as in Go. The order of additions is undefined, so
	// the last digits of floats may differ from run to run.
	Sum bool

	// Reduce is called once per distinct key, in key order, with the key's values. They can be
	// ranged over once; a second time ends the attempt. Without Combine the values are in the order
	// of the input records that emitted them. Byte slices in key and values are valid until the
	// next value or the return. If Reduce and ReduceTask are nil, every pair is written to the
	// output: O must then be Pair[K, V].
	Reduce func(key K, values iter.Seq[V], emit func(O)) error
	// ReduceTask is to Reduce what MapTask is to Map. Its Reducer may have Pairs instead of Reduce.
	ReduceTask func(t *Task) (Reducer[K, V, O], error)

	// Partition returns the reduce of key, at least 0 and below reduces. It must depend on its
	// arguments only, and with GroupFields only on those fields of the key; otherwise groups are
	// divided. Nil means a hash of the encoded key, or ranges if TotalOrder is set.
	Partition func(key K, reduces int) int
	// TotalOrder gives each reduce a range of keys, so that the concatenated parts are sorted. The
	// ranges come from a sample of the input: before the attempts, Plan.Prepare runs the map on at
	// most about half of the records and at most some ten thousand.
	TotalOrder bool
	// Descending reverses the order of keys.
	Descending bool
	// GroupFields groups struct or Pair keys: one call of Reduce gets all keys that agree in their
	// first GroupFields fields, in full key order, and the hash partition uses only these fields.
	// Reduce receives the first key of the group. 0 means all fields.
	GroupFields int

	// Reducers is the number of reduces; 0 means the cluster chooses.
	Reducers int
}

// NewJob returns a job with a Map and a Reduce, and infers its types from theirs.
func NewJob[I, K, V, O any](
	toPairs func(in I, emit func(K, V)) error, reduce func(key K, values iter.Seq[V], emit func(O)) error,
) Job[I, K, V, O] {
	return Job[I, K, V, O]{Map: toPairs, Reduce: reduce}
}

// MapOnly is a job without reduces. Its output is what the maps emit, in the order of the input,
// one part per map.
type MapOnly[I, O any] struct {
	// Name appears in messages; empty means "job".
	Name string
	// Map is called once per record; see Job.Map.
	Map func(in I, emit func(O)) error
	// MapTask replaces Map; see Job.MapTask.
	MapTask func(t *Task) (Filter[I, O], error)
}

// Mapper has the functions that a map attempt calls for a file: Map for each record, then Close,
// unless it is nil, once after the last. One goroutine calls them.
type Mapper[I, K, V any] struct {
	Map   func(in I, emit func(K, V)) error
	Close func(emit func(K, V)) error
}

// Filter has the functions that an attempt of a [MapOnly] job calls; see [Mapper].
type Filter[I, O any] struct {
	Map   func(in I, emit func(O)) error
	Close func(emit func(O)) error

	// lookup, if not nil, prepares the calls of Map for several records, which follow in order.
	lookup func(list []I)
}

// Reducer has the functions that a reduce attempt calls: either Reduce or Pairs for each group,
// then Close, unless it is nil, once after the last. One goroutine calls them.
type Reducer[K, V, O any] struct {
	Reduce func(key K, values iter.Seq[V], emit func(O)) error
	// Pairs is Reduce with each value's own key: with Job.GroupFields, the keys of a group agree
	// only in their first fields. So a secondary sort need not repeat the sort field in the value.
	// Pairs are valid as long as values are.
	Pairs func(pairs iter.Seq2[K, V], emit func(O)) error
	Close func(emit func(O)) error

	// code, if not nil, returns the code of the attempt, in place of the functions above.
	code func(w *write.Writer, s *watch.State) run.ReduceCode
}

// Pair has two values; as a key it sorts by First, then by Second.
type Pair[A, B any] struct {
	First  A
	Second B
}

// MakePair returns the pair of a and b.
func MakePair[A, B any](a A, b B) Pair[A, B] { return Pair[A, B]{First: a, Second: b} }

// None is the value of a job that needs only keys; it has no bytes.
type None = struct{}
