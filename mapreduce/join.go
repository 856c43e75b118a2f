package mapreduce

import (
	"cmp"
	"errors"
	"fmt"
	"iter"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/run"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
	"github.com/tarry-mr/tarry/mapreduce/internal/watch"
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
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

	bind func(j Joined[O], out Output[O]) (*Plan, error)
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
	if j.bind == nil {
		return nil, run.Located(cmp.Or(j.Name, "join"), errors.New("the join is empty: make it with Join or its like"))
	}
	return j.bind(j, out)
}

func (j feedJoin[K, A, B, O]) bind(o Joined[O], out Output[O]) (*Plan, error) {
	o.Name = cmp.Or(o.Name, "join")
	c, err := j.codecs()
	if err != nil {
		return nil, run.Located(o.Name, err)
	}
	job := Job[TaggedRecord[[]byte, []byte], []byte, []byte, O]{
		Name: o.Name, Reducers: o.Reducers,
		ReduceTask: func(t *Task) (Reducer[[]byte, []byte, O], error) {
			code := func(w *write.Writer, s *watch.State) run.ReduceCode { return j.reduceCode(c, t.of, w, s) }
			return Reducer[[]byte, []byte, O]{code: code}, nil
		},
	}
	// The left feed is first, so its values of a key are first, too.
	in := Feeds(onSide(j.left, ofLeft, c.key, c.left), onSide(j.right, ofRight, c.key, c.right))
	return bindJob(job, fmt.Sprintf("%T", j), in, out)
}

// joinCodecs are the codecs of a join's keys and values.
type joinCodecs[K, A, B any] struct {
	key   codec.Typed[K]
	left  codec.Typed[A]
	right codec.Typed[B]
}

// codecs returns an error if the join has no function or a type is invalid. The error calls the
// feeds left and right.
func (j feedJoin[K, A, B, O]) codecs() (c joinCodecs[K, A, B], err error) {
	if j.group == nil {
		return c, errors.New("the join has no function")
	}
	var errK, errA, errB error
	c.key, errK = codec.Key[K](false)
	if c.left, errA = codec.Value[A](); errA != nil {
		errA = fmt.Errorf("left feed: %w", errA)
	}
	if c.right, errB = codec.Value[B](); errB != nil {
		errB = fmt.Errorf("right feed: %w", errB)
	}
	return c, errors.Join(errK, errA, errB)
}

// A join's job has encoded keys and values. The first byte of a value tells the feed it belongs to.
const (
	ofLeft  = 0
	ofRight = 1
)

// onSide returns f as one feed of a join's job.
func onSide[K, V any](f Feed[K, V], side byte, key codec.Typed[K], value codec.Typed[V]) Feed[[]byte, []byte] {
	start := func(t *task.Task, emit func(k, v []byte), s *watch.State) (run.MapCode, error) {
		var buf []byte
		box, encodeKey, encode := new(K), key.Bytes(), value.Encoder()
		at := memory.Of(box)
		if raw, ok := any(appendBytes).(func([]byte, V) []byte); ok {
			encode = raw
		}
		return f.start(t, func(k K, v V) {
			*box = k
			encoded := encodeKey(at)
			buf = encode(append(buf[:0], side), v)
			if t.Reader.Skips != nil { // a pair that cannot be decoded makes the record a bad one
				_, errK := key.Decoder()(encoded)
				_, errV := value.Decoder()(buf[1:])
				if err := cmp.Or(errK, errV); err != nil {
					fault.Throw(err)
				}
			}
			emit(encoded, buf)
		}, s)
	}
	return Feed[[]byte, []byte]{sources: f.sources, plans: f.plans, start: start}
}

// appendBytes is the encoding of []byte values.
func appendBytes(dst, v []byte) []byte { return append(dst, v...) }
