package mapreduce

import (
	"iter"
)

// Job is a typed MapReduce job: records of type I go into the map, pairs of K
// and V to the reduces, records of type O to the output.
//
// K and V are strings, byte slices, integers, floats, bools, structs, [Pair]s,
// arrays and slices of those, or types with MarshalBinary and UnmarshalBinary of
// their own; anything else (pointers, maps, interfaces, types that contain
// themselves) is an error of [Job.Bind] that names the field. A struct that has
// these methods from an embedded field is encoded field by field, or it would
// lose its other fields. Nil and empty slices are the same: either may come back.
//
// Keys sort in their natural order: numbers by value, strings and byte slices by
// bytes, false before true, structs, arrays and slices element by element,
// [time.Time], [math/big.Int] and [net/netip.Addr] as their Compare or Cmp does,
// other marshaled types by their bytes. Keys that are equal are one key: 0 and -0
// are 0, all NaNs are one, after all other numbers; a [time.Time] is an instant, which
// comes back in UTC. Other structs of foreign modules with unexported fields
// cannot be keys, for what orders them is hidden. Values keep what keys lose but
// the monotonic clock and the name of a time's zone.
//
// The functions run in many attempts at once, so whatever they share must be
// safe for concurrent use; MapTask and ReduceTask give an attempt its own state.
type Job[I, K, V, O any] struct {
	// Name is shown to people; empty is "job".
	Name string

	// Map is called once per record. A []byte record, and whatever it points
	// to, is valid until Map returns and must not be changed. emit keeps no
	// reference to key or value. It may be called until Map returns, by its goroutine: later
	// calls panic, here and in Reduce.
	Map func(in I, emit func(K, V)) error
	// MapTask is Map for functions that need the task (for counters, the place of a record, a
	// logger) or a state of their own: it is called at the start of each attempt, or of each file if
	// its split spans several, and returns the functions for it.
	MapTask func(t *Task) (Mapper[I, K, V], error)

	// Combine merges two values of one key and must be associative and
	// commutative; the engine calls it at will in maps and reduces. Nil: none.
	// It may change what a and b point to and return it; it must not keep them.
	Combine func(a, b V) V
	// Sum declares that values of one key are added, in place of a Combine that returns a + b: the
	// engine adds integers of 8 bytes itself, which saves a tenth of a WordCount. V must be of
	// an integer or float kind. Integers wrap around as Go's do. The order of additions is not
	// defined, so the last digits of floats may differ from run to run.
	Sum bool

	// Reduce is called once per distinct key, in key order, with the key's
	// values, which can be ranged over once: a second time ends the attempt.
	// Without Combine values come in the order in which the input's records emitted
	// them. Byte slices in key and values are valid until the next value or the
	// return. A nil Reduce (and nil ReduceTask) passes every pair on: O must then be
	// Pair[K, V].
	Reduce func(key K, values iter.Seq[V], emit func(O)) error
	// ReduceTask is to Reduce what MapTask is to Map. Its Reducer may have Pairs in place of Reduce.
	ReduceTask func(t *Task) (Reducer[K, V, O], error)

	// Partition returns the reduce, 0 <= p < reduces, that gets key. It must
	// depend on nothing but its arguments, and with GroupFields on those fields of
	// the key only, or it divides groups. Nil: a hash of the key's encoding, or
	// ranges if TotalOrder is set.
	Partition func(key K, reduces int) int
	// TotalOrder gives each reduce a range of keys, chosen from a sample of the
	// input, so that the parts read one after the other are sorted as a whole.
	// Plan.Prepare runs the map over that sample, beside the attempts, for
	// about half of the records at most and some ten thousand.
	TotalOrder bool
	// Descending reverses the order of keys.
	Descending bool
	// GroupFields is for a struct or Pair key: a group (one call of Reduce)
	// holds all keys that agree in this many leading fields, in full key order,
	// and the hash partition looks at those fields only. 0 means all fields.
	// Reduce is given the first key of the group.
	GroupFields int

	// Reducers is the number of reduces; 0 leaves the choice to the cluster.
	Reducers int
}

// MapOnly is a job without reduces: what its maps emit is the output, in the
// order of the input, one part a map.
type MapOnly[I, O any] struct {
	// Name is shown to people; empty is "job".
	Name string
	// Map is called once per record; see Job.Map.
	Map func(in I, emit func(O)) error
	// MapTask is an alternative to Map, called at the start of each attempt, or
	// of each file if its split spans several.
	MapTask func(t *Task) (Filter[I, O], error)
}

// Mapper is what a map attempt runs on a file: Map for each record, then Close, if it is not nil, once
// after the last. They are called from one goroutine.
type Mapper[I, K, V any] struct {
	Map   func(in I, emit func(K, V)) error
	Close func(emit func(K, V)) error
}

// Filter is what an attempt of a [MapOnly] job runs; see [Mapper].
type Filter[I, O any] struct {
	Map   func(in I, emit func(O)) error
	Close func(emit func(O)) error

	// abreast, if not nil, returns what may take the place of Map where records stay: take, which
	// maps several at a time, and flush, which maps those that take has kept.
	abreast func(emit func(O)) (take func(in I) error, flush func() error)
}

// Reducer is what a reduce attempt runs: either Reduce or Pairs for each group, then Close, if it is not
// nil, once after the last. They are called from one goroutine.
type Reducer[K, V, O any] struct {
	Reduce func(key K, values iter.Seq[V], emit func(O)) error
	// Pairs is Reduce with each value beside its own key, of which Job.GroupFields makes those of a group
	// agree in their first fields only. So values sorted by a part of the key (a secondary sort) need
	// not hold that part once more. Pairs are valid as values are.
	Pairs func(pairs iter.Seq2[K, V], emit func(O)) error
	Close func(emit func(O)) error

	resumes bool // another range over the values goes on where the last one stopped
	// encoded, if not nil, does what Reduce does for each group of a stream of encoded pairs.
	encoded func(in *encodedPairs, w *recordWriter) error
}

// Pair is two values; as a key it sorts by First, then by Second.
type Pair[A, B any] struct {
	First  A
	Second B
}

// MakePair returns the pair of a and b.
func MakePair[A, B any](a A, b B) Pair[A, B] { return Pair[A, B]{First: a, Second: b} }

// None is the value of a job that needs only keys; it has no bytes.
type None = struct{}
