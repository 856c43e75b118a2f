package mapreduce

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"sort"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
)

// localPair is an emitted pair with its encoded key.
type localPair[V any] struct {
	key   []byte
	value []byte
}

func (b *boundJob[I, K, V, O]) RunLocal(ctx context.Context, p *cluster.Bound, splits []cluster.Split, c *counter.Set, most int) ([]cluster.Skipped, error) {
	k := newSkips(most)
	parts, err := b.mapLocal(ctx, p, splits, c, k)
	for i := 0; err == nil && i < len(parts); i++ {
		err = b.reduceLocal(ctx, p, i, parts[i], c)
	}
	return k.count(c), err
}

// mapLocal returns what all maps have emitted, by reduce.
func (b *boundJob[I, K, V, O]) mapLocal(ctx context.Context, p *cluster.Bound, splits []cluster.Split, c *counter.Set, k *skips,
) ([][]localPair[V], error) {
	parts := make([][]localPair[V], p.Reduces)
	partition := b.partitioner(p.Reduces)
	encodeKey, encodeValue := b.key.Encoder(), b.value.Encoder()
	for i, split := range splits {
		a := &cluster.MapAttempt{Index: i, Split: split}
		t := &Task{
			ctx: ctx, id: a.ID(), reduces: p.Reduces, name: p.Sources[split.Source].Name(),
			counters: c,
		}
		m, err := b.mapper(t)
		if err != nil {
			return nil, err
		}
		var emitted []localPair[V] // for the record at hand
		gate := memory.NewGate(nil)
		emit := func(k K, v V) {
			gate.Sign()
			emitted = append(emitted, localPair[V]{encodeKey(nil, k), encodeValue(nil, v)})
		}
		gate.Shut()
		keep := func() {
			for _, pair := range emitted {
				n := partition(pair.key)
				parts[n] = append(parts[n], pair)
				c.Add(counter.MapOutputRecords, 1)
				c.Add(counter.MapOutputBytes, int64(len(pair.key)+len(pair.value)))
			}
			emitted = nil
		}
		err = readFile(t, p, a, split, b.in, k, intake{}, mapCalls[I]{one: func(rec I) error {
			defer keep()
			gate.Open()
			defer gate.Shut()
			if k == nil {
				return ofMap(m.Map(rec, emit))
			}
			return ofMap(trial(c, func() error { return cmp.Or(m.Map(rec, emit), b.readable(emitted)) }, func() { emitted = nil }))
		}})
		if err == nil && m.Close != nil {
			gate.Open()
			err = m.Close(emit)
			gate.Shut()
			keep()
		}
		if err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// readable is an error if a pair that was emitted cannot be decoded.
func (b *boundJob[I, K, V, O]) readable(emitted []localPair[V]) error {
	decodeKey, decodeValue := b.key.Decoder(), b.value.Decoder()
	for _, pair := range emitted {
		_, errK := decodeKey(pair.key)
		_, errV := decodeValue(pair.value)
		if err := cmp.Or(errK, errV); err != nil {
			return err
		}
	}
	return nil
}

func (b *boundJob[I, K, V, O]) reduceLocal(ctx context.Context, p *cluster.Bound, index int, part []localPair[V],
	c *counter.Set,
) error {
	sort.SliceStable(part, func(i, j int) bool { return bytes.Compare(part[i].key, part[j].key) < 0 })
	id := AttemptID{Kind: ReduceKind, Index: index}
	t := &Task{ctx: ctx, id: id, reduces: p.Reduces, counters: c}
	w, err := newRecordWriter(p, t, "", &b.out.outputForm)
	if err != nil {
		return err
	}
	closed := false
	defer func() {
		if !closed {
			_ = w.close(ErrExited) // after a panic
		}
	}()
	w.gate.Open()
	if b.identity() {
		b.passLocal(part, emitTo[O](w))
	} else {
		err = b.groupLocal(p, t, part, w)
	}
	closed = true
	if err = w.close(err); err != nil {
		return err
	}
	c.Add(counter.ReduceInputRecords, int64(len(part)))
	c.Add(counter.ReduceOutputRecords, w.records)
	c.Add(counter.OutputBytesWritten, w.part.Bytes)
	return p.CommitTask(id)
}

// passLocal writes the sorted pairs of a job without Reduce; with a combiner that
// is one a key.
func (b *boundJob[I, K, V, O]) passLocal(part []localPair[V], emit func(O)) {
	for len(part) > 0 {
		n := 1
		for n < len(part) && bytes.Equal(part[0].key, part[n].key) {
			n++
		}
		for _, pair := range b.pairsLocal(part[:n]) {
			emit(any(pair).(O))
		}
		part = part[n:]
	}
}

// groupLocal cuts sorted pairs into groups and reduces each. Values are folded
// with Combine first, so that a Reduce relies on it as it may in the engine.
func (b *boundJob[I, K, V, O]) groupLocal(p *cluster.Bound, t *Task, part []localPair[V], w *recordWriter) error {
	r, err := b.reducer(t)
	if err != nil {
		return err
	}
	decodeKey := b.key.Decoder()
	emit, calls := emitTo[O](w), callCount{resumes: r.resumes}
	for len(part) > 0 {
		n := 1
		for n < len(part) && bytes.Equal(b.groupOf(part[0].key), b.groupOf(part[n].key)) {
			n++
		}
		k, err := decodeKey(part[0].key)
		if err != nil {
			return err
		}
		t.counters.Add(counter.ReduceInputGroups, 1)
		if b.job.Partition != nil && p.Reduces > 1 {
			if err := checkPartition(b.job.Partition, k, p.Reduces, t.id.Index); err != nil {
				return err
			}
		}
		pairs := b.pairsOnce(&calls, calls.enter(), part[:n])
		w.gate.Open()
		if r.Pairs != nil {
			err = r.Pairs(pairs, emit)
		} else {
			err = r.Reduce(k, secondOf(pairs), emit)
		}
		if err != nil {
			return err
		}
		w.gate.Shut()
		calls.leave()
		part = part[n:]
	}
	if r.Close != nil {
		w.gate.Open()
		return r.Close(emit)
	}
	return nil
}

func (b *boundJob[I, K, V, O]) groupOf(key []byte) []byte {
	if b.prefix == nil {
		return key
	}
	return key[:b.prefix(key)]
}

// pairsOnce yields the pairs of a group to one call of Reduce.
func (b *boundJob[I, K, V, O]) pairsOnce(calls *callCount, sequence int, group []localPair[V]) iter.Seq2[K, V] {
	pairs := b.pairsLocal(group)
	return func(yield func(K, V) bool) {
		calls.begin(sequence)
		mine := calls.now
		for ; len(pairs) > 0; pairs = pairs[1:] {
			if !yield(pairs[0].First, pairs[0].Second) {
				return
			}
			calls.check(mine)
		}
	}
}

// secondOf yields the values of pairs.
func secondOf[K, V any](pairs iter.Seq2[K, V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, v := range pairs {
			if !yield(v) {
				return
			}
		}
	}
}

// pairsLocal returns the pairs of a group, those of equal keys folded by Combine.
func (b *boundJob[I, K, V, O]) pairsLocal(group []localPair[V]) []Pair[K, V] {
	decodeKey, decode := b.key.Decoder(), b.value.Decoder()
	var pairs []Pair[K, V]
	for i, x := range group {
		k, errK := decodeKey(x.key)
		v, errV := decode(x.value)
		if err := cmp.Or(errK, errV); err != nil {
			fault.Throw(err)
		}
		if b.job.Combine != nil && i > 0 && bytes.Equal(x.key, group[i-1].key) {
			last := &pairs[len(pairs)-1]
			last.Second = b.job.Combine(last.Second, v)
			continue
		}
		pairs = append(pairs, MakePair(k, v))
	}
	return pairs
}

func (b *boundMapOnly[I, O]) RunLocal(ctx context.Context, p *cluster.Bound, splits []cluster.Split, c *counter.Set, most int) ([]cluster.Skipped, error) {
	k := newSkips(most)
	for i, split := range splits {
		a := &cluster.MapAttempt{Index: i, Split: split, Resources: cluster.Resources{Counters: c}}
		if _, err := b.runMapSkipping(ctx, p, a, k); err != nil {
			return nil, fmt.Errorf("%s: %w", a.ID(), err)
		}
		if err := p.CommitTask(a.ID()); err != nil {
			return nil, err
		}
	}
	return k.count(c), nil
}
