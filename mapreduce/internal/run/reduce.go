package run

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
	"github.com/tarry-mr/tarry/mapreduce/internal/write"
)

// RunReduce implements cluster.Tasks.
func (b *Job) RunReduce(ctx context.Context, p *cluster.Bound, a *cluster.ReduceAttempt) error {
	var c counter.Set
	list, err := fetch(ctx, a, &c)
	if err != nil {
		return err
	}
	return b.reduce(ctx, p, a, &c, func(r *Groups) error {
		if b.Combines {
			err = r.combined(list)
		} else {
			err = r.merged(list)
		}
		return cluster.Damaged(a, list, err)
	})
}

// reduce runs a reduce attempt: run calls reduceGroups with its pairs, or writes them.
func (b *Job) reduce(ctx context.Context, p *cluster.Bound, a *cluster.ReduceAttempt, c *counter.Set,
	run func(r *Groups) error,
) error {
	t := &task.Task{Ctx: ctx, ID: a.ID(), Reduces: p.Reduces, Counters: c, Budget: a.Budget, Log: a.Log}
	alive, stop := cluster.NewWatch(ctx, &a.Resources)
	defer stop()
	records, bytes, err := write.ToPart(p, t, a.Host, b.Out, func(w *write.Writer) (err error) {
		w.Part.Check = alive.Now
		r := &Groups{job: b, alive: alive, a: a, c: c, w: w, reduces: p.Reduces}
		if !b.identity() {
			if r.code, err = b.Typed.StartReduce(t, w, b.key.Reader()); err != nil {
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

// Groups is a reduce attempt: a stream of pairs in key order, divided into groups. The keys of a
// group are equal, or agree in Job.GroupFields.
type Groups struct {
	job     *Job
	a       *cluster.ReduceAttempt
	c       *counter.Set
	w       *write.Writer
	code    ReduceCode
	reduces int // number of reduces of the job
	alive   *cluster.Watch

	next func() (key []byte, ok bool, err error) // also sets value
	// placed, if not nil, returns an error for a key that belongs to another reduce.
	placed func(key []byte) error

	// The current pair, from next.
	Key   []byte
	Value memory.Pointer
	ok    bool
	Err   error

	Group  []byte // the first key of the current group
	prefix int    // length of the prefix that the keys of the group share
	first  bool   // the current pair is the group's first

	calls       callCount
	read, begun int64 // pairs and groups so far
}

// ReduceCode calls the user's Reduce in an attempt. It hides the types of the job.
type ReduceCode struct {
	// Call calls the user's function for the group that begins with the current pair, with the
	// reused sequence of that index (see KeptSeqs).
	Call  func(s *Groups, sequence int) error
	Close func() error // nil: the user has no Close
}

// merged merges sorted segments and reduces their groups, in a job without combiner.
func (r *Groups) merged(list []cluster.Segment) error {
	segments := make([]*segment.Segment, len(list))
	for i, s := range list {
		segments[i] = s.Data.(*segment.Segment)
	}
	m := segment.NewMerge(segment.MergeConfig{
		Resources: r.a.Storage(), Largest: r.job.largest(r.a.Budget),
	}, segments)
	defer m.Close()
	defer func() { addSpills(r.c, m.Stats()) }()
	if r.job.passesBytes() {
		n, _, err := m.WriteTo(r.w.Part, *r.job.Out.Layout)
		r.c.Add(counter.ReduceInputRecords, n)
		r.w.Records += n
		return err
	}
	var ahead [32]segment.Record
	at, n := 0, 0 // the next of the n in ahead
	read := r.job.value.Reader()
	r.Value = memory.New(r.job.valueType)
	return r.reduceGroups(func() (key []byte, ok bool, err error) {
		if at == n {
			if at, n = 0, m.Some(ahead[:]); n == 0 {
				return nil, false, m.Err()
			}
		}
		pair := &ahead[at]
		at++
		return pair.Key, true, read(pair.Value, r.Value)
	})
}

// passesBytes reports whether encoded pairs are written to the output unchanged.
func (b *Job) passesBytes() bool { return b.identity() && b.Out.Layout != nil && !b.Descending }

// largest returns the maximum size of a pair that a reduce holds in memory; 0 means unlimited.
func (b *Job) largest(budget *cluster.Memory) int64 {
	if b.passesBytes() {
		return 0
	}
	return budget.Largest()
}

// combined combines the values of equal keys in a table, then reduces each key.
func (r *Groups) combined(list []cluster.Segment) error {
	segments := make([]*combine.Segment, len(list))
	for i, s := range list {
		switch data := s.Data.(type) {
		case *combine.Segment:
			segments[i] = data
		case *segment.Segment: // from another process
			segments[i] = combine.OfFiles(data)
		}
	}
	m := combine.NewMerge(r.job.tableOptions(&r.a.Resources), r.job.values(), segments)
	defer m.Close()
	var joined int64
	defer func() {
		addSpills(r.c, m.Stats())
		r.c.Add(counter.CombineInputRecords, m.Stats().Records)
		r.c.Add(counter.CombineOutputRecords, joined)
		if r.job.identity() { // pass counts no groups: here each record is one
			r.c.Add(counter.ReduceInputGroups, joined)
		}
	}()
	if r.job.identity() && r.job.numberWidth() > 0 {
		n, done, err := r.passNumbers(m)
		if joined = n; done || err != nil {
			return err
		}
	}
	return r.reduceGroups(func() (key []byte, ok bool, err error) {
		if key, r.Value, ok = m.Next(); !ok {
			return nil, false, m.Err()
		}
		joined++
		return key, true, nil
	})
}

func (r *Groups) checkStop() error {
	if err := r.alive.Check(); err != nil {
		return err
	}
	return r.w.Err()
}
