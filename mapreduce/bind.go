package mapreduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/internal/codec"
	"github.com/tarry-mr/tarry/mapreduce/internal/input"
	"github.com/tarry-mr/tarry/mapreduce/internal/output"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

// Bind checks the job and ties it to its input and output. All faults of the job
// are reported at once, with the file and line of the call of Bind.
func (j Job[I, K, V, O]) Bind(in Input[I], out Output[O]) (*Plan, error) {
	return j.bind(in, out, caller(), codec.CallerPackage(2))
}

// On is Bind whose output is still to come: the function that those take who run a job and give it an
// output of their own, such as Collect and Keep of package actors.
func (j Job[I, K, V, O]) On(in Input[I]) func(out Output[O]) (*Plan, error) {
	where, home := caller(), codec.CallerPackage(2)
	return func(out Output[O]) (*Plan, error) { return j.bind(in, out, where, home) }
}

// bind is Bind, called at where in package home.
func (j Job[I, K, V, O]) bind(in Input[I], out Output[O], where, home string) (*Plan, error) {
	if j.Map == nil && j.MapTask == nil {
		j.MapTask = feedMap[I, K, V]()
	}
	b := &boundJob[I, K, V, O]{job: j, in: in.bare(), out: out}
	maps := [2]bool{j.Map != nil, j.MapTask != nil}
	reduces := [2]bool{j.Reduce != nil, j.ReduceTask != nil}
	var key, value, sum, prefix error
	b.key, key = codec.Key[K](j.Descending, home)
	b.value, value = codec.Value[V]()
	if j.Sum {
		b.job.Combine, sum = sumOf(j.Combine)
	}
	err := checkJob(maps, reduces, j.Reducers, j.Partition != nil && j.TotalOrder, in.ends(), out.ends(), key, value, sum)
	if err != nil {
		return nil, located(where, j.Name, err)
	}
	if j.GroupFields != 0 {
		b.prefix, prefix = b.key.PrefixLen(j.GroupFields)
	}
	if b.identity() {
		err = checkIdentity(reflect.TypeFor[Pair[K, V]](), reflect.TypeFor[O]())
	}
	if prefix != nil || err != nil {
		return nil, located(where, j.Name, errors.Join(prefix, err))
	}
	v := reflect.TypeFor[V]()
	return newPlan(where, in.ends(), cluster.Spec{
		Name: j.Name, Reduces: j.Reducers, Output: out.dest, Ordered: j.TotalOrder,
		Folds: b.combines() && v.Size() > 0 && !codec.MayChange(v),
	}, b)
}

// Bind checks the job and ties it to its input and output; see [Job.Bind].
func (j MapOnly[I, O]) Bind(in Input[I], out Output[O]) (*Plan, error) {
	return j.bind(in, out, caller())
}

// On is Bind whose output is still to come; see [Job.On].
func (j MapOnly[I, O]) On(in Input[I]) func(out Output[O]) (*Plan, error) {
	where := caller()
	return func(out Output[O]) (*Plan, error) { return j.bind(in, out, where) }
}

func (j MapOnly[I, O]) bind(in Input[I], out Output[O], where string) (*Plan, error) {
	maps := checkMapFuncs(j.Map != nil, j.MapTask != nil)
	if err := errors.Join(maps, checkEnds(in.ends(), out.ends())); err != nil {
		return nil, located(where, j.Name, err)
	}
	return newPlan(where, in.ends(), cluster.Spec{Name: j.Name, MapOnly: true, Output: out.dest},
		&boundMapOnly[I, O]{job: j, in: in.bare(), out: out})
}

// newPlan makes the plan of a job over an input. Errors tell where it was bound.
func newPlan(where string, in inputEnd, s cluster.Spec, t cluster.Tasks) (*Plan, error) {
	s.Name = cmp.Or(s.Name, "job")
	s.Sources, s.Inputs = in.sources, in.bySource()
	p, err := cluster.NewPlan(s, t)
	if err != nil {
		return nil, located(where, s.Name, err)
	}
	return p, nil
}

// The functions of a job of which it has one.
var (
	mapFuncs    = []string{"Map", "MapTask"}
	reduceFuncs = []string{"Reduce", "ReduceTask"}
)

// checkJob joins what is wrong with a job: which functions are set, its numbers and ends, and further
// faults, which may be nil.
func checkJob(maps, reduces [2]bool, reducers int, twoOrders bool, in inputEnd, out outputEnd, further ...error) error {
	errs := []error{checkMapFuncs(maps[:]...), checkEnds(in, out)}
	_, err := oneOf(reduceFuncs, reduces[:]...)
	errs = append(errs, err)
	if reducers < 0 {
		errs = append(errs, fmt.Errorf("%d reducers", reducers))
	}
	if twoOrders {
		errs = append(errs, errors.New("both Partition and TotalOrder are set"))
	}
	return errors.Join(append(errs, further...)...)
}

// checkIdentity is an error if pairs cannot come out of a job without Reduce.
func checkIdentity(pair, out reflect.Type) error {
	if pair == out {
		return nil
	}
	return fmt.Errorf("without Reduce the output type must be %s, not %s", pair, out)
}

func checkMapFuncs(set ...bool) error {
	some, err := oneOf(mapFuncs, set...)
	if !some {
		err = fmt.Errorf("none of %s is set", strings.Join(mapFuncs, ", "))
	}
	return err
}

// oneOf reports whether any function of a list is set; more than one are an error.
func oneOf(names []string, set ...bool) (some bool, err error) {
	var list []string
	for i, yes := range set {
		if yes {
			list = append(list, names[i])
		}
	}
	if len(list) > 1 {
		err = fmt.Errorf("both %s are set", strings.Join(list, " and "))
	}
	return len(list) > 0, err
}

// inputEnd and outputEnd are what of an input and of an output does not depend on what a record is:
// what is done with it a program has once, not for each type.
type (
	inputEnd struct {
		sources []Source
		plan    cluster.InputPlan
		plans   []cluster.InputPlan // by source, where they differ
		reads   bool
	}
	outputEnd struct {
		dest      Destination
		writes    bool
		checkType func() error
	}
)

func (in Input[I]) ends() inputEnd {
	return inputEnd{sources: in.sources, plan: in.plan, plans: in.plans, reads: in.read != nil}
}

func (out Output[O]) ends() outputEnd {
	return outputEnd{dest: out.dest, writes: out.encoder != nil || out.own, checkType: out.checkType}
}

// bySource are the plans of all sources.
func (in inputEnd) bySource() []cluster.InputPlan {
	if in.plans != nil {
		return in.plans
	}
	return slices.Repeat([]cluster.InputPlan{in.plan}, len(in.sources))
}

// check is an error of one of the sources, or of how it is read.
func (in inputEnd) check() error {
	for i, p := range in.bySource() {
		if err := p.Check(); err != nil {
			return err
		}
		if s := in.sources[i]; s.Data == nil && !input.IsStream(s) {
			return fmt.Errorf("source %d of %d is the zero Source: make it with File, Files, FS, Stream, Bytes or Stored", i+1, len(in.sources))
		}
	}
	return nil
}

func checkEnds(in inputEnd, out outputEnd) error {
	switch {
	case !in.reads:
		return errors.New("the input is empty: make it with Lines, Chunks, …")
	case in.plan.Wrong != nil:
		return in.plan.Wrong
	case len(in.sources) == 0:
		return fmt.Errorf("%w: the input has no sources", ErrNoSources)
	case !out.writes || !output.Given(out.dest):
		return errors.New("the output is empty: make it with Text, Raw, …")
	}
	if err := output.CheckExtension(out.dest); err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	if out.checkType != nil {
		return out.checkType()
	}
	return nil
}

// caller returns file:line of who called the caller.
func caller() string {
	_, file, line, ok := runtime.Caller(2)
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
	key    codec.Typed[K]
	value  codec.Typed[V]
	prefix func(key []byte) int // length of the group's part of a key, if not all of it
	ranges *keyRanges           // of a total order, after prepare
	groups groupPlaces          // of a job with Partition
	debugState
	// distinct is what the map that ended last found: the next one's table begins
	// with that size. It is 12 % of a word count's time to grow tables.
	distinct atomic.Pointer[found]
	// scattered says that a map found its keys hardly repeated: the next ones need not look.
	scattered atomic.Bool
}

// combines reports whether values of equal keys are folded on the way.
func (b *boundJob[I, K, V, O]) combines() bool { return b.job.Combine != nil }

// identity reports whether pairs pass the reduce unchanged.
func (b *boundJob[I, K, V, O]) identity() bool {
	return b.job.Reduce == nil && b.job.ReduceTask == nil
}

// mapper returns the functions of one map attempt, watched if the plan is.
func (b *boundJob[I, K, V, O]) mapper(t *Task) (Mapper[I, K, V], error) {
	m, err := b.mapperOf(t)
	return watchMapper(b.debug, t, m), err
}

func (b *boundJob[I, K, V, O]) mapperOf(t *Task) (Mapper[I, K, V], error) {
	if b.job.MapTask == nil {
		return Mapper[I, K, V]{Map: b.job.Map}, nil
	}
	m, err := b.job.MapTask(t)
	if err == nil && m.Map == nil {
		err = Permanent(errors.New("MapTask returned a Mapper without Map"))
	}
	return m, err
}

// reducer returns the functions of one reduce attempt, watched if the plan is.
func (b *boundJob[I, K, V, O]) reducer(t *Task) (Reducer[K, V, O], error) {
	r, err := b.reducerOf(t)
	return watchReducer(b.debug, t, r), err
}

func (b *boundJob[I, K, V, O]) reducerOf(t *Task) (Reducer[K, V, O], error) {
	if b.job.ReduceTask == nil {
		return Reducer[K, V, O]{Reduce: b.job.Reduce}, nil
	}
	r, err := b.job.ReduceTask(t)
	if err == nil && (r.Reduce == nil) == (r.Pairs == nil) {
		err = Permanent(errors.New("ReduceTask must return a Reducer with either Reduce or Pairs"))
	}
	return r, err
}

// boundMapOnly is a typed map-only job with its input and output.
type boundMapOnly[I, O any] struct {
	job MapOnly[I, O]
	in  Input[I]
	out Output[O]
	debugState
}

// filter returns the functions of one attempt, watched if the plan is.
func (b *boundMapOnly[I, O]) filter(t *Task) (Filter[I, O], error) {
	f, err := b.filterOf(t)
	return watchFilter(b.debug, t, f), err
}

func (b *boundMapOnly[I, O]) filterOf(t *Task) (Filter[I, O], error) {
	if b.job.MapTask == nil {
		return Filter[I, O]{Map: b.job.Map}, nil
	}
	f, err := b.job.MapTask(t)
	if err == nil && f.Map == nil {
		err = Permanent(errors.New("MapTask returned a Filter without Map"))
	}
	return f, err
}

func (b *boundMapOnly[I, O]) Prepare(context.Context, *cluster.Bound) error { return nil }

func (b *boundMapOnly[I, O]) Ranged() [][]byte { return nil }

func (b *boundMapOnly[I, O]) Adopt(context.Context, *cluster.Bound, [][]byte) error { return nil }

func (b *boundMapOnly[I, O]) Imported(*segment.Segment) any { return nil }
