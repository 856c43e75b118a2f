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
	"github.com/tarry-mr/tarry/mapreduce/internal/memory"
	"github.com/tarry-mr/tarry/mapreduce/internal/segment"
	"github.com/tarry-mr/tarry/mapreduce/internal/task"
)

func (b *boundJob) RunReduce(ctx context.Context, p *cluster.Bound, a *cluster.ReduceAttempt) error {
	var c counter.Set
	list, err := fetch(ctx, a, &c)
	if err != nil {
		return err
	}
	return b.reduce(ctx, p, a, &c, func(r *reduceRun) error {
		if b.combines {
			err = r.combined(list)
		} else {
			err = r.merged(list)
		}
		return cluster.Damaged(a, list, err)
	})
}

// reduce runs a reduce attempt: run calls reduceRun.groups with its pairs, or writes them.
func (b *boundJob) reduce(ctx context.Context, p *cluster.Bound, a *cluster.ReduceAttempt, c *counter.Set,
	run func(r *reduceRun) error,
) error {
	t := &task.Task{Ctx: ctx, ID: a.ID(), Reduces: p.Reduces, Counters: c, Budget: a.Budget, Log: a.Log}
	alive, stop := cluster.NewWatch(ctx, &a.Resources)
	defer stop()
	records, bytes, err := writePart(p, t, a.Host, b.out, func(w *recordWriter) (err error) {
		w.part.Check = alive.Now
		r := &reduceRun{bound: b, alive: alive, a: a, c: c, w: w, reduces: p.Reduces}
		if !b.identity() {
			if r.code, err = b.typed.StartReduce(t, w, b.key.Reader()); err != nil {
				return err
			}
		}
		return run(r)
	})
	if err != nil {
		return err
	}
	c.Add(counter.ReduceOutputRecords, records)
	c.Add(counter.OutputBytesWritten, bytes)
	a.Report(c)
	return nil
}

// fetch gathers the segments of all maps and sorts them by map, so that the output does not depend
// on their order of arrival.
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

// reduceRun is a reduce attempt: a stream of pairs in key order, divided into groups. The keys of a
// group are equal, or agree in Job.GroupFields.
type reduceRun struct {
	bound   *boundJob
	a       *cluster.ReduceAttempt
	c       *counter.Set
	w       *recordWriter
	code    reduceCode
	reduces int // number of reduces of the job
	alive   *cluster.Watch

	next func() (key []byte, ok bool, err error) // also sets value
	// placed, if not nil, returns an error for a key that belongs to another reduce.
	placed func(key []byte) error

	// The current pair, from next.
	key   []byte
	value memory.Pointer
	ok    bool
	err   error

	group  []byte // the first key of the current group
	prefix int    // length of the prefix that the keys of the group share
	first  bool   // the current pair is the group's first

	calls       callCount
	read, begun int64 // pairs and groups so far
}

// reduceCode calls the user's Reduce in an attempt. It hides the types of the job.
type reduceCode struct {
	// call calls the user's function for the group that begins with the current pair, with the
	// reused sequence of that index (see keptSeqs).
	call  func(s *reduceRun, sequence int) error
	close func() error // nil: the user has no Close
}

// merged merges sorted segments and reduces their groups, in a job without combiner.
func (r *reduceRun) merged(list []cluster.Segment) error {
	segments := make([]*segment.Segment, len(list))
	for i, s := range list {
		segments[i] = s.Data.(*segment.Segment)
	}
	m := segment.NewMerge(segment.MergeConfig{
		Resources: r.a.Storage(), Largest: r.bound.largest(r.a.Budget),
	}, segments)
	defer m.Close()
	defer func() { addSpills(r.c, m.Stats()) }()
	if r.bound.passesBytes() {
		n, _, err := m.WriteTo(r.w.part, *r.bound.out.layout)
		r.c.Add(counter.ReduceInputRecords, n)
		r.w.records += n
		return err
	}
	var ahead [32]segment.Record
	at, n := 0, 0 // the next of the n in ahead
	read := r.bound.value.Reader()
	r.value = memory.New(r.bound.valueType)
	return r.groups(func() (key []byte, ok bool, err error) {
		if at == n {
			if at, n = 0, m.Some(ahead[:]); n == 0 {
				return nil, false, m.Err()
			}
		}
		pair := &ahead[at]
		at++
		return pair.Key, true, read(pair.Value, r.value)
	})
}

// passesBytes reports whether encoded pairs are written to the output unchanged.
func (b *boundJob) passesBytes() bool { return b.identity() && b.out.layout != nil && !b.descending }

// largest returns the maximum size of a pair that a reduce holds in memory; 0 means unlimited.
func (b *boundJob) largest(budget *cluster.Memory) int64 {
	if b.passesBytes() {
		return 0
	}
	return budget.Largest()
}

// combined combines the values of equal keys in a table, then reduces each key.
func (r *reduceRun) combined(list []cluster.Segment) error {
	segments := make([]*combine.Segment, len(list))
	for i, s := range list {
		switch data := s.Data.(type) {
		case *combine.Segment:
			segments[i] = data
		case *segment.Segment: // from another process
			segments[i] = combine.OfFiles(data)
		}
	}
	m := combine.NewMerge(r.bound.tableOptions(&r.a.Resources), r.bound.values(), segments)
	defer m.Close()
	var joined int64
	defer func() {
		addSpills(r.c, m.Stats())
		r.c.Add(counter.CombineInputRecords, m.Stats().Records)
		r.c.Add(counter.CombineOutputRecords, joined)
		if r.bound.identity() { // pass counts no groups: here each record is one
			r.c.Add(counter.ReduceInputGroups, joined)
		}
	}()
	if r.bound.identity() && r.bound.numberWidth() > 0 {
		n, done, err := r.passNumbers(m)
		if joined = n; done || err != nil {
			return err
		}
	}
	return r.groups(func() (key []byte, ok bool, err error) {
		if key, r.value, ok = m.Next(); !ok {
			return nil, false, m.Err()
		}
		joined++
		return key, true, nil
	})
}

func (r *reduceRun) checkStop() error {
	if err := r.alive.Check(); err != nil {
		return err
	}
	return r.w.err()
}
