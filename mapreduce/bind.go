package mapreduce

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"unicode/utf8"

	"github.com/tarry-mr/tarry/mapreduce/internal/scan"
)

// Bind checks the job and ties it to its input and output. All faults of the job
// are reported at once, with the file and line of the call of Bind.
func (j Job[I, K, V, O]) Bind(in Input[I], out Output[O]) (*Plan, error) {
	where := caller(2)
	b := &boundJob[I, K, V, O]{job: j, in: in.bare(), out: out}
	errs := []error{checkMapFuncs(j.Map != nil, j.MapTask != nil), checkEnds(in, out)}
	if j.Reduce != nil && j.ReduceTask != nil {
		errs = append(errs, errors.New("both Reduce and ReduceTask are set"))
	}
	if j.Reducers < 0 {
		errs = append(errs, fmt.Errorf("%d reducers", j.Reducers))
	}
	if j.Partition != nil && j.TotalOrder {
		errs = append(errs, errors.New("both Partition and TotalOrder are set"))
	}
	var err error
	b.fold, err = folder(j.Combine, j.Sum)
	errs = append(errs, err)
	b.key, err = keyCodec[K](j.Descending, callerPackage(2))
	errs = append(errs, err)
	b.value, err = valueCodec[V]()
	errs = append(errs, err)
	if err := errors.Join(errs...); err != nil {
		return nil, located(where, j.Name, err)
	}
	if j.GroupFields != 0 {
		b.prefix, err = b.key.prefixLen(j.GroupFields)
		errs = append(errs, err)
	}
	if b.identity() && reflect.TypeFor[O]() != reflect.TypeFor[Pair[K, V]]() {
		errs = append(errs, fmt.Errorf("without Reduce the output type must be %s, not %s",
			reflect.TypeFor[Pair[K, V]](), reflect.TypeFor[O]()))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, located(where, j.Name, err)
	}
	return newPlan(where, j.Name, j.Reducers, false, in, out, b)
}

// Bind checks the job and ties it to its input and output; see [Job.Bind].
func (j MapOnly[I, O]) Bind(in Input[I], out Output[O]) (*Plan, error) {
	where := caller(2)
	if err := errors.Join(checkMapFuncs(j.Map != nil, j.MapTask != nil), checkEnds(in, out)); err != nil {
		return nil, located(where, j.Name, err)
	}
	return newPlan(where, j.Name, 0, true, in, out, &boundMapOnly[I, O]{job: j, in: in.bare(), out: out})
}

func newPlan[I, O any](where, name string, reducers int, mapOnly bool, in Input[I], out Output[O],
	t tasks,
) (*Plan, error) {
	if name == "" {
		name = "job"
	}
	sources, err := own(in.sources)
	if err != nil {
		return nil, located(where, name, err)
	}
	return &Plan{
		name: name, asked: reducers, mapOnly: mapOnly, sources: sources,
		input: in.plan, tasks: t, output: newCommitter(out.dest),
	}, nil
}

func checkMapFuncs(plain, task bool) error {
	switch {
	case plain && task:
		return errors.New("both Map and MapTask are set")
	case !plain && !task:
		return errors.New("neither Map nor MapTask is set")
	}
	return nil
}

func checkEnds[I, O any](in Input[I], out Output[O]) error {
	switch {
	case in.read == nil:
		return errors.New("the input is empty: make it with Lines, Chunks, …")
	case len(in.sources) == 0:
		return fmt.Errorf("%w: the input has no sources", ErrNoSources)
	case in.plan.check() != nil:
		return in.plan.check()
	case out.encoder == nil || out.dest.store == nil:
		return errors.New("the output is empty: make it with Text, Raw, …")
	case out.checkType != nil:
		return out.checkType()
	}
	return nil
}

// caller returns file:line of the caller, skip frames up.
func caller(skip int) string {
	_, file, line, ok := runtime.Caller(skip)
	if !ok {
		return "unknown place"
	}
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

func located(where, job string, err error) error {
	return fmt.Errorf("%s: job %q: %w", where, job, err)
}

// boundJob is a typed job with its input, output and codecs.
type boundJob[I, K, V, O any] struct {
	job    Job[I, K, V, O]
	in     Input[I]
	out    Output[O]
	key    typedCodec[K]
	value  typedCodec[V]
	prefix func(key []byte) int // length of the group's part of a key, if not all of it
	fold   func(a, b V) V       // Combine, or + for Sum; nil: no combiner
	ranges *keyRanges           // of a total order, after prepare
	groups groupPlaces          // of a job with Partition
	debug  *debugging           // nil: not watched
}

// combines reports whether values of equal keys are folded on the way.
func (b *boundJob[I, K, V, O]) combines() bool { return b.fold != nil }

// folder returns Combine, or the plain form of Sum.
func folder[V any](combine func(a, b V) V, sum bool) (func(a, b V) V, error) {
	if !sum {
		return combine, nil
	}
	if combine != nil {
		return nil, errors.New("both Combine and Sum are set")
	}
	t := reflect.TypeFor[V]()
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return func(a, b V) V {
			reflect.ValueOf(&a).Elem().SetInt(reflect.ValueOf(a).Int() + reflect.ValueOf(b).Int())
			return a
		}, nil
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		return func(a, b V) V {
			reflect.ValueOf(&a).Elem().SetUint(reflect.ValueOf(a).Uint() + reflect.ValueOf(b).Uint())
			return a
		}, nil
	default:
		return nil, fmt.Errorf("a value of %s cannot be summed: Sum is for integers of 4 or 8 bytes", t)
	}
}

// identity reports whether pairs pass the reduce unchanged.
func (b *boundJob[I, K, V, O]) identity() bool { return b.job.Reduce == nil && b.job.ReduceTask == nil }

// mapper returns the functions of one map attempt.
func (b *boundJob[I, K, V, O]) mapper(t *Task) (Mapper[I, K, V], error) {
	if b.job.MapTask == nil {
		return watchMapper(b.debug, t, Mapper[I, K, V]{Map: b.job.Map}), nil
	}
	m, err := b.job.MapTask(t)
	switch {
	case err != nil:
	case (m.Map == nil) == (m.MapWords == nil):
		err = errors.New("MapTask must return a Mapper with either Map or MapWords")
	case m.MapWords != nil && wordKey[K]() == nil:
		err = fmt.Errorf("MapWords needs []byte or string keys, not %s", reflect.TypeFor[K]())
	}
	return watchMapper(b.debug, t, m), err
}

// wordKey returns the conversion of a word to a key, nil if K has none.
func wordKey[K any]() func(word []byte) K {
	if f, ok := any(func(word []byte) []byte { return word }).(func([]byte) K); ok {
		return f
	}
	f, _ := any(func(word []byte) string { return string(word) }).(func([]byte) K)
	return f
}

// record returns the function that maps a record with either of m's two ways.
// words is nil where it is to be made of emit.
func record[I, K, V any](m Mapper[I, K, V], emit func(K, V), words func([]byte, V)) func(I) error {
	if m.MapWords == nil {
		return func(in I) error { return m.Map(in, emit) }
	}
	if words == nil {
		key := wordKey[K]()
		words = func(text []byte, v V) {
			for _, word := range bytes.FieldsFunc(text,
				func(c rune) bool { return c < utf8.RuneSelf && scan.IsSpace(byte(c)) }) {
				emit(key(word), v)
			}
		}
	}
	return func(in I) error { return m.MapWords(in, words) }
}

// reducer returns the functions of one reduce attempt.
func (b *boundJob[I, K, V, O]) reducer(t *Task) (Reducer[K, V, O], error) {
	if b.job.ReduceTask == nil {
		return watchReducer(b.debug, t, Reducer[K, V, O]{Reduce: b.job.Reduce}), nil
	}
	r, err := b.job.ReduceTask(t)
	if err == nil && r.Reduce == nil {
		err = errors.New("ReduceTask returned a Reducer without Reduce")
	}
	return watchReducer(b.debug, t, r), err
}

// boundMapOnly is a typed map-only job with its input and output.
type boundMapOnly[I, O any] struct {
	job   MapOnly[I, O]
	in    Input[I]
	out   Output[O]
	debug *debugging // nil: not watched
}

func (b *boundMapOnly[I, O]) filter(t *Task) (Filter[I, O], error) {
	if b.job.MapTask == nil {
		return watchFilter(b.debug, t, Filter[I, O]{Map: b.job.Map}), nil
	}
	f, err := b.job.MapTask(t)
	if err == nil && f.Map == nil {
		err = errors.New("MapTask returned a Filter without Map")
	}
	return watchFilter(b.debug, t, f), err
}

func (b *boundMapOnly[I, O]) prepare(context.Context, *Plan) error { return nil }
