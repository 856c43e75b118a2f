package mapreduce

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sort"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/attempt"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/fault"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// localPair is a pair that a map has emitted, encoded.
type localPair struct{ key, value []byte }

func (b *boundJob) RunLocal(ctx context.Context, p *cluster.Bound, splits []cluster.Split, c *counter.Set, most int) ([]cluster.Skipped, error) {
	k := read.NewSkips(most)
	parts, err := b.mapLocal(ctx, p, splits, c, k)
	for i := 0; err == nil && i < len(parts); i++ {
		err = b.reduceLocal(ctx, p, i, parts[i], c)
	}
	return k.Count(c), err
}

// mapLocal runs all maps and returns the emitted pairs by reduce.
func (b *boundJob) mapLocal(ctx context.Context, p *cluster.Bound, splits []cluster.Split, c *counter.Set, k *read.Skips) ([][]localPair, error) {
	parts := make([][]localPair, p.Reduces)
	partition := b.partitioner(p.Reduces)
	readable := b.decoding(nil)
	for i, split := range splits {
		a := &cluster.MapAttempt{Index: i, Split: split}
		t := &Task{
			ctx: ctx, id: a.ID(), reduces: p.Reduces, name: p.Sources[split.Source].Name(),
			counters: c,
		}
		var emitted []localPair // for the current record
		gate := memory.NewGate(nil)
		emit := b.encoding(func(key, value []byte) {
			gate.Sign()
			emitted = append(emitted, localPair{bytes.Clone(key), bytes.Clone(value)})
		})
		code, err := b.typed.startMap(t, emit)
		if err != nil {
			return nil, err
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
		one := func(mapRecord func() error) error {
			defer keep()
			gate.Open()
			defer gate.Shut()
			if k == nil {
				return read.MapError(mapRecord())
			}
			return read.MapError(tryRecord(c, func() error { return cmp.Or(mapRecord(), eachLocal(emitted, readable)) }, func() { emitted = nil }))
		}
		err = readFile(t, p, a, split, k, intake{}, func(l *recordLoop) error {
			return code.each(l.reader, l.around(read.SkippingKnown(l.reader, one)))
		})
		if err == nil && code.close != nil {
			gate.Open()
			err = code.close()
			gate.Shut()
			keep()
		}
		if err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// eachLocal calls f with each pair and stops at the first error.
func eachLocal(pairs []localPair, f func(key, value []byte) error) error {
	for _, pair := range pairs {
		if err := f(pair.key, pair.value); err != nil {
			return err
		}
	}
	return nil
}

func (b *boundJob) reduceLocal(ctx context.Context, p *cluster.Bound, index int, part []localPair, c *counter.Set) error {
	sort.SliceStable(part, func(i, j int) bool { return bytes.Compare(part[i].key, part[j].key) < 0 })
	id := AttemptID{Kind: attempt.Reduce, Index: index}
	t := &Task{ctx: ctx, id: id, reduces: p.Reduces, counters: c}
	w, err := newRecordWriter(p, t, "", b.out)
	if err != nil {
		return err
	}
	closed := false
	defer func() {
		if !closed {
			_ = w.close(fault.ErrExited) // after a panic
		}
	}()
	w.gate.Open()
	err = b.groupsLocal(p, t, part, w)
	closed = true
	if err = w.close(err); err != nil {
		return err
	}
	c.Add(counter.ReduceInputRecords, int64(len(part)))
	c.Add(counter.ReduceOutputRecords, w.records)
	c.Add(counter.OutputBytesWritten, w.part.Bytes)
	return p.CommitTask(id)
}

// groupsLocal divides sorted pairs into groups and reduces each. Without Reduce it writes the
// pairs.
func (b *boundJob) groupsLocal(p *cluster.Bound, t *Task, part []localPair, w *recordWriter) error {
	// The caller counts records itself, so these counters are discarded.
	r := &reduceRun{bound: b, w: w, c: new(counter.Set), reduces: p.Reduces, a: &cluster.ReduceAttempt{Index: t.id.Index}}
	alive, stop := cluster.NewWatch(t.ctx, &r.a.Resources)
	defer stop()
	if r.alive = alive; !b.identity() {
		var err error
		if r.code, err = b.typed.startReduce(t, w, b.key.Reader()); err != nil {
			return err
		}
	}
	g := &groupStream{run: r}
	g.calls.resumes = r.code.resumes
	placed := b.placeChecker(p.Reduces, t.id.Index)
	for len(part) > 0 {
		n := 1
		for n < len(part) && bytes.Equal(b.groupOf(part[0].key), b.groupOf(part[n].key)) {
			n++
		}
		next, err := b.groupLocal(part[:n], &r.value)
		if err != nil {
			return err
		}
		if part = part[n:]; b.identity() {
			if err := r.pass(next); err != nil {
				return err
			}
			continue
		}
		t.counters.Add(counter.ReduceInputGroups, 1)
		if err := g.reduceLocal(next, placed); err != nil {
			return err
		}
	}
	if r.code.close != nil {
		w.gate.Open()
		return r.code.close()
	}
	return nil
}

// reduceLocal calls Reduce for the one group of next, after placed (may be nil) has checked its
// key.
func (g *groupStream) reduceLocal(next func() ([]byte, bool, error), placed func(key []byte) error) error {
	g.next = next
	g.key, g.ok, g.err = next()
	g.group, g.prefix, g.first = g.key, len(g.run.bound.groupOf(g.key)), true
	if placed != nil {
		if err := placed(g.group); err != nil {
			return err
		}
	}
	g.run.w.gate.Open()
	err := g.run.code.call(g, g.calls.enter())
	g.run.w.gate.Shut()
	g.calls.leave()
	if g.err != nil { // the group ended early, so an error of the user's code means nothing
		return g.err
	}
	return err
}

// groupLocal returns the stream of a group's pairs; next stores each value's address in *value. It
// folds the values of equal keys by Combine, so a Reduce can rely on Combine as in the engine.
func (b *boundJob) groupLocal(group []localPair, value *memory.Pointer) (next func() ([]byte, bool, error), err error) {
	values := memory.NewArray(b.valueType, len(group))
	at := func(i int) memory.Pointer { return values.Index(i, b.valueType.Size()) }
	read := b.value.Reader()
	_, fold := b.typed.combine()
	var keys [][]byte
	for i, pair := range group {
		n := len(keys)
		if err := read(pair.value, at(n)); err != nil {
			return nil, err
		}
		if b.combines && i > 0 && bytes.Equal(pair.key, group[i-1].key) {
			fold(at(n-1), at(n), []combine.Hit{{}})
			continue
		}
		keys = append(keys, pair.key)
	}
	n := 0
	return func() ([]byte, bool, error) {
		if n == len(keys) {
			return nil, false, nil
		}
		*value = at(n)
		n++
		return keys[n-1], true, nil
	}, nil
}

func (b *boundMapOnly) RunLocal(ctx context.Context, p *cluster.Bound, splits []cluster.Split, c *counter.Set, most int) ([]cluster.Skipped, error) {
	k := read.NewSkips(most)
	for i, split := range splits {
		a := &cluster.MapAttempt{Index: i, Split: split, Resources: cluster.Resources{Counters: c}}
		if _, err := b.runMapSkipping(ctx, p, a, k); err != nil {
			return nil, fmt.Errorf("%s: %w", a.ID(), err)
		}
		if err := p.CommitTask(a.ID()); err != nil {
			return nil, err
		}
	}
	return k.Count(c), nil
}
