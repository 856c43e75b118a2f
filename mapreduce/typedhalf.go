package mapreduce

import (
	"errors"

	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
)

// typedJob is the typed half of a bound job: the user's functions and the loops that call them once
// a record or once a pair. A program compiles it for each job, so that whatever can do without types
// is in boundJob.
type typedJob[I, K, V, O any] struct {
	job   *Job[I, K, V, O]
	in    Input[I]
	key   codec.Typed[K]
	value codec.Typed[V]
	debug *debugState
}

// mapper returns the functions of one map attempt, watched if the plan is.
func (b *typedJob[I, K, V, O]) mapper(t *Task) (m Mapper[I, K, V], err error) {
	m.Map = b.job.Map
	if b.job.MapTask != nil {
		if m, err = b.job.MapTask(t); err == nil && m.Map == nil {
			err = Permanent(errors.New("MapTask returned a Mapper without Map"))
		}
	}
	if m.Map != nil {
		b.debug.watchMap(t, &m.Map, &m.Close)
	}
	return m, err
}

// reducer returns the functions of one reduce attempt, watched if the plan is.
func (b *typedJob[I, K, V, O]) reducer(t *Task) (r Reducer[K, V, O], err error) {
	r.Reduce = b.job.Reduce
	if b.job.ReduceTask != nil {
		if r, err = b.job.ReduceTask(t); err == nil && (r.Reduce == nil) == (r.Pairs == nil) {
			err = Permanent(errors.New("ReduceTask must return a Reducer with either Reduce or Pairs"))
		}
	}
	if b.debug.watchReduce(t, &r.Reduce, &r.Pairs, &r.Close) {
		r.encoded = nil
	}
	return r, err
}

func (b *typedJob[I, K, V, O]) encoding(add func(key, value []byte), values bool) any {
	key := b.key.EncoderInPlace()
	if !values {
		return func(k K, _ V) { add(key(k), nil) }
	}
	value := b.value.EncoderInPlace()
	return func(k K, v V) { add(key(k), value(v)) }
}

func (b *typedJob[I, K, V, O]) decoding(emit any) func(key, value []byte) error {
	decodeKey, decodeValue := b.key.Decoder(), b.value.Decoder()
	to, _ := emit.(func(K, V))
	return func(key, value []byte) error {
		k, err := decodeKey(key)
		if err != nil {
			return err
		}
		v, err := decodeValue(value)
		if err == nil && to != nil {
			to(k, v)
		}
		return err
	}
}

func (b *typedJob[I, K, V, O]) partition() func(key []byte, reduces int) int {
	decode := b.key.Decoder()
	return func(key []byte, reduces int) int {
		k, err := decode(key)
		if err != nil {
			fault.Throw(err)
		}
		return b.job.Partition(k, reduces)
	}
}

func (b *typedJob[I, K, V, O]) watchCombine(within float64) {
	f := b.job.Combine
	c := &combineCheck{value: b.value.Placed, within: within, f: func(a, b any) any { return f(a.(V), b.(V)) }}
	b.job.Combine = func(x, y V) V { return c.combine(x, y).(V) }
}

// newBoundMapOnly returns a job without reduces, bound.
func newBoundMapOnly[I, O any](j *MapOnly[I, O], in Input[I], out Output[O]) *boundMapOnly {
	b := &boundMapOnly{out: out.outputForm}
	in = in.bare()
	b.start = func(t *Task, w *recordWriter) (mapCode, error) {
		f := Filter[I, O]{Map: j.Map}
		if j.MapTask != nil {
			var err error
			if f, err = j.MapTask(t); err == nil && f.Map == nil {
				err = Permanent(errors.New("MapTask returned a Filter without Map"))
			}
			if err != nil {
				return mapCode{}, err
			}
		}
		if b.watchMap(t, &f.Map, &f.Close) {
			f.abreast = nil
		}
		return filterCode(f, in, t, w), nil
	}
	return b
}
