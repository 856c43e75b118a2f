package actors

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tarry-mr/tarry/mapreduce"
	"github.com/tarry-mr/tarry/mapreduce/cluster"
)

// Dataset is a job's result that stays in the memory of the cluster, each part on the node whose
// attempt wrote it. Further jobs read it without text or files between. Create it with [Keep].
//
// A Dataset counts toward Config.Memory. All datasets together use at most half of it; the rest is
// stored in spill files. A Dataset lives until Release, the end of its Pipeline or the Close of its
// Cluster. It does not outlive the process, not even with a Config.State.
//
// If a node dies, its parts are recomputed before the next job reads them: the cluster calls the
// function that bound the job once more and reruns the job, after recomputing the job's own inputs
// if they were lost. Then it compares all parts with the lost ones, by number and hash of their
// records, or by sums where they have floats, which depend on the order of adding. If a variable
// that the job uses has changed since, the results differ and the error wraps
// [cluster.ErrOtherData].
//
// All methods are safe for concurrent use.
type Dataset[T any] struct {
	kept    *mapreduce.Dataset[T]
	lineage *lineage
}

// Runner runs jobs: a [*Cluster], or a [*Pipeline] on it, whose datasets end with it. A new
// Pipeline has no cluster, and runs jobs by [mapreduce.RunLocal].
type Runner interface {
	home() *Cluster // nil: no cluster
	adopt(l *lineage)
}

func (c *Cluster) home() *Cluster { return c }

func (c *Cluster) adopt(*lineage) {}

// Keep runs a job and keeps its result in the cluster's memory. bind binds the job to the output
// that it is given, as for [Collect]. The cluster calls bind again to recompute lost parts, so bind
// must bind the same job each time: variables that its functions read must not change while the
// dataset, or one derived from it, lives. T must be a type that can be a job's value.
//
// If ctx ends first, the job is killed; see [RunOn].
func Keep[T any](ctx context.Context, on Runner, bind func(out mapreduce.Output[T]) (*mapreduce.Plan, error)) (*Dataset[T], error) {
	l := newLineage(on.home())
	d := &Dataset[T]{kept: mapreduce.NewDataset[T](l.options()), lineage: l}
	if err := keep(ctx, d, bind); err != nil {
		return nil, err
	}
	on.adopt(l)
	return d, nil
}

// keep runs the job that bind returns, which fills d.
func keep[T any](ctx context.Context, d *Dataset[T], bind func(out mapreduce.Output[T]) (*mapreduce.Plan, error)) error {
	l := d.lineage
	l.kept = d.kept.Store
	l.again = func() (*mapreduce.Plan, error) { return bind(d.kept.RerunOutput()) }
	return l.fill(ctx, func() (*mapreduce.Plan, error) { return bind(d.kept.Output()) })
}

// Input returns the records as an input, part by part. Its maps prefer the node that has their
// part. Slices of bytes and of numbers in a record are valid until the map returns, and must not be
// changed. A job reads a dataset from its Submit to its end, even if it is released meanwhile.
// Submitting a job that reads a released dataset returns an error that wraps
// [cluster.ErrReleased].
func (d *Dataset[T]) Input() mapreduce.Input[T] { return d.kept.Input() }

// Aligned is like Input, with one map per part: a job without reduces then writes the same parts.
func (d *Dataset[T]) Aligned() mapreduce.Input[T] { return d.kept.Aligned() }

// Collect returns all records, part by part, decoded outside of Config.Memory; the caller owns
// them. It recomputes lost parts first.
func (d *Dataset[T]) Collect(ctx context.Context) (list []T, err error) {
	for try := 1; ; try++ {
		if err := d.lineage.restore(ctx); err != nil {
			return nil, err
		}
		list, err := d.kept.Records()
		if !errors.Is(err, cluster.ErrPartLost) || try == d.lineage.cluster.tries() {
			return list, err
		}
	}
}

// Release frees the memory and the spill files once no job reads them any more. Datasets derived
// from this one stay; if one of them is lost, this one is recomputed for as long as that takes. A
// second Release does nothing.
func (d *Dataset[T]) Release() { d.lineage.release() }

// Retain keeps a dataset of a [Pipeline] after the pipeline succeeds; the caller must release it.
func (d *Dataset[T]) Retain() { d.lineage.retained.Store(true) }

// DatasetSize is the size of a dataset.
type DatasetSize struct {
	Parts   int
	Records int64
	Bytes   int64 // size as stored
	Spilled int64 // the part of Bytes in spill files
}

// Size returns the dataset's size, after Release the size that it had.
func (d *Dataset[T]) Size() DatasetSize {
	s := DatasetSize{Parts: d.kept.Parts()}
	s.Records, s.Bytes, s.Spilled = d.kept.Size()
	return s
}

// Keyed is a [Dataset] partitioned and sorted by key, as reduces write it: each record is in the
// part that the default partition assigns to its key, in key order. Two Keyed datasets with the
// same number of parts are grouped without a shuffle by [mapreduce.Grouped]. Create it
// with [KeepBy].
type Keyed[K, T any] struct {
	Dataset[T]
	by *mapreduce.KeyedDataset[K, T]
}

// KeepBy is [Keep] for records whose key the function key returns. It checks each record as it is
// written: a record in the wrong part or out of order fails the job, with an error that names the
// key and the part where it belongs. Two kinds of jobs write records correctly: those whose reduces
// emit under the key that they reduce, without Partition, TotalOrder and Descending, and those
// without reduces that read the [Dataset.Aligned] input of such a dataset.
func KeepBy[K, T any](ctx context.Context, on Runner, key func(rec T) K, bind func(out mapreduce.Output[T]) (*mapreduce.Plan, error)) (*Keyed[K, T], error) {
	l := newLineage(on.home())
	by := mapreduce.NewKeyedDataset(l.options(), key)
	d := &Keyed[K, T]{Dataset: Dataset[T]{kept: &by.Dataset, lineage: l}, by: by}
	if err := keep(ctx, &d.Dataset, bind); err != nil {
		return nil, err
	}
	on.adopt(l)
	return d, nil
}

// Feed returns the records as an input of joins, each under its key.
func (d *Keyed[K, T]) Feed() mapreduce.Feed[K, T] { return d.by.Feed() }

// Load keeps the records of an input as they are. Use it for an input that many jobs read or that
// is slow to read.
func Load[T any](ctx context.Context, on Runner, in mapreduce.Input[T]) (*Dataset[T], error) {
	load := mapreduce.Apply(func(rec T) T { return rec })
	load.Name = "load"
	return Keep(ctx, on, load.Over(in))
}

// LoadBy is like Load but shuffles the records, sorted by key, into the given number of parts; 0
// means as many as a job over the input has reduces. Records with equal keys stay in input order.
func LoadBy[K, T any](ctx context.Context, on Runner, key func(rec T) K, parts int, in mapreduce.Input[T]) (*Keyed[K, T], error) {
	return KeepBy(ctx, on, key, mapreduce.Job[T, K, T, T]{
		Name: "load", Reducers: parts,
		Map: func(rec T, emit func(K, T)) error {
			emit(key(rec), rec)
			return nil
		},
		Reduce: func(_ K, recs iter.Seq[T], emit func(T)) error {
			for rec := range recs {
				emit(rec)
			}
			return nil
		},
	}.Over(in))
}

// lineage is what a dataset needs to recompute lost parts, without its type.
type lineage struct {
	cluster *Cluster
	kept    *cluster.KeptParts
	again   func() (*mapreduce.Plan, error) // binds the job that recomputes lost parts
	turn    chan struct{}                   // holds a token while a goroutine recomputes lost parts

	retained atomic.Bool // stays when its pipeline succeeds
}

func newLineage(c *Cluster) *lineage { return &lineage{cluster: c, turn: make(chan struct{}, 1)} }

func (l *lineage) options() cluster.KeptOptions {
	if l.cluster == nil {
		return cluster.KeptOptions{Name: "dataset", Owner: l}
	}
	e := l.cluster.env
	return cluster.KeptOptions{
		Name: fmt.Sprintf("dataset %d", e.lastDataset.Add(1)), Owner: l,
		Pool: e.buffers, Spills: e.spills,
	}
}

// fill runs the job for the first time. On error it releases everything.
func (l *lineage) fill(ctx context.Context, bind func() (*mapreduce.Plan, error)) (err error) {
	if l.cluster != nil {
		err = l.cluster.env.datasets.add(l)
	}
	if err == nil {
		err = l.cluster.runBound(ctx, bind, false)
	}
	if err == nil {
		err = l.restore(ctx) // parts on nodes that died meanwhile
	}
	if err != nil {
		l.release()
	}
	return err
}

// restore recomputes the parts of the dataset that are lost.
func (l *lineage) restore(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ending(ctx)
	}
	defer func() { <-l.turn }()
	for try := 1; ; try++ {
		lost := l.kept.Lost()
		if len(lost) == 0 {
			return nil
		}
		err := l.cluster.runBound(ctx, l.again, true)
		if err == nil && try == l.cluster.tries() {
			err = fmt.Errorf("%w, each time it was made again", cluster.ErrPartLost)
		}
		if err != nil {
			return fmt.Errorf("actors: %s: part %d is to be made again: %w", l.kept.Name(), lost[0], err)
		}
	}
}

func (l *lineage) release() {
	if l.cluster != nil {
		l.cluster.env.datasets.remove(l)
	}
	l.kept.Release()
}

// datasets holds the unreleased datasets of a cluster, or those that a pipeline has made.
type datasets struct {
	mu     sync.Mutex
	live   map[*lineage]bool
	closed bool
}

// add adds a dataset, or returns ErrClosed after close.
func (s *datasets) add(l *lineage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if s.live == nil {
		s.live = map[*lineage]bool{}
	}
	s.live[l] = true
	return nil
}

func (s *datasets) remove(l *lineage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, l)
}

// lose marks the parts of all datasets on a node as lost; they are recomputed when needed.
func (s *datasets) lose(node string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.live {
		l.kept.Lose(node)
	}
}

// close returns the datasets, which the caller releases, and makes add return ErrClosed.
func (s *datasets) close() []*lineage {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return slices.Collect(maps.Keys(s.live))
}

// tries returns how often a job runs whose input is lost meanwhile; once without a cluster.
func (c *Cluster) tries() int {
	if c == nil {
		return 1
	}
	return c.env.cfg.MaxAttempts
}

// runBound binds a job and runs it to its end, and repeats both if parts of its input are lost
// meanwhile. With revive set the job may read released datasets. A nil c runs it without a cluster.
func (c *Cluster) runBound(ctx context.Context, bind func() (*mapreduce.Plan, error), revive bool) error {
	for try := 1; ; try++ {
		if ctx.Err() != nil {
			return ending(ctx)
		}
		plan, err := bind()
		if err != nil {
			return err
		}
		if c == nil {
			_, err = runLocal(ctx, plan, SubmitOptions{})
			return err
		}
		job, err := c.submitHolding(ctx, plan, SubmitOptions{}, revive)
		if err == nil {
			_, err = job.waitOrKill(ctx)
		}
		if !errors.Is(err, cluster.ErrPartLost) || ctx.Err() != nil || try == c.tries() {
			return err
		}
	}
}

// holdInput recomputes lost parts of the datasets that p reads, which then stay until p's job ends.
func (c *Cluster) holdInput(ctx context.Context, p *mapreduce.Plan, revive bool) error {
	for _, k := range p.Job().Kept {
		if l, ok := k.Owner().(*lineage); ok && l.cluster != c {
			return fmt.Errorf("actors: job %q reads %s, which is of another cluster", p.Job().Name, k.Name())
		}
	}
	if err := p.Hold(revive); err != nil {
		return fmt.Errorf("actors: job %q: %w", p.Job().Name, err)
	}
	for _, k := range p.Job().Kept {
		if l, ok := k.Owner().(*lineage); ok {
			if err := l.restore(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
