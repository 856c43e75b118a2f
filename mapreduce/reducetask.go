package mapreduce

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
)

func (b *boundJob[I, K, V, O]) RunReduce(ctx context.Context, p *cluster.Bound, a *cluster.ReduceAttempt) error {
	var c counter.Set
	list, err := fetch(ctx, a, &c)
	if err != nil {
		return err
	}
	t := &Task{ctx: ctx, id: a.ID(), reduces: p.Reduces, counters: &c, budget: a.Budget, log: a.Log}
	w, err := newRecordWriter(p, t, a.Host, &b.out.outputForm)
	if err != nil {
		return err
	}
	closed := false
	defer func() {
		if !closed {
			_ = w.close(ErrExited) // after another error, or a panic
		}
	}()
	alive, stop := cluster.NewWatch(ctx, &a.Resources)
	defer stop()
	w.part.Check = alive.Now
	r := &reduceRun[I, K, V, O]{bound: b, alive: alive, a: a, c: &c, w: w, emit: emitTo[O](w), reduces: p.Reduces}
	if !b.identity() {
		if r.user, err = b.reducer(t); err != nil {
			return err
		}
	}
	if b.combines() {
		err = r.combined(list)
	} else {
		err = r.merged(list)
	}
	err = cluster.Damaged(a, list, err)
	closed = true
	if err = w.close(err); err != nil {
		return err
	}
	c.Add(counter.ReduceOutputRecords, w.records)
	c.Add(counter.OutputBytesWritten, w.part.Bytes)
	a.Report(&c)
	return nil
}

// fetch gathers the segments of all maps, in the order of the maps, so that what
// comes out does not depend on which came first.
func fetch(ctx context.Context, a *cluster.ReduceAttempt, c *counter.Set) ([]cluster.Segment, error) {
	var list []cluster.Segment
	for {
		s, err := a.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		c.Add(counter.ShuffledMaps, 1)
		c.Add(counter.ReduceShuffleBytes, s.Bytes)
		if a.Progress != nil {
			a.Progress.Bytes.Add(s.Bytes)
		}
		if s.Data != nil {
			list = append(list, s)
		}
	}
	c.Add(counter.MergedMapOutputs, int64(len(list)))
	slices.SortFunc(list, func(x, y cluster.Segment) int { return cmp.Compare(x.Map, y.Map) })
	return list, nil
}

// reduceRun is one reduce attempt at work.
type reduceRun[I, K, V, O any] struct {
	bound *boundJob[I, K, V, O]
	a     *cluster.ReduceAttempt
	c     *counter.Set
	w     *recordWriter
	emit  func(O)
	user  Reducer[K, V, O]
	// reduces is the number of them.
	reduces int
	alive   *cluster.Watch
}

// merged runs a reduce without combiner over sorted segments.
func (r *reduceRun[I, K, V, O]) merged(list []cluster.Segment) error {
	segments := make([]*segment.Segment, len(list))
	for i, s := range list {
		segments[i] = s.Data.(*segment.Segment)
	}
	m := segment.NewMerge(segment.MergeConfig{
		Budget: r.a.Budget, Pool: r.a.Pool, Files: r.a.Spills, SpillDir: r.a.SpillDir,
		Largest: r.bound.largest(r.a.Budget),
	}, segments)
	defer m.Close()
	defer func() { addSpills(r.c, m.Stats()) }()
	if r.bound.passesBytes() {
		n, _, err := m.WriteTo(r.w.part, *r.bound.out.layout)
		r.c.Add(counter.ReduceInputRecords, n)
		r.w.records += n
		return err
	}
	in := &encodedPairs{merge: m, alive: r.alive, progress: r.a.Progress}
	if r.user.encoded != nil {
		defer func() {
			r.c.Add(counter.ReduceInputRecords, in.records)
			r.c.Add(counter.ReduceInputGroups, in.groups)
		}()
		return r.user.encoded(in, r.w)
	}
	decode := r.bound.value.Decoder()
	return r.groups(func() (key []byte, v V, ok bool, err error) {
		if in.next(); !in.ok {
			return nil, v, false, in.err
		}
		v, err = decode(in.value)
		return in.key, v, true, err
	})
}

// passesBytes reports whether spilled pairs go to the output as they are, piece by piece.
func (b *boundJob[I, K, V, O]) passesBytes() bool {
	return b.identity() && b.out.layout != nil && !b.job.Descending
}

// largest bounds the pairs that a reduce has to bring into memory.
func (b *boundJob[I, K, V, O]) largest(budget *cluster.Memory) int64 {
	if b.passesBytes() {
		return 0
	}
	return budget.Largest()
}

// combined runs a reduce with a combiner: the segments are joined in a table.
func (r *reduceRun[I, K, V, O]) combined(list []cluster.Segment) error {
	segments := make([]*combine.Segment[V], len(list))
	for i, s := range list {
		segments[i] = s.Data.(*combine.Segment[V])
	}
	m := combine.NewMerge(r.bound.combineConfig(&r.a.Resources), segments)
	defer m.Close()
	var joined int64
	defer func() {
		addSpills(r.c, m.Stats())
		r.c.Add(counter.CombineInputRecords, m.Stats().Records)
		r.c.Add(counter.CombineOutputRecords, joined)
	}()
	n, done, err := r.passNumbers(m)
	if joined = n; done || err != nil {
		return err
	}
	return r.groups(func() ([]byte, V, bool, error) {
		key, v, ok := m.Next()
		if !ok {
			return nil, v, false, m.Err()
		}
		joined++
		return key, v, true, nil
	})
}

// pass writes the pairs of a job without Reduce.
func (r *reduceRun[I, K, V, O]) pass(next func() ([]byte, V, bool, error)) error {
	decodeKey := r.bound.key.Decoder()
	emit := any(r.emit).(func(Pair[K, V]))
	r.w.gate.Open()
	for {
		key, v, ok, err := next()
		if !ok || err != nil {
			return err
		}
		k, err := decodeKey(key)
		if err != nil {
			return err
		}
		r.c.Add(counter.ReduceInputRecords, 1)
		emit(Pair[K, V]{k, v})
		if err := r.goesOn(); err != nil {
			return err
		}
	}
}

func (r *reduceRun[I, K, V, O]) goesOn() error {
	if err := r.alive.Check(); err != nil {
		return err
	}
	return r.w.err()
}
