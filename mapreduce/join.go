package mapreduce

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"reflect"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// Joined is a job that joins records of two inputs by key. Make it with Join, LeftJoin, FullJoin,
// CoGroup or BroadcastJoin, and bind it to an output. The following applies to joins of two feeds.
//
// One reduce receives all values of a key. It holds the left values in memory and reads the right
// ones as a stream: make the feed with fewer values per key the left one. The output is in the
// order of the keys, then of the right values, then of the left values. If the left values of a key
// exceed [Task.LargestRecord] bytes, the error names the key and wraps ErrRecordTooLarge.
type Joined[O any] struct {
	// Name appears in messages; empty means "join" or "broadcast join".
	Name string
	// Reducers is the number of reduces; 0 means the cluster chooses. It must be 0 for a broadcast
	// join.
	Reducers int
	// NoShuffle joins co-partitioned feeds (see [KeyedDataset.Feed]) without shuffle or reduces:
	// each map reads one part of both feeds. Bind rejects feeds that are not kept by key or differ
	// in their number of parts.
	NoShuffle bool

	bind func(j Joined[O], out Output[O], where, home string) (*Plan, error)
}

// feedJoin is a join of two feeds, before its Bind.
type feedJoin[K, A, B, O any] struct {
	left  Feed[K, A]
	right Feed[K, B]
	group func(key K, left []A, right iter.Seq[B], emit func(O)) error
	each  func(key K, a A, b B, emit func(O)) error // function of a Join; nil for other joins
}

// Join calls each for every pair of a left and a right record with equal keys.
func Join[K, A, B, O any](left Feed[K, A], right Feed[K, B], each func(key K, a A, b B, emit func(O)) error) Joined[O] {
	group := func(key K, as []A, bs iter.Seq[B], emit func(O)) error {
		if len(as) == 0 {
			return nil
		}
		for b := range bs {
			for _, a := range as {
				if err := each(key, a, b, emit); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return Joined[O]{bind: feedJoin[K, A, B, O]{left, right, group, each}.bind}
}

// LeftJoin is like Join. For left records whose key the right feed lacks, it calls each with a nil
// b.
func LeftJoin[K, A, B, O any](left Feed[K, A], right Feed[K, B], each func(key K, a A, b *B, emit func(O)) error) Joined[O] {
	return FullJoin(left, right, func(key K, a *A, b *B, emit func(O)) error {
		if a == nil {
			return nil
		}
		return each(key, *a, b, emit)
	})
}

// FullJoin is like Join. For records whose key the other feed lacks, it calls each with nil for the
// missing record. a and b are valid until each returns.
func FullJoin[K, A, B, O any](left Feed[K, A], right Feed[K, B], each func(key K, a *A, b *B, emit func(O)) error) Joined[O] {
	return CoGroup(left, right, func(key K, as []A, bs iter.Seq[B], emit func(O)) error {
		alone := true
		var b B // one variable: a pointer to each value would allocate
		for b = range bs {
			alone = false
			if len(as) == 0 {
				if err := each(key, nil, &b, emit); err != nil {
					return err
				}
			}
			for i := range as {
				if err := each(key, &as[i], &b, emit); err != nil {
					return err
				}
			}
		}
		for i := 0; alone && i < len(as); i++ {
			if err := each(key, &as[i], nil, emit); err != nil {
				return err
			}
		}
		return nil
	})
}

// CoGroup calls group once for each key of either feed. The left values are valid until group
// returns; the right values can be ranged over once.
func CoGroup[K, A, B, O any](
	left Feed[K, A], right Feed[K, B], group func(key K, left []A, right iter.Seq[B], emit func(O)) error,
) Joined[O] {
	return Joined[O]{bind: feedJoin[K, A, B, O]{left: left, right: right, group: group}.bind}
}

// Bind checks the job and ties it to its output; see [Job.Bind].
func (j Joined[O]) Bind(out Output[O]) (*Plan, error) {
	where, home := caller(), codec.CallerPackage(2)
	if j.bind == nil {
		return nil, located(where, cmp.Or(j.Name, "join"), errors.New("the join is empty: make it with Join or its like"))
	}
	return j.bind(j, out, where, home)
}

func (j feedJoin[K, A, B, O]) bind(o Joined[O], out Output[O], where, home string) (*Plan, error) {
	o.Name = cmp.Or(o.Name, "join")
	if err := j.check(o, home); err != nil {
		return nil, located(where, o.Name, err)
	}
	if o.NoShuffle {
		return j.bindCoPartitioned(o.Name, out, where)
	}
	job := &Job[TaggedRecord[K, sided[A, B]], K, sided[A, B], O]{
		Name: o.Name, Reducers: o.Reducers,
		ReduceTask: func(t *Task) (Reducer[K, sided[A, B], O], error) {
			r, err := j.run(t)
			if err != nil {
				return Reducer[K, sided[A, B], O]{}, err
			}
			pairs, err := j.pairs(r.largest, home)
			return Reducer[K, sided[A, B], O]{Reduce: r.reduce, resumes: true, encoded: pairs.run}, err
		},
	}
	key, _ := codec.Key[K](false, home) // check has reported its error
	// The left feed is first, so its values of a key are first, too.
	in := Feeds(
		onSide(j.left, func(a A) sided[A, B] { return sided[A, B]{A: a} }, emitterOf[K, A](key, ofLeft)),
		onSide(j.right, func(b B) sided[A, B] { return sided[A, B]{B: b, right: true} }, emitterOf[K, B](key, ofRight)),
	)
	return bindJob(job, in, out, where, home)
}

// run returns the state of a new reduce attempt.
func (j feedJoin[K, A, B, O]) run(t *Task) (*joinRun[K, A, B, O], error) {
	left, err := codec.Value[A]()
	return &joinRun[K, A, B, O]{group: j.group, largest: t.LargestRecord(), clone: left.Cloner()}, err
}

// check returns an error if types or options are invalid. The error calls the feeds left and right.
func (j feedJoin[K, A, B, O]) check(o Joined[O], home string) error {
	if j.group == nil {
		return errors.New("the join has no function")
	}
	_, errK := codec.Key[K](false, home)
	_, errA := codec.Value[A]()
	if errA != nil {
		errA = fmt.Errorf("left feed: %w", errA)
	}
	_, errB := codec.Value[B]()
	if errB != nil {
		errB = fmt.Errorf("right feed: %w", errB)
	}
	err := errors.Join(errK, errA, errB)
	if err == nil && o.NoShuffle {
		err = checkCoPartitioned(j.left, j.right)
		if o.Reducers != 0 {
			err = errors.Join(err, errors.New("both Reducers and NoShuffle are set"))
		}
	}
	return err
}

// onSide returns f as one feed of a join: put marks each value as a left or a right one.
func onSide[K, V, S any](f Feed[K, V], put func(V) S, emitter func(add func(key, value []byte)) func(K, V)) Feed[K, S] {
	feds := taggedBatches(f.read, func(batch *[]TaggedRecord[K, V]) func(i int, t *Task, emit func(K, S)) error {
		var to func(K, S)
		emit := func(k K, v V) { to(k, put(v)) }
		var direct func(K, V)
		return func(i int, t *Task, emitSided func(K, S)) error {
			rec := &(*batch)[i]
			if direct == nil && t.add != nil {
				direct = emitter(t.add)
			}
			if direct != nil {
				return rec.apply(rec.index, t, direct)
			}
			to = emitSided
			return rec.apply(rec.index, t, emit)
		}
	})
	return Feed[K, S]{sources: f.sources, plans: f.plans, read: feds}
}

// emitterOf returns a function that makes the func(K, V) for one feed of a join. This writes the
// encoding of a sided value directly to add, without creating the value.
func emitterOf[K, V any](key codec.Typed[K], side byte) func(add func(key, value []byte)) func(K, V) {
	value, _ := codec.Value[V]() // check has reported its error
	return func(add func(key, value []byte)) func(K, V) {
		box, bytes, buf := new(K), key.Bytes(), []byte(nil)
		encodeKey := func(k K) []byte {
			*box = k
			return bytes(memory.Of(box))
		}
		var f any = func(k K, v []byte) {
			buf = append(append(buf[:0], side), v...)
			add(encodeKey(k), buf)
		}
		if emit, ok := f.(func(K, V)); ok {
			return emit
		}
		encode := value.Encoder()
		return func(k K, v V) {
			buf = encode(append(buf[:0], side), v)
			add(encodeKey(k), buf)
		}
	}
}

// joinRun is the state of a reduce attempt of a join.
type joinRun[K, A, B, O any] struct {
	group   func(key K, left []A, right iter.Seq[B], emit func(O)) error
	clone   func(v memory.Pointer) // nil if values share no memory
	largest int64
	left    []A
}

func (r *joinRun[K, A, B, O]) reduce(key K, values iter.Seq[sided[A, B]], emit func(O)) error {
	r.left = r.left[:0]
	held := int64(0)
	for v := range values {
		if v.right {
			break
		}
		if held += int64(v.size) + int64(memory.SizeOf[A]()); held > r.largest {
			return tooManyLeft(key, r.largest)
		}
		if r.left = append(r.left, v.A); r.clone != nil {
			r.clone(memory.Of(&r.left[len(r.left)-1]))
		}
	}
	ranged := false
	err := r.group(key, r.left, func(yield func(B) bool) {
		if ranged {
			fault.Throw(errRangedTwice)
		}
		ranged = true
		for v := range values { // continues with the first right value
			if !yield(v.B) {
				return
			}
		}
	}, emit)
	clear(r.left)
	return err
}

// sided is a value of a join with the side it comes from: the left or the right feed.
type sided[A, B any] struct {
	A     A // exported, so that Plan.Debug sees the bytes in them
	B     B
	right bool
	size  int // size of the encoding in bytes
}

// CodecWithin returns a codec that writes whether a value is left or right, then the value.
func (sided[A, B]) CodecWithin(b *codec.Builder, last bool) (*codec.Codec, error) {
	left, err := b.Part(".left", reflect.TypeFor[A](), last)
	if err != nil {
		return nil, err
	}
	right, err := b.Part(".right", reflect.TypeFor[B](), last)
	if err != nil {
		return nil, err
	}
	return &codec.Codec{
		Open: left.Open || right.Open,
		Width: func(src []byte, mark byte) int {
			switch {
			case len(src) == 0:
				return 1
			case src[0] == mark:
				return 1 + left.Width(src[1:], mark)
			}
			return 1 + right.Width(src[1:], mark)
		},
		Encode: func(dst []byte, p memory.Pointer) []byte {
			if v := memory.To[sided[A, B]](p); v.right {
				return right.Encode(append(dst, ofRight), memory.Of(&v.B))
			} else {
				return left.Encode(append(dst, ofLeft), memory.Of(&v.A))
			}
		},
		Decode: func(src []byte, p memory.Pointer) ([]byte, error) {
			if len(src) == 0 || src[0] > ofRight {
				return nil, codec.ErrMalformed
			}
			v := memory.To[sided[A, B]](p)
			v.right, v.size = src[0] == ofRight, len(src)
			if v.right {
				return right.Decode(src[1:], memory.Of(&v.B))
			}
			return left.Decode(src[1:], memory.Of(&v.A))
		},
	}, nil
}
