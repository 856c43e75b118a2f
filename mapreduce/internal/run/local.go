package run

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/tarry-mr/tarry/mapreduce/cluster"
	"github.com/tarry-mr/tarry/mapreduce/counter"
	"github.com/tarry-mr/tarry/mapreduce/internal/combine"
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/read"
)

// localPair is a pair that a map has emitted, encoded.
type localPair struct{ key, value []byte }

// RunLocal implements cluster.Tasks.
func (b *Job) RunLocal(ctx context.Context, p *cluster.Bound, splits []cluster.Split, c *counter.Set, most int) ([]cluster.Skipped, error) {
	parts := make([][]localPair, p.Reduces) // by reduce
	m := &mapRun{ctx: ctx, p: p, c: c, skips: read.NewSkips(most), col: b.localCollector(parts, c), start: b.Typed.StartMap}
	for i, split := range splits {
		m.a = &cluster.MapAttempt{Index: i, Split: split}
		if err := m.file(split); err != nil {
			return nil, err
		}
	}
	for i, part := range parts {
		slices.SortStableFunc(part, func(x, y localPair) int { return bytes.Compare(x.key, y.key) })
		a := &cluster.ReduceAttempt{Index: i}
		err := b.reduce(ctx, p, a, c, func(r *Groups) error { return r.reduceGroups(r.localPairs(part)) })
		if err == nil {
			err = p.CommitTask(a.ID())
		}
		if err != nil {
			return nil, err
		}
	}
	return m.skips.Count(c), nil
}

// localCollector returns a collector that appends pairs to parts.
func (b *Job) localCollector(parts [][]localPair, c *counter.Set) *collector {
	partition, gate, failed := b.partitioner(len(parts)), memory.NewGate(nil), error(nil)
	emit := b.encoding(func(key, value []byte) {
		gate.Sign()
		n := partition(key)
		parts[n] = append(parts[n], localPair{bytes.Clone(key), bytes.Clone(value)})
		c.Add(counter.MapOutputRecords, 1)
		c.Add(counter.MapOutputBytes, int64(len(key)+len(value)))
	})
	gate.Shut()
	return &collector{emit: emit, failed: &failed, gate: &gate, trying: func() trial { return b.trial(emit, &gate) }}
}

// localPairs returns a function that returns the next of some sorted pairs, and stores its value's
// address in r.value. It folds the values of equal keys by Combine, so a Reduce can rely on Combine
// as in the engine.
func (r *Groups) localPairs(part []localPair) func() (key []byte, ok bool, err error) {
	b, read := r.job, r.job.value.Reader()
	_, fold := b.Typed.Combine()
	return func() ([]byte, bool, error) {
		for n := 0; n < len(part); n++ {
			v := memory.New(b.valueType)
			if err := read(part[n].value, v); err != nil {
				return nil, false, err
			}
			if n > 0 {
				fold(r.Value, v, []combine.Hit{{}})
			} else {
				r.Value = v
			}
			if !b.Combines || n+1 == len(part) || !bytes.Equal(part[n].key, part[n+1].key) {
				key := part[n].key
				part = part[n+1:]
				if b.Combines && b.identity() { // pass counts no groups: here each record is one
					r.c.Add(counter.ReduceInputGroups, 1)
				}
				return key, true, nil
			}
		}
		return nil, false, nil
	}
}

// RunLocal implements cluster.Tasks.
func (b *MapOnly) RunLocal(ctx context.Context, p *cluster.Bound, splits []cluster.Split, c *counter.Set, most int) ([]cluster.Skipped, error) {
	k := read.NewSkips(most)
	for i, split := range splits {
		a := &cluster.MapAttempt{Index: i, Split: split, Resources: cluster.Resources{Counters: c}}
		if _, err := b.runMap(ctx, p, a, k); err != nil {
			return nil, fmt.Errorf("%s: %w", a.ID(), err)
		}
		if err := p.CommitTask(a.ID()); err != nil {
			return nil, err
		}
	}
	return k.Count(c), nil
}
