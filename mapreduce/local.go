package mapreduce

import (
	"bytes"
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
	partition, gate := b.partitioner(p.Reduces), memory.NewGate(nil)
	gate.Shut()
	col := &collector{failed: new(error), gate: &gate, emit: b.encoding(func(key, value []byte) {
		gate.Sign()
		n := partition(key)
		parts[n] = append(parts[n], localPair{bytes.Clone(key), bytes.Clone(value)})
		c.Add(counter.MapOutputRecords, 1)
		c.Add(counter.MapOutputBytes, int64(len(key)+len(value)))
	})}
	for i, split := range splits {
		if err := b.mapFile(ctx, p, &cluster.MapAttempt{Index: i, Split: split}, split, col, c, k); err != nil {
			return nil, err
		}
	}
	return parts, nil
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

// groupsLocal reduces sorted pairs. Without Reduce it writes them.
func (b *boundJob) groupsLocal(p *cluster.Bound, t *Task, part []localPair, w *recordWriter) (err error) {
	// The caller counts records before Combine, so only the groups counted here are added to t's.
	r := &reduceRun{bound: b, w: w, c: new(counter.Set), reduces: p.Reduces, a: &cluster.ReduceAttempt{Index: t.id.Index}}
	alive, stop := cluster.NewWatch(t.ctx, &r.a.Resources)
	defer stop()
	if r.alive = alive; !b.identity() {
		if r.code, err = b.typed.startReduce(t, w, b.key.Reader()); err != nil {
			return err
		}
	}
	r.value = memory.New(b.valueType)
	defer func() { t.counters.Add(counter.ReduceInputGroups, r.c.Get(counter.ReduceInputGroups)) }()
	return r.groups(b.folded(part, r.value))
}

// folded returns a stream of sorted pairs, which stores each value at `at`. It folds the values of
// equal keys by Combine, so a Reduce can rely on Combine as in the engine.
func (b *boundJob) folded(part []localPair, at memory.Pointer) (next func() ([]byte, bool, error)) {
	read, further := b.value.Reader(), memory.New(b.valueType)
	_, fold := b.typed.combine()
	return func() (key []byte, ok bool, err error) {
		if len(part) == 0 {
			return nil, false, nil
		}
		key = part[0].key
		err = read(part[0].value, at)
		for part = part[1:]; err == nil && b.combines && len(part) > 0 && bytes.Equal(part[0].key, key); part = part[1:] {
			if err = read(part[0].value, further); err == nil {
				fold(at, further, []combine.Hit{{}})
			}
		}
		return key, true, err
	}
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
